"""How near to each other a question's words stand in a passage, and whether as a phrase.

Positions are those of the search terms of title and text, function words included, so that two
words with a preposition between them are two apart. Each signal is a share of the question's own
upper bound, 0..1, as BM25's share is.

phrase   consecutive content words of the question that follow each other in the passage (the
         ordered windows of Metzler and Croft, "A Markov Random Field Model for Term Dependencies",
         2005), saturated as BM25 saturates; weight of a pair: the idf of the pair itself
phrase_min  the same, weight of a pair: the lower idf of its words, which needs no index of pairs
window   such pairs in any order at most 8 apart (their unordered windows)
pairs    all pairs of the question's words at most 5 apart, each place worth 1 / distance ** 2
         (Rasolofo and Savoy, "Term Proximity Scoring for Keyword-Based Retrieval Systems", 2003)
span     idf of the words that are there, times how tight the shortest stretch with all of them is
stretch  the idf of the question's words in the best stretch of 32 terms
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from packhorse.kb.bm25 import K1, B, idf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evals.ranking.lexical import Lexicon
    from packhorse.types.arrays import FloatArray

__all__ = ["SIGNALS", "Proximity"]

SIGNALS = ("phrase", "phrase_min", "window", "pairs", "span", "stretch")

WINDOW = 8
"""Places apart of an unordered pair."""
NEAR = 5
"""Places apart at which a pair still counts in `pairs`."""
STRETCH = 32
"""Terms."""

Pair = tuple[str, str]


class Proximity:
    """The passages of a set with the places of their terms.

    Args:
        passages: the search terms of each passage, title included, in reading order.
        lexicon: of the same passages.
    """

    def __init__(self, passages: Sequence[Sequence[str]], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._lengths = lexicon.lengths
        self._average = float(lexicon.lengths.mean()) or 1.0
        self._places: list[dict[str, list[int]]] = []
        holding: Counter[Pair] = Counter()
        for terms in passages:
            places: defaultdict[str, list[int]] = defaultdict(list)
            for at, term in enumerate(terms):
                places[term].append(at)
            self._places.append(dict(places))
            holding.update(set(pairwise(terms)))
        self._holding = holding

    def signals(self, asked: Sequence[str], rows: Sequence[int]) -> dict[str, FloatArray]:
        """Signal -> (n,) of each of `rows`, 0..1.

        Args:
            asked: the question's content terms in their order.
            rows: of the set.
        """
        question = _Question(asked, self._lexicon, self._holding)
        found: dict[str, FloatArray] = {name: np.zeros(len(rows)) for name in SIGNALS}
        for at, row in enumerate(rows):
            held = [
                (place, term)
                for term in question.terms
                for place in self._places[row].get(term, ())
            ]
            norm = K1 * (1 - B + B * self._lengths[row] / self._average)
            for name, value in question.of_passage(sorted(held), norm):
                found[name][at] = value
        return found


class _Question:
    """The pairs of a question and what each is worth."""

    def __init__(self, asked: Sequence[str], lexicon: Lexicon, holding: Mapping[Pair, int]) -> None:
        self.terms = sorted(set(asked))
        self._idf = {term: lexicon.idf(term) for term in self.terms}
        self._mass = sum(self._idf.values()) or 1.0
        # In the order of the question: sums of floats depend on it.
        self._next = dict.fromkeys(pair for pair in pairwise(asked) if pair[0] != pair[1])
        self._own = {pair: idf(lexicon.n, holding[pair]) for pair in self._next}
        self._consecutive = dict.fromkeys((min(pair), max(pair)) for pair in self._next)
        self._all = sum(
            self._lower((one, two)) for at, one in enumerate(self.terms) for two in self.terms[:at]
        )

    def _lower(self, pair: Sequence[str]) -> float:
        return min(self._idf[pair[0]], self._idf[pair[1]])

    def of_passage(
        self, held: Sequence[tuple[int, str]], norm: float
    ) -> Iterator[tuple[str, float]]:
        """Every signal of one passage, from the places where it holds the question's terms."""
        if not held:
            return
        in_order, in_any, near = _counted(held)
        ordered = {pair: n for pair, n in in_order.items() if pair in self._next}
        window = {pair: n for pair, n in in_any.items() if pair in self._consecutive}
        yield "phrase", _saturated(ordered, self._own, sum(self._own.values()), norm)
        lower = {pair: self._lower(pair) for pair in self._next}
        yield "phrase_min", _saturated(ordered, lower, sum(lower.values()), norm)
        both = {pair: self._lower(pair) for pair in self._consecutive}
        yield "window", _saturated(window, both, sum(both.values()), norm)
        yield "pairs", _saturated(near, {pair: self._lower(pair) for pair in near}, self._all, norm)
        present = sorted({term for _, term in held})
        mass = sum(self._idf[term] for term in present) / self._mass
        tight = len(present) / _shortest(held, len(present)) if len(present) > 1 else 0.0
        yield "span", mass * tight
        yield "stretch", self._best_stretch(held) / self._mass

    def _best_stretch(self, held: Sequence[tuple[int, str]]) -> float:
        best = 0.0
        inside: Counter[str] = Counter()
        mass, first = 0.0, 0
        for place, term in held:
            if not inside[term]:
                mass += self._idf[term]
            inside[term] += 1
            while place - held[first][0] >= STRETCH:
                gone = held[first][1]
                inside[gone] -= 1
                if not inside[gone]:
                    mass -= self._idf[gone]
                first += 1
            best = max(best, mass)
        return best


def _counted(
    held: Sequence[tuple[int, str]],
) -> tuple[Counter[Pair], Counter[Pair], dict[Pair, float]]:
    """How often each pair stands in order and side by side, within a window, and how near."""
    ordered: Counter[Pair] = Counter()
    window: Counter[Pair] = Counter()
    near: defaultdict[Pair, float] = defaultdict(float)
    for at, (place, term) in enumerate(held):
        for other_place, other in held[at + 1 :]:
            apart = other_place - place
            if apart > WINDOW:
                break
            if other == term or not apart:
                continue
            pair = (term, other) if term < other else (other, term)
            window[pair] += 1
            if apart == 1:
                ordered[term, other] += 1
            if apart <= NEAR:
                near[pair] += apart**-2
    return ordered, window, near


def _saturated(
    counts: Mapping[Pair, float], worth: Mapping[Pair, float], bound: float, norm: float
) -> float:
    if not bound:
        return 0.0
    return sum(worth[pair] * n / (n + norm) for pair, n in sorted(counts.items())) / bound


def _shortest(held: Sequence[tuple[int, str]], n_terms: int) -> int:
    """Terms in the shortest stretch that holds each of the terms once at least."""
    inside: Counter[str] = Counter()
    shortest, first, n_inside = held[-1][0] - held[0][0] + 1, 0, 0
    for place, term in held:
        n_inside += not inside[term]
        inside[term] += 1
        while n_inside == n_terms:
            shortest = min(shortest, place - held[first][0] + 1)
            gone = held[first][1]
            inside[gone] -= 1
            n_inside -= not inside[gone]
            first += 1
    return max(shortest, n_terms)
