"""A summary without a model: the sentences that state most, as they were said, in their order.

Nothing is written and nothing cut: a sentence is in as a whole or not at all. The weights were
chosen by hand; `bench/bench_summaries.py` measures what they keep.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.text.analysis import content_terms, query_terms
from packhorse.text.sentences import sentences
from packhorse.window.policies.policy import LeftOut
from packhorse.window.summary.facts import Facts, facts_of
from packhorse.window.summary.told import WRITTEN, Quote, Told

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["Extract", "extract"]

NEW_VALUES = 1.5
"""Times log(1 + numbers and names that nothing chosen so far says)."""
UNIT = 0.3
DECISION = 1.5
WISH = 1.5
"""Where the user says it."""
USERS_OWN = 0.8
FROM_TOOL = -1.0
EARLIER = 0.7
"""Of an earlier summary: it was found worth keeping before."""
SHARED_WORDS = 0.3
SHARED_WORDS_MOST = 2.0
"""Of the sum of inverse frequencies of the words shared with the question."""
ASKS = -0.7
LENGTH = -0.35
"""Times the logarithm of the tokens."""
FEWEST_TERMS = 4
"""A sentence with fewer content words says nothing by itself, unless it holds a value, a decision
or a wish."""
LONGEST = 120
"""Tokens; what is longer is a listing and no sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Sentences that were chosen, in the order in which they were said."""

    quotes: tuple[Quote, ...]
    kept: tuple[int, ...]
    """Places, among the messages given, of those that are quoted; ascending."""
    left_out: dict[int, LeftOut]
    """Places of the others, and why no sentence of theirs is in."""
    tokens: int
    """Of the text that they make, by `cost`."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    quote: Quote
    facts: Facts
    fixed: float
    """Score without its new values."""
    tokens: int
    label: int
    """Tokens of the label that opens its message's line."""


def extract(
    told: Sequence[Told],
    room: int,
    question: str,
    counter: TokenCounter,
    cost: Callable[[Sequence[Quote]], int],
) -> Extract:
    """The sentences that state most, within a number of tokens.

    Greedy by score, skipping what does not fit; a value that a chosen sentence says counts no more.
    The score adds new numbers and names, units, decisions, wishes of the user, words shared with
    the question, and takes off for length, questions and tools. Ties go to the earlier sentence.
    Costs O(words + sentences log sentences).

    Args:
        told: messages, oldest first.
        room: tokens that `cost` may come to.
        question: what is asked now; may be empty.
        counter: tokens of a text, to choose by; the result is certified by `cost`.
        cost: exact tokens of what sentences make.
    """
    pool = _sentences(told, question, counter)
    chosen = _chosen(pool, room - cost(()))
    while chosen and cost(_in_order(pool, chosen)) > room:
        chosen.pop()
    kept = sorted({pool[at].place for at in chosen})
    by_place: dict[int, int] = {}
    for each in pool:
        by_place[each.place] = min(by_place.get(each.place, LONGEST), each.tokens)
    out = {
        place: LeftOut(
            "not_quoted",
            f"no sentence among the best for {room} tokens, the shortest takes {by_place[place]}"
            if place in by_place
            else "no sentence that states anything by itself",
        )
        for place in range(len(told))
        if place not in set(kept)
    }
    quotes = _in_order(pool, chosen)
    return Extract(quotes=quotes, kept=tuple(kept), left_out=out, tokens=cost(quotes))


def _in_order(pool: Sequence[_Sentence], chosen: Sequence[int]) -> tuple[Quote, ...]:
    return tuple(pool[at].quote for at in sorted(chosen))


def _chosen(pool: Sequence[_Sentence], room: int) -> list[int]:
    """Places in the pool, best first. New values only become fewer, so old scores are bounds."""
    held: set[str] = set()

    def rated(at: int) -> tuple[float, int]:
        new = len(pool[at].facts.values - held)
        return -round(pool[at].fixed + NEW_VALUES * math.log1p(new), 6), at

    heap = [rated(at) for at in range(len(pool))]
    heapq.heapify(heap)
    chosen: list[int] = []
    labelled: set[int] = set()
    while heap and room > 0:
        known = heapq.heappop(heap)
        at = known[1]
        now = rated(at)
        if now > known:
            heapq.heappush(heap, now)
            continue
        each = pool[at]
        needed = each.tokens + (0 if each.place in labelled else each.label)
        if needed <= room:
            room -= needed
            chosen.append(at)
            labelled.add(each.place)
            held |= each.facts.values
    return chosen


def _sentences(told: Sequence[Told], question: str, counter: TokenCounter) -> list[_Sentence]:
    """Every sentence that can be quoted, each once, with its score."""
    found: list[tuple[int, Quote]] = []
    seen: set[str] = set()
    for place, each in enumerate(told):
        for sentence in sentences(each.text):
            line = " ".join(sentence.text.split())
            key = line.casefold()
            if key in seen or not _states(line):
                continue
            seen.add(key)
            found.append((place, Quote(each.turn, each.role, line)))
    counts = counter.count_batch([f" {quote.text}" for _, quote in found])
    labels = counter.count_batch([f"\n[{quote.turn}] {quote.role}:" for _, quote in found])
    asked = _rarity([quote.text for _, quote in found], question)
    return [
        _Sentence(
            place=place,
            quote=quote,
            facts=facts_of(quote.text),
            fixed=_score(quote, told[place].number < 0, tokens, asked),
            tokens=tokens,
            label=label,
        )
        for (place, quote), tokens, label in zip(found, counts, labels, strict=True)
        if tokens <= LONGEST
    ]


def _states(line: str) -> bool:
    facts = facts_of(line)
    is_fact = bool(facts.values) or facts.decides or facts.wishes
    return is_fact or len(content_terms(line)) >= FEWEST_TERMS


def _score(quote: Quote, is_earlier: bool, tokens: int, asked: dict[str, float]) -> float:  # noqa: FBT001 - one sum
    facts = facts_of(quote.text)
    shared = sum(asked[term] for term in sorted(asked.keys() & set(content_terms(quote.text))))
    return math.fsum(
        (
            UNIT * facts.has_unit,
            DECISION * facts.decides,
            WISH * (facts.wishes and quote.role == "user"),
            USERS_OWN * (quote.role == "user"),
            FROM_TOOL * (quote.role == "tool"),
            EARLIER * (is_earlier or quote.role == WRITTEN),
            min(SHARED_WORDS_MOST, SHARED_WORDS * shared),
            ASKS * quote.text.endswith("?"),
            LENGTH * math.log(max(1, tokens)),
        )
    )


def _rarity(lines: Sequence[str], question: str) -> dict[str, float]:
    """Inverse frequency, among the sentences, of each word of the question."""
    asked = frozenset(query_terms(question)) if question.strip() else frozenset[str]()
    held: Counter[str] = Counter()
    for line in lines if asked else ():
        held.update(asked.intersection(content_terms(line)))
    n = len(lines)
    return {term: math.log(1 + (n - k + 0.5) / (k + 0.5)) for term, k in held.items()}
