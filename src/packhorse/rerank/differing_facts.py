"""Near-identical texts that do not say the same.

The same rule for two tax years shares nearly every word, and so does a policy that allowed what it
forbids by now. Dropping one of the two would lose a fact silently, which is worse than a repeated
sentence, so such pairs are no duplicates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from packhorse.rerank.aligned import (
    NO_BREAK,
    SENTENCE_END,
    Wording,
    gaps,
    is_figure,
    wording,
)
from packhorse.rerank.stated_places import stated_places
from packhorse.rerank.telling_words import content, is_reworded, is_weighty, more_than, tells

__all__ = ["NEARLY_IDENTICAL", "Difference", "difference", "says_otherwise"]

NEARLY_IDENTICAL = 0.9
"""Overlap from which a text must not hold any figure that the other one lacks."""

_CLAUSE = 6
"""Words of weight from which an insertion says something by itself."""

_MOST_JOINED = 4
"""Words at an edge that still belong to the sentence which they stand in."""

_MOST_IN_TITLE = 12
"""Words before which windows of one document may go apart."""

_SENTENCE = 4
"""Words from which something with a full stop is a sentence and no title."""

_TOO_LONG_TO_BE_A_WORD = 3
"""Words at an edge of one text beside a part of a word in the other: it was cut there."""

_MOST_AT_EDGE = 12
"""Words at the same edge of both texts; what is longer is more text, and no other word for it."""

_WINDOW = 4
"""Of overlapping windows the one sticks out at most so many times as far as the other."""

_CACHED_TEXTS = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two near copies do not have in common; one of both may be empty."""

    dropped: str
    kept: str


def says_otherwise(dropped: str, kept: str, overlap: float) -> bool:
    """Whether `dropped` states something that `kept` does not, or states differently.

    See `difference`. A figure of its own counts wherever it stands when the two are nearly
    identical (`overlap` is 0.9 or more).
    """
    if overlap >= NEARLY_IDENTICAL and not _figures(dropped) <= _figures(kept):
        return True
    theirs = stated_places(kept)
    if any(
        place in theirs and not stated <= theirs[place]
        for place, stated in stated_places(dropped).items()
    ):
        return True
    return difference(dropped, kept) is not None


def difference(dropped: str, kept: str) -> Difference | None:
    """The first thing that keeps `dropped` from being a copy of `kept`, words side by side.

    - Words in the place of others, however many: `24.50` for `24`, `may` for `must not`. Function
      words, endings and spelling as one word or two do not count; nor do the longer of two ends
      that begin or stop at the same place, which are more text.
    - Words more in the middle of a sentence that tell, in either text: a figure, a number, a name,
      a word that turns, binds or limits (`not`, `must`, `only`).
    - In `dropped` alone: a sentence more, or a clause of six words. At its start and end, too,
      unless both texts stick out, at opposite ends, as windows of one document do. Titles and
      navigation do not count there, and a title of both may come before.

    The first two are the same in both directions, but for a name at the edge. Cost: comparing the
    words once where the texts differ in one place or have the same length; otherwise sorting them.
    """
    mine, theirs = wording(dropped), wording(kept)
    edges: dict[tuple[bool, bool], range] = {}
    for gap in gaps(mine, theirs):
        here, there = range(gap.start, gap.end), range(gap.other_start, gap.other_end)
        first = gap.start == gap.other_start and _is_title(mine, theirs, gap.start)
        last = gap.end == len(mine.words) and gap.other_end == len(theirs.words)
        here, there = _without_repeats(mine, here, theirs), _without_repeats(theirs, there, mine)
        alone = not is_weighty(mine, here) or not is_weighty(theirs, there)
        if first != last and (alone or max(len(here), len(there)) > _MOST_AT_EDGE):
            for is_mine, text, run in ((True, mine, here), (False, theirs, there)):
                if is_weighty(text, run):
                    edges[is_mine, last] = run
        elif _differs(mine, here, theirs, there, first=first, last=last):
            return _told(mine, here, theirs, there)
    return _edge_difference(mine, theirs, edges)


def _differs(
    mine: Wording, here: range, theirs: Wording, there: range, *, first: bool, last: bool
) -> bool:
    """Whether a stretch of both texts matters: other words, or words more that tell."""
    said, others = content(mine, here), content(theirs, there)
    stems, other_stems = [stem for stem, _ in said], [stem for stem, _ in others]
    if _is_same(stems, other_stems) or is_reworded(mine, said, theirs, others):
        return False
    if (first or last) and (
        _is_cut(mine, here, theirs, there, last=last)
        or _is_cut(theirs, there, mine, here, last=last)
    ):
        return False
    more = more_than(said, other_stems)
    if more is not None:
        is_clause = len(more) >= _CLAUSE
        return is_clause or tells(mine, more) or _is_sentence(mine, here)
    more = more_than(others, stems)
    if more is None:
        return True
    return len(more) < _CLAUSE and tells(theirs, more) and not _is_sentence(theirs, there)


def _is_same(stems: list[str], others: list[str]) -> bool:
    """Whether the words are the same, one that is written as two included: `9 am`, `e-mail`."""
    if max(sum(map(is_figure, stems)), sum(map(is_figure, others))) > 1:
        return stems == others
    return "".join(stems) == "".join(others)


def _is_title(mine: Wording, theirs: Wording, end: int) -> bool:
    """Whether the first words of both are nothing, or a title that stands by itself."""
    marked = mine.breaks[end] != NO_BREAK and theirs.breaks[end] != NO_BREAK
    return end <= _MOST_IN_TITLE and marked


def _edge_difference(
    mine: Wording, theirs: Wording, edges: Mapping[tuple[bool, bool], range]
) -> Difference | None:
    """What matters of the words that only one text has at its start or end."""
    for last in (False, True):
        run, opposite = edges.get((True, last)), edges.get((False, not last))
        is_window = run and opposite and len(run) <= _WINDOW * len(opposite)
        if run and not is_window and _edge_says(mine, run, last=last):
            return _told(mine, run, theirs, range(0))
    for last in (False, True):
        run, opposite = edges.get((False, last)), edges.get((True, not last))
        if not run or opposite:
            continue
        joined = _joined(theirs, run, last=last)
        if joined and len(joined) <= _MOST_JOINED and tells(theirs, joined, names=False):
            return _told(mine, range(0), theirs, run)
    return None


def _edge_says(text: Wording, run: range, *, last: bool) -> bool:
    joined = _joined(text, run, last=last)
    if joined and len(joined) <= _MOST_JOINED:
        if tells(text, joined):
            return True
        run = range(joined.stop, run.stop) if last else range(run.start, joined.start)
    return any(
        _is_prose(text, piece) or any(is_figure(text.words[at]) for at in piece)
        for piece in _pieces(text, run)
    )


def _joined(text: Wording, run: range, *, last: bool) -> range:
    """The part of an edge that stands in one sentence with what both texts have."""
    pieces = list(_pieces(text, run))
    seam = run.start if last else run.stop
    if text.breaks[seam] != NO_BREAK or text.names[seam]:
        return range(0)
    return pieces[0] if last else pieces[-1]


def _pieces(text: Wording, run: range) -> Iterator[range]:
    """A stretch, cut at marks and at the ends of sentences."""
    start = run.start
    for at in range(run.start + 1, run.stop + 1):
        if at == run.stop or text.breaks[at] != NO_BREAK:
            yield range(start, at)
            start = at


def _is_prose(text: Wording, piece: range) -> bool:
    """Whether it is a sentence or a part of one, and no title or navigation."""
    n_small = sum(1 for at in piece[1:] if not text.names[at])
    if text.breaks[piece.stop] == SENTENCE_END and len(piece) >= _SENTENCE:
        return n_small >= 1
    return len(piece) >= _CLAUSE and n_small > 1


def _is_sentence(text: Wording, run: range) -> bool:
    return bool(run) and text.breaks[run.start] != NO_BREAK and text.breaks[run.stop] != NO_BREAK


def _is_cut(short: Wording, run: range, long: Wording, others: range, *, last: bool) -> bool:
    """Whether a word at the edge of one text is a part of the word that the other one has."""
    if len(run) != 1 or len(others) < _TOO_LONG_TO_BE_A_WORD:
        return False
    part, whole = short.words[run.start], long.words[others.start if last else others.stop - 1]
    if is_figure(part):
        return False
    return whole.startswith(part) if last else whole.endswith(part)


def _without_repeats(text: Wording, run: range, other: Wording) -> range:
    """Nothing, when the other text says the whole stretch elsewhere."""
    if len(run) < _CLAUSE:
        return run
    theirs = _triples(other.words)
    says = (text.words[at : at + 3] in theirs for at in range(run.start, run.stop - 2))
    return range(run.start, run.start) if all(says) else run


@lru_cache(maxsize=256)
def _triples(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(words[at : at + 3] for at in range(len(words) - 2))


def _told(mine: Wording, here: range, theirs: Wording, there: range) -> Difference:
    return Difference(
        dropped=" ".join(mine.words[here.start : here.stop]),
        kept=" ".join(theirs.words[there.start : there.stop]),
    )


@lru_cache(maxsize=_CACHED_TEXTS)
def _figures(text: str) -> frozenset[str]:
    return frozenset(filter(is_figure, wording(text).words))
