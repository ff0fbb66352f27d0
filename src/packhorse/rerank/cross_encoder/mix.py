"""Relevance out of two words: retrieval's about all candidates, a reranker's about the best.

    judged      weight x probability + (1 - weight) x relevance of retrieval, where a weight above
                0.999 counts as 0.999: what was judged the same keeps retrieval's order
    not judged  relevance of retrieval, times the factor that puts the best of them level with the
                lowest of the judged; the factor is 1 where none of them is above that already

What was not judged was below what was in the order of retrieval, and stays below it: a passage is
not to win because nobody looked at it closely. All of them are scaled, and none is cut, so that
their own order stays as far as six decimals tell them apart: below a judged one of nearly 0 they
are nearly equal. Everything is in 0..1, so that weights and thresholds go on to hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["mixed"]

_MOST_OF_THE_RERANKER = 0.999


def mixed(
    relevance: FloatArray, scores: Mapping[int, float], beside: Sequence[int], weight: float
) -> FloatArray:
    """(n,) relevance in 0..1, six decimals; NaN stays NaN.

    Args:
        relevance: (n,) of retrieval, 0..1; NaN is unscored.
        scores: row -> the reranker's probability, 0..1.
        beside: rows that may be packed and were not judged. All others stay as they are.
        weight: the reranker's share, 0..1.
    """
    new: FloatArray = np.asarray(relevance, dtype=np.float64).copy()
    if not scores:
        return new
    rows = np.array(sorted(scores), dtype=np.int64)
    said = np.array([scores[row] for row in sorted(scores)])
    known = np.where(np.isfinite(new[rows]), new[rows], 0.0)
    weight = min(weight, _MOST_OF_THE_RERANKER)
    new[rows] = np.round(weight * said + (1.0 - weight) * known, 6)
    lowest = float(new[rows].min())
    others = np.array([row for row in beside if np.isfinite(new[row])], dtype=np.int64)
    highest = float(new[others].max()) if others.size else 0.0
    if highest > lowest:
        new[others] = np.round(new[others] * (lowest / highest), 6)
    return new
