"""Passages that are as good as a gold one: its copies, and other cuts with the quoted sentence."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.evidence import as_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from packhorse.evaluate.dataset import Dataset
    from packhorse.types.chunk import Chunk

__all__ = ["QUOTE", "StandIns", "copies_of_gold", "costs_of", "counted", "filtered_of", "quoted"]

QUOTE = "quote "
"""What the name of gold begins with that is a sentence."""

StandIns = dict[str, tuple[str, ...]]
"""Passage id -> ids of the gold that it stands for; itself among them where it is gold."""


def copies_of_gold(dataset: Dataset) -> tuple[StandIns, ...]:
    """For each question what stands for its gold: passages with the same words, and quotes.

    A copy under another name is packed in place of the gold one, and says the same.
    """
    by_words: defaultdict[str, list[str]] = defaultdict(list)
    words_of = {passage.chunk_id: as_words(passage.text) for passage in dataset.passages}
    for name, words in words_of.items():
        by_words[words].append(name)
    found = []
    for question in dataset.questions:
        golds: defaultdict[str, list[str]] = defaultdict(list)
        for name, stood_for in question.stand_ins.items():
            golds[name].extend(stood_for)
        for gold in question.gold:
            for copy in by_words.get(words_of.get(gold, ""), ()):
                if copy != gold and gold not in golds[copy]:
                    golds[copy].append(gold)
        found.append(_with_themselves(golds, question.gold))
    return tuple(found)


def quoted(quotes: Sequence[str], passages: Iterable[Chunk]) -> tuple[list[str], StandIns]:
    """Gold out of sentences: each is gold of its own, which every passage that holds it stands for.

    So what is counted is the same however the passages are cut: a passage with two of them is both.
    A sentence that no one passage holds is gold that nothing can find; a cut may go through it.

    Args:
        quotes: the sentences. Those of the same words are one.
        passages: where they are looked for.
    """
    wanted = {as_words(quote): f"{QUOTE}{quote!r}" for quote in reversed(quotes)}
    held: StandIns = {}
    for passage in passages:
        text = as_words(passage.text)
        found = tuple(gold for words, gold in sorted(wanted.items()) if words in text)
        if found:
            held[passage.chunk_id] = found
    return sorted(wanted.values()), held


def _with_themselves(golds: Mapping[str, Sequence[str]], gold: Collection[str]) -> StandIns:
    """Gold that stands for other gold does not lose its own place for it."""
    return {
        name: tuple(dict.fromkeys([name, *stood_for] if name in gold else stood_for))
        for name, stood_for in golds.items()
    }


def counted(ids: Sequence[str], stand_ins: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The list with gold in place of what stands for it; each gold once, where it comes first."""
    seen: dict[str, None] = {}
    for name in ids:
        new = [gold for gold in stand_ins.get(name, ()) if gold not in seen]
        for each in new or [name]:
            seen.setdefault(each)
    return tuple(seen)


def costs_of(tokens: Mapping[str, int], stand_ins: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """What each candidate costs, and each gold in the cheapest form that is a candidate."""
    costs = dict(tokens)
    for name, golds in stand_ins.items():
        if name in tokens:
            for gold in golds:
                costs[gold] = min(tokens[name], costs.get(gold, tokens[name]))
    return costs


def filtered_of(
    tokens: Collection[str], filtered: Collection[str], stand_ins: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    """What was taken out, but for gold of which a form competes."""
    competing = [name for name in tokens if name not in filtered]
    return frozenset({*filtered, *counted(list(filtered), stand_ins)}).difference(
        competing, *(stand_ins.get(name, ()) for name in competing)
    )
