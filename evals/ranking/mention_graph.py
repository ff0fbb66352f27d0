"""Which passage mentions which other passage's name, and how relevance flows along mentions.

A question about two things is often answered by a passage that shares no word with it, but that is
mentioned where the question points. So the best few passages hand some of their relevance to what
they mention, twice over.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evals.ranking.names import NameTable, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from evals.ranking.lexical import Lexicon
    from evals.ranking.names import Mention
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Edges", "MentionGraph", "flow"]

SEEDS = 4
"""Passages that hand on relevance."""
PASSES = 2

_COMMON_SHARE = 0.05
"""A name mentioned in this share of the passages says nothing."""
_RARE_WORD = 0.6
"""A name needs a word of this share of the highest idf to count in full."""
_UNMARKED = 0.4
"""What is left of a name of one word without a capital."""
_CROWD = 0.3
"""A passage with n names gives each of them n ** -0.3."""
_NEAR_SHARE = 0.4
"""How much of a mention depends on standing near words of the question."""
_NEAR_WORDS = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Mentions between rows: `targets[i]` is named in `sources[i]`."""

    sources: IntArray
    targets: IntArray
    strengths: FloatArray
    """0..1."""


@dataclass(frozen=True, slots=True)
class _Reference:
    """One name in one passage, wherever it stands there."""

    called: tuple[tuple[int, float], ...]
    weight: float
    places: tuple[int, ...]
    n_words: int


class MentionGraph:
    """The mentions between the passages of a set.

    Args:
        titles: of every row.
        texts: of every row, without the title.
        lexicon: says how rare a word is.
    """

    def __init__(self, titles: Sequence[str], texts: Sequence[str], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._names = NameTable(titles, texts)
        words = [words_of(text) for text in texts]
        self._terms = [tuple(word.term for word in each) for each in words]
        mentions = [list(self._names.mentions(each)) for each in words]
        self._n_mentioning = Counter(
            key for each in mentions for key in {mention.key for mention in each}
        )
        self._references = [self._referenced(each, row) for row, each in enumerate(mentions)]

    def named(self, question: str) -> dict[int, float]:
        """Row -> how surely the question names it, 0..1; only rows above 0."""
        found: dict[int, float] = {}
        for reference in self._referenced(self._names.mentions(words_of(question)), None):
            for row, weight in reference.called:
                found[row] = max(found.get(row, 0.0), reference.weight * weight)
        return found

    def mentioned(self, row: int) -> set[int]:
        """Rows that a row mentions."""
        return {target for each in self._references[row] for target, _ in each.called}

    def strengths(self, row: int, asked: Collection[str]) -> dict[int, float]:
        """Row that is mentioned -> how strongly, 0..1.

        Args:
            row: of the passage that mentions.
            asked: terms of the question that are not in the passage's own title.
        """
        references = self._references[row]
        if not references:
            return {}
        nearness = self._nearness(row, references, asked)
        found: dict[int, float] = {}
        for reference, near in zip(references, nearness, strict=True):
            strength = reference.weight * len(references) ** -_CROWD
            strength *= 1 - _NEAR_SHARE + _NEAR_SHARE * near
            for target, weight in reference.called:
                found[target] = max(found.get(target, 0.0), strength * weight)
        return found

    def _referenced(self, mentions: Iterable[Mention], row: int | None) -> list[_Reference]:
        """Mentions by name, in the order of the first; none of the passage's own names."""
        by_name: dict[tuple[tuple[str, ...], tuple[tuple[int, float], ...]], list[int]] = {}
        marked: dict[tuple[str, ...], bool] = {}
        for mention in mentions:
            if any(target == row for target, _ in mention.called):
                continue
            by_name.setdefault((mention.key, mention.called), []).append(mention.at)
            marked[mention.key] = marked.get(mention.key, False) or mention.capital
        found = []
        for (key, called), places in by_name.items():
            weight = self._rarity(key) / math.sqrt(len(called))
            if len(key) == 1 and not marked[key]:
                weight *= _UNMARKED
            if weight > 0:
                found.append(_Reference(called, weight, tuple(places), len(key)))
        return found

    def _rarity(self, key: tuple[str, ...]) -> float:
        """0..1: how much a name says, by how many passages hold it and by its rarest word."""
        n = self._lexicon.n
        common = max(3.0, n * _COMMON_SHARE)
        held = 1 - math.log(max(1, self._n_mentioning[key])) / math.log(common)
        rarest = max(self._lexicon.idf(term) for term in key) / math.log(max(n, 2))
        return max(0.0, held) * min(1.0, rarest / _RARE_WORD)

    def _nearness(
        self, row: int, references: Sequence[_Reference], asked: Collection[str]
    ) -> list[float]:
        """0..1 for each reference, 1 for the nearest to words of the question.

            near(m) = sum over asked terms t in the passage of  idf(t) * exp(-distance(m, t) / 8)

        over the highest in the passage; 1 for all where the passage holds no asked term.
        """
        places: dict[str, list[int]] = {}
        for at, term in enumerate(self._terms[row]):
            if term in asked:
                places.setdefault(term, []).append(at)
        if not places:
            return [1.0] * len(references)
        near = [
            sum(
                self._lexicon.idf(term) * math.exp(-_distance(reference, held) / _NEAR_WORDS)
                for term, held in sorted(places.items())
            )
            for reference in references
        ]
        most = max(near)
        return [each / most for each in near]


def _distance(reference: _Reference, held: Sequence[int]) -> int:
    """Words between a name, wherever it stands, and the nearest of some places."""
    return min(
        min(abs(at - place), abs(at - (place + reference.n_words - 1)))
        for place in reference.places
        for at in held
    )


def flow(first: FloatArray, edges: Edges, weight: float) -> FloatArray:
    """What mentions add to each row's relevance before `weight`, shape (n,), 0..1.

    In each of two passes the four best rows hand on to every row that they mention

        strength of the mention * relevance / highest relevance

    of which a row keeps the most, not the sum. The second pass starts from the relevance that the
    first came to. Ties by row.
    """
    added = np.zeros(len(first))
    if weight <= 0 or not len(edges.sources):
        return added
    current = first
    for _ in range(PASSES):
        best = np.argsort(-np.round(current, 6), kind="stable")[:SEEDS]
        highest = current[best[0]]
        if highest <= 0:
            return added
        seed = np.zeros(len(first))
        seed[best] = np.maximum(current[best], 0.0) / highest
        added = np.zeros(len(first))
        np.maximum.at(added, edges.targets, seed[edges.sources] * edges.strengths)
        current = first + weight * added
    return added
