"""The lowest line that stays at or above nearly all observations: a correction that is safe."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from packhorse.usage.consensus import Line, Point

__all__ = ["MAX_RISE", "allowed_over", "fit_envelope", "reserve_for"]

MAX_RISE = 64
"""Largest slope: a provider that frames a part with more tokens is not known."""


def fit_envelope(points: Iterable[Point], *, cover: float = 1.0) -> Line:
    """The line over at least a `cover` share of the points that wastes the fewest tokens.

    The slope is 0..`MAX_RISE`, the intercept 0 at least; the smaller slope wins a tie. Every slope
    is tried: for each the intercept that covers enough is known, so nothing better is missed.
    """
    weights = Counter(points)
    total = sum(weights.values())
    best: tuple[int, int, int] | None = None
    for slope in range(MAX_RISE + 1):
        rests = Counter[int]()
        for (n, tokens), weight in weights.items():
            rests[tokens - slope * n] += weight
        intercept = max(0, reserve_for(rests, cover))
        cost = intercept * total + slope * sum(n * weight for (n, _), weight in weights.items())
        if best is None or cost < best[0]:
            best = (cost, slope, intercept)
    _, slope, intercept = best if best is not None and total else (0, 0, 0)
    return Line(intercept=intercept, slope=slope)


def reserve_for(rests: Counter[int], cover: float) -> int:
    """The smallest number that is at or above a `cover` share of the values."""
    may_be_over = allowed_over(rests.total(), cover)
    for value in sorted(rests, reverse=True):
        may_be_over -= rests[value]
        if may_be_over < 0:
            return value
    return min(rests, default=0)


def allowed_over(total: int, cover: float) -> int:
    """How many of `total` may stay uncovered when a `cover` share has to be covered."""
    # Rounded first: 100 x (1 - 0.99) is 1.0000000000000009 in floating point.
    return math.floor(round(total * (1.0 - cover), 6))
