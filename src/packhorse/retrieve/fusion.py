"""Mixing the two channels on their declared scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["channel_shares", "fused", "lexical_share"]


def lexical_share(scores: FloatArray, ideal: float) -> FloatArray:
    """BM25 as a share of what the query could reach at most, 0..1; 0 where the ideal is 0.

    The ideal counts query terms that the corpus does not know, so a query about something else
    stays low however well it does by the corpus's own standards.
    """
    if ideal <= 0:
        return np.zeros(len(scores))
    return _share(np.asarray(scores, dtype=np.float64) / ideal)


def fused(
    lexical: FloatArray, dense: FloatArray | None, lexical_weight: float, dense_weight: float
) -> FloatArray:
    """Weighted mean of two channels that are both in 0..1.

    Without a dense channel the lexical one stands alone, whatever its weight. What is not finite
    in either channel is NaN in the mean.
    """
    if dense is None:
        return lexical
    total = lexical_weight + dense_weight
    mixed: FloatArray = (lexical_weight * lexical + dense_weight * _share(dense)) / total
    return mixed


def channel_shares(
    lexical: FloatArray, dense: FloatArray | None, lexical_weight: float, dense_weight: float
) -> tuple[FloatArray, FloatArray]:
    """What each channel adds to the mean: the summands of `fused`."""
    if dense is None:
        return lexical, np.zeros(len(lexical))
    total = lexical_weight + dense_weight
    return lexical_weight * lexical / total, dense_weight * _share(dense) / total


def _share(values: FloatArray) -> FloatArray:
    """Values cut to 0..1; an infinite one is no score, and NaN like one that is missing."""
    share: FloatArray = np.where(np.isfinite(values), np.clip(values, 0.0, 1.0), np.nan)
    return share
