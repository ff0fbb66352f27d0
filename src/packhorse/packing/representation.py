"""How well a set of chunks speaks for all that was found: coverage, and diversity of sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from packhorse.packing.bound import MILLIONTHS
from packhorse.packing.worth import worths

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.ranking import Ranking

__all__ = ["MAX_REPRESENTED", "Representation"]

MAX_REPRESENTED = 1_024
"""Candidates, best ranked first, that a set has to speak for."""

_BLOCK = 128
"""Chunks compared with all of them at a time."""


class Representation:
    """What a growing set S is worth: monotone and submodular, 0 for the empty set.

        sum over candidates i of  worth_i x max(similarity(i, j) for j in S)
        + sum over sources k of  sqrt(sum of worth_j for j in S from k)

    The first sum is facility location, weighted by what each candidate is worth (see `worths`): a
    chunk gains by being like good candidates that nothing in S is like yet. The second is the
    diversity reward of Lin and Bilmes (2011): the first chunk of a source gains more than its
    second.
    Similarity is the cosine of the vectors, negative ones 0; a chunk is like itself by 1, and
    without vectors it is like nothing else.

    Worth and similarities are whole millionths, so the first sum is exact and depends on no
    order.
    """

    def __init__(
        self,
        weights: FloatArray,
        place_of: dict[int, int],
        vectors: FloatArray | None,
        worth: IntArray,
        sources: Sequence[str],
        *,
        keys: FloatArray | None,
    ) -> None:
        self._weights = weights
        self._place_of = place_of
        self._keys = keys
        self._represented = None if vectors is None else vectors[list(place_of)].astype(np.float64)
        self._worths = worth
        self._sources = sources
        self._nearest: FloatArray = np.zeros(weights.size, dtype=np.float64)
        self._per_source: dict[str, int] = {}

    @classmethod
    def of(cls, ranking: Ranking) -> Self:
        """The empty set over a ranking's candidates."""
        represented = ranking.order[:MAX_REPRESENTED]
        worth = worths(ranking)
        return cls(
            worth[list(represented)].astype(np.float64),
            {row: place for place, row in enumerate(represented)},
            ranking.pool.vectors,
            worth,
            [chunk.source_id for chunk in ranking.pool.chunks],
            keys=ranking.pool.vectors if ranking.pool.keys is None else ranking.pool.keys,
        )

    def copy(self) -> Representation:
        """The same set, to grow apart from this one."""
        copy = Representation(
            self._weights, self._place_of, None, self._worths, self._sources, keys=self._keys
        )
        copy._represented = self._represented
        copy._nearest = self._nearest.copy()
        copy._per_source = dict(self._per_source)
        return copy

    @property
    def worth(self) -> float:
        """Of the set as it is."""
        covered = float((self._weights * self._nearest).sum()) / MILLIONTHS**2
        roots = (math.sqrt(total / MILLIONTHS) for _, total in sorted(self._per_source.items()))
        return covered + math.fsum(roots)

    def add(self, rows: Iterable[int]) -> None:
        """Puts rows into the set."""
        group = tuple(rows)
        if not group:
            return
        np.maximum(self._nearest, self._similar(group).max(axis=1), out=self._nearest)
        for row in group:
            source = self._sources[row]
            self._per_source[source] = self._per_source.get(source, 0) + int(self._worths[row])

    def gain(self, rows: Sequence[int]) -> float:
        """What the set would be worth more with these rows."""
        return float(self.gains([rows])[0])

    def gains(self, groups: Sequence[Sequence[int]]) -> FloatArray:
        """(k,) what the set would be worth more with each of k groups of rows."""
        found = np.zeros(len(groups), dtype=np.float64)
        for start in range(0, len(groups), _BLOCK):
            block = groups[start : start + _BLOCK]
            starts = np.cumsum([0, *(len(group) for group in block[:-1])])
            similar = self._similar([row for group in block for row in group])
            nearest = np.maximum.reduceat(similar, starts, axis=1)
            np.maximum(nearest, self._nearest[:, None], out=nearest)
            nearest -= self._nearest[:, None]
            found[start : start + len(block)] = self._weights @ nearest
        found /= MILLIONTHS**2
        return found + np.array([self._diversity(group) for group in groups], dtype=np.float64)

    def _diversity(self, rows: Sequence[int]) -> float:
        added: dict[str, int] = {}
        for row in rows:
            added[self._sources[row]] = added.get(self._sources[row], 0) + int(self._worths[row])
        return math.fsum(
            math.sqrt((self._per_source.get(source, 0) + more) / MILLIONTHS)
            - math.sqrt(self._per_source.get(source, 0) / MILLIONTHS)
            for source, more in sorted(added.items())
        )

    def _similar(self, rows: Sequence[int]) -> FloatArray:
        """(m, k) similarity of what is represented to each of k rows, in whole millionths."""
        similar = np.zeros((self._weights.size, len(rows)), dtype=np.float64)
        if self._represented is not None and self._keys is not None:
            similar = self._represented @ self._keys[list(rows)].astype(np.float64).T
            np.clip(similar, 0.0, 1.0, out=similar)
            similar *= MILLIONTHS
            np.rint(similar, out=similar)
        for column, row in enumerate(rows):
            place = self._place_of.get(row)
            if place is not None:
                similar[place, column] = MILLIONTHS
        return similar
