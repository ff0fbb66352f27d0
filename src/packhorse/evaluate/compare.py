"""Whether one configuration is better than another: the paired bootstrap.

Both answered the same questions, so the differences question by question are what is resampled:
n questions are drawn with replacement, 2,000 times, and the middle 95 % of the mean differences
are the interval. Efron and Tibshirani, "An Introduction to the Bootstrap" (1993); for retrieval
Sakai, "Evaluating Evaluation Metrics based on the Bootstrap" (2006). An interval that holds 0
says that these questions do not tell the two apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Difference", "paired_difference"]

DRAWS = 2000
SEED = 20060701

_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean difference with its 95 % interval."""

    mean: float
    """Of `other - base`, over the questions that both have."""
    low: float
    high: float
    n: int
    """Questions compared."""
    higher: int
    """Questions where the other one is above the base."""
    lower: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


def paired_difference(base: FloatArray, other: FloatArray) -> Difference | None:
    """How far `other` is above `base`, question by question; None without a question in both.

    Seeded: the same numbers give the same interval. Ends are interpolated percentiles.

    Args:
        base: (n,) one value a question; NaN is left out.
        other: (n,) for the same questions.
    """
    differences = np.round(other - base, 2 * _DECIMALS)
    differences = differences[~np.isnan(differences)]
    if not differences.size:
        return None
    means = differences[_draws(differences.size)].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(
        mean=round(float(differences.mean()), _DECIMALS),
        low=round(float(low), _DECIMALS),
        high=round(float(high), _DECIMALS),
        n=int(differences.size),
        higher=int((differences > 0).sum()),
        lower=int((differences < 0).sum()),
    )


@lru_cache(maxsize=4)
def _draws(n: int) -> IntArray:
    """(2000, n) places, the same for the same `n`."""
    drawn: IntArray = np.random.Generator(np.random.PCG64(SEED)).integers(0, n, size=(DRAWS, n))
    return drawn
