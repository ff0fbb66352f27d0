"""Similarity to what is chosen already: the penalty for saying the same thing again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.composite import MILLIONTHS

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["highest_similarity", "similarities"]


_BLOCK_ROWS = 512
"""Rows turned into float64 at a time, so that the copy stays in the processor's cache."""


def similarities(left: FloatArray, right: FloatArray) -> FloatArray:
    """(n, k) cosines of every row of `left` to every row of `right`, in whole millionths.

    Args:
        left: (n, d) rows of length 1, or 0 for a row without a direction.
        right: (k, d) likewise.

    An opposite direction is no more novel than a right angle: both count 0. Products are taken in
    float64: the last digits that depend on the number of BLAS threads then lie far below the
    sixth decimal.
    """
    return _in_millionths(_products(left, right))


def highest_similarity(vectors: FloatArray, chosen: FloatArray) -> FloatArray:
    """(n,) each row's highest cosine to any row of `chosen`, in whole millionths; 0 for none."""
    highest = np.zeros(vectors.shape[0], dtype=np.float64)
    if chosen.size:
        for start in range(0, highest.size, _BLOCK_ROWS):
            block = vectors[start : start + _BLOCK_ROWS]
            # Rounding keeps order, so the highest can be found first and rounded alone.
            highest[start : start + _BLOCK_ROWS] = _products(block, chosen).max(axis=1)
    return _in_millionths(highest)


def _products(left: FloatArray, right: FloatArray) -> FloatArray:
    products: FloatArray = (
        left.astype(np.float64, copy=False) @ right.astype(np.float64, copy=False).T
    )
    return products


def _in_millionths(cosines: FloatArray) -> FloatArray:
    np.maximum(cosines, 0.0, out=cosines)
    np.minimum(cosines, 1.0, out=cosines)
    cosines *= MILLIONTHS
    return np.rint(cosines, out=cosines)
