"""The composite score: five signals, one number.

    score = w.relevance * relevance + w.trust * trust + w.freshness * freshness
          + w.coverage * coverage + w.deduplication * similarity

Signals and scores are carried in millionths (floats that hold whole numbers), so that every
comparison is one of six decimals and nothing is left to the last bits of a product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.config import Weights
    from packhorse.types.arrays import FloatArray

__all__ = [
    "MILLIONTHS",
    "composite",
    "from_millionths",
    "marginal_value",
    "standing",
    "with_coverage",
]

MILLIONTHS = 1e6
"""Units a whole: scores of six decimals are whole numbers of it."""


def from_millionths(units: FloatArray) -> FloatArray:
    """The six-decimal numbers that `units` stand for."""
    whole: FloatArray = np.rint(units) / MILLIONTHS
    return whole


def standing(
    relevance: FloatArray, trust: FloatArray, freshness: FloatArray, weights: Weights
) -> FloatArray:
    """(n,) the part of the score that does not depend on what is chosen, in millionths.

    An unscored row (relevance NaN) gets nothing for relevance: it can be packed only when it is
    required, and then it needs a place.
    """
    known = np.where(np.isnan(relevance), 0.0, relevance)
    share: FloatArray = (
        weights.relevance * known + weights.trust * trust + weights.freshness * freshness
    )
    share *= MILLIONTHS
    return share


def with_coverage(standing: FloatArray, coverage: FloatArray, weights: Weights) -> FloatArray:
    """(n,) `standing` and what the added coverage is worth; all in millionths."""
    base: FloatArray = standing + weights.coverage * coverage
    return base


def composite(base: FloatArray, similarity: FloatArray, weights: Weights) -> FloatArray:
    """(n,) composite scores in whole millionths, from `with_coverage` and similarity.

    `weights.deduplication` is 0 or below, so the score never rises while more is chosen.
    """
    total: FloatArray = weights.deduplication * similarity
    total += base
    return np.rint(total, out=total)


def marginal_value(score: FloatArray, similarity: FloatArray, lambda_: float) -> FloatArray:
    """(n,) what each row is worth next, in whole millionths.

    lambda * score - (1 - lambda) * highest similarity to what is chosen (Carbonell and Goldstein,
    1998, with the composite score in the place of relevance): 1.0 is the score alone, 0.0
    diversity alone.
    """
    value: FloatArray = lambda_ * score
    value -= (1.0 - lambda_) * similarity
    return np.rint(value, out=value)
