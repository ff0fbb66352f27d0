"""Exact search by direction: cosine of unit vectors, every row looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["DenseIndex"]

_SINGLE_PRECISION_SLACK = 1e-5


class DenseIndex:
    """Searches unit vectors, (n, d) float32, in memory or mapped from a file.

    A first pass in single precision finds what may be among the best; that is scored again in
    float64, so that no result depends on how a BLAS splits its sums. Rows of zeros have no
    direction and are never found. O(n d).
    """

    def __init__(self, vectors: FloatArray) -> None:
        self.vectors = vectors

    def search(self, vector: FloatArray, limit: int) -> tuple[IntArray, FloatArray]:
        """Rows that may be among the best `limit`, in no order, and their float64 cosines.

        Raises:
            InputError: the vector is of another length than the rows.
        """
        direction = np.asarray(vector, dtype=np.float64)
        length = float(np.sqrt((direction * direction).sum()))
        n = len(self.vectors)
        if not n or not limit or not length or not np.isfinite(length):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        if len(direction) != self.vectors.shape[1]:
            raise InputError(
                f"The question's vector has {len(direction)} numbers, those of the knowledge base"
                f" have {self.vectors.shape[1]}",
                hint="Both have to come from the same embedder; see `packhorse index --embedder`",
            )
        direction = direction / length
        # Row by row: a threaded product of so thin a matrix waits longer than it works.
        rough = np.vecdot(self.vectors, direction.astype(np.float32))
        # A row of zeros scores exactly 0; it must not keep a row that points away out of the cut.
        blank = np.flatnonzero(rough == 0)
        rough[blank[~self.vectors[blank].any(axis=1)]] = -np.inf
        if limit < n:
            cut = np.partition(rough, n - limit)[n - limit] - _SINGLE_PRECISION_SLACK
            rows = np.flatnonzero(rough >= cut)
        else:
            rows = np.arange(n)
        exact = self.vectors[rows].astype(np.float64)
        directed = exact.any(axis=1)
        if not directed.all():
            rows, exact = rows[directed], exact[directed]
        return rows, (exact * direction).sum(axis=1)
