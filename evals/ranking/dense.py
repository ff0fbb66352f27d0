"""Cosines of one question, or of a few passages, with every passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["alikeness", "cosines"]


def cosines(passages: FloatArray, question: FloatArray) -> FloatArray:
    """Cosine of every passage with the question, at least 0, shape (n,); rows have length 1."""
    found: FloatArray = np.clip((passages @ question).astype(np.float64), 0.0, 1.0)
    return found


def alikeness(
    passages: FloatArray, like: Sequence[int], weights: FloatArray, rows: IntArray
) -> FloatArray:
    """Weighted sum of the cosines to the passages `like`, for each of `rows`."""
    direction = weights @ passages[list(like)].astype(np.float64)
    summed: FloatArray = passages[rows].astype(np.float64) @ direction
    return summed
