"""Similarity to what is chosen already: the penalty for saying the same thing again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.composite import MILLIONTHS

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["highest_similarity", "similarities"]


_BLOCK_ROWS = 512
"""Rows compared at a time, so that the products stay in the processor's cache."""


def similarities(left: FloatArray, right: FloatArray) -> FloatArray:
    """(n, k) cosines of every row of `left` to every row of `right`, in whole millionths.

    Args:
        left: (n, d) rows of length 1, or 0 for a row without a direction.
        right: (k, d) likewise.

    An opposite direction is no more novel than a right angle: both count 0. Products are taken in
    float64: the last digits that depend on the number of BLAS threads then lie far below the
    sixth decimal.
    """
    exact = left.astype(np.float64, copy=False)
    # A matrix times itself takes half as long as two matrices that happen to be equal.
    other = exact if right is left else right.astype(np.float64, copy=False)
    return _in_millionths(exact @ other.T)


def highest_similarity(vectors: FloatArray, chosen: FloatArray) -> FloatArray:
    """(n,) each row's highest cosine to any row of `chosen`, in whole millionths; 0 for none."""
    highest = np.zeros(vectors.shape[0], dtype=np.float64)
    if chosen.size:
        for start in range(0, highest.size, _BLOCK_ROWS):
            block = vectors[start : start + _BLOCK_ROWS]
            highest[start : start + _BLOCK_ROWS] = _highest_products(block, chosen)
    return _in_millionths(highest)


def _highest_products(vectors: FloatArray, chosen: FloatArray) -> FloatArray:
    """(n,) the highest float64 product of each row with any row of `chosen`.

    Single precision finds which rows can be the nearest, double precision decides among them:
    rows of length 1 in d dimensions give products that are at most d x 2**-24 off.
    """
    rough = vectors.astype(np.float32, copy=False) @ chosen.astype(np.float32, copy=False).T
    slack = np.float32(4 * vectors.shape[1] * 2.0**-24)
    at_row = np.arange(rough.shape[0])
    nearest = rough.argmax(axis=1)
    top = rough[at_row, nearest] - slack
    rough[at_row, nearest] = -np.inf
    highest: FloatArray = np.einsum(
        "ij,ij->i", vectors, chosen[nearest], dtype=np.float64, casting="same_kind"
    )
    contested = np.flatnonzero(rough.max(axis=1) >= top)
    if contested.size:
        highest[contested] = _products(vectors[contested], chosen).max(axis=1)
    return highest


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
