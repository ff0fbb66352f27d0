"""The rows that compete, in columns: what is fixed about each, and what it is worth now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.composite import MILLIONTHS, composite, marginal_value, with_coverage
from packhorse.rerank.coverage import added_coverage
from packhorse.rerank.deduplication import highest_similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import Weights
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Columns"]


class Columns:
    """m rows. Scores and what goes into them are in millionths."""

    def __init__(
        self,
        *,
        standing: FloatArray,
        vectors: FloatArray,
        strengths: FloatArray,
        sources: IntArray,
        weights: Weights,
        lambda_: float,
        keys: FloatArray | None = None,
        changing: Sequence[FloatArray] = (),
    ) -> None:
        """Takes the fixed columns.

        Args:
            standing: (m,) the part of the score that does not depend on what is chosen.
            vectors: (m, d) rows of length 1 or 0; with d = 0 nothing is similar to anything.
            strengths: (m, t) strength for each required topic, 0..1.
            sources: (m,) a number for each source, for the source cap.
            weights: shares of the signals.
            lambda_: 0..1, share of the score in the marginal value.
            keys: (m, d) as in `CandidatePool.keys`; None is the vectors.
            changing: similarity, coverage, score and value, each (m,); all 0 when left out.
        """
        self.standing = standing
        self.vectors = vectors
        self.keys: FloatArray = vectors if keys is None else keys
        """(m, d) what the vectors of other rows are multiplied with."""
        self.strengths = strengths
        self.sources = sources
        self._weights = weights
        self._lambda = lambda_
        if not changing:
            changing = tuple(np.zeros((4, standing.size), dtype=np.float64))
        self.similarity: FloatArray = changing[0]
        self.coverage: FloatArray = changing[1]
        self.score: FloatArray = changing[2]
        self.value: FloatArray = changing[3]
        self._base: FloatArray = standing
        if strengths.shape[1]:
            self._base = with_coverage(standing, self.coverage, weights)

    def __len__(self) -> int:
        return int(self.standing.size)

    def part(self, rows: IntArray) -> Columns:
        """A copy of some rows."""
        return Columns(
            standing=self.standing[rows],
            vectors=self.vectors[rows],
            keys=None if self.keys is self.vectors else self.keys[rows],
            strengths=self.strengths[rows],
            sources=self.sources[rows],
            weights=self._weights,
            lambda_=self._lambda,
            changing=tuple(
                column[rows] for column in (self.similarity, self.coverage, self.score, self.value)
            ),
        )

    def put(self, rows: IntArray, part: Columns, places: IntArray | slice = slice(None)) -> None:
        """Writes the columns that change back from `places` of a part to `rows`."""
        self.similarity[rows] = part.similarity[places]
        self.coverage[rows] = part.coverage[places]
        self.score[rows] = part.score[places]
        self.value[rows] = part.value[places]

    def measure(self, rows: IntArray, chosen: FloatArray, covered: FloatArray) -> None:
        """Brings `rows` up to date, against `chosen` directions (k, d) and `covered` topics."""
        if not rows.size:
            return
        self.similarity[rows] = highest_similarity(self.vectors[rows], chosen)
        part = self.part(rows)
        part.revalue(covered)
        self.put(rows, part)

    def revalue(self, covered: FloatArray | None) -> None:
        """Brings score and value up to date with `similarity` and, unless None, what is covered."""
        if covered is not None and covered.size:
            self.coverage = np.rint(added_coverage(self.strengths, covered) * MILLIONTHS)
            self._base = with_coverage(self.standing, self.coverage, self._weights)
        self.score = composite(self._base, self.similarity, self._weights)
        self.value = marginal_value(self.score, self.similarity, self._lambda)

    def values_at(self, similarity: FloatArray) -> FloatArray:
        """(k, m) what each row would be worth at each of k similarities of its own, (k, m)."""
        score = composite(self._base, similarity, self._weights)
        return marginal_value(score, similarity, self._lambda)
