"""The search: single changes first, then those that help stacked, then one pass more.

Greedy and without chance: it looks at every single change from the base, stacks the best option of
each axis in the order of what it gained alone, keeping what helps, and then tries every other
option at the place it has reached. What was measured is remembered, so that searches over folds of
the same questions share their measurements.

What it hands back is not the best point but the nearest to the base that cannot be told from it:
of many points that are tried, the best is always partly luck. That is the one-standard-error rule
of Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees" (1984), with the
error of the paired difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.evaluate.tuning.space import Axis, Point
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Chosen", "Search"]

Scores = Callable[["Point"], "FloatArray"]
"""(n, budgets) of a point, 0..1, for every question."""

_WORTH_MOVING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a search over some questions came to."""

    point: Point
    """The nearest to the base that is within one standard error of the best."""
    best: Point
    gain: float
    """Mean of `point` less that of the base, on the questions that were searched."""
    best_gain: float
    tried: int
    """Points that were looked at, the base among them."""


class Search:
    """Looks for better settings on some of the questions.

    Args:
        scores: measures a point on all questions; asked once a point.
        axes: what can be changed.
        evaluations: most points that one search looks at, the base among them.
        advance: is called for each point that a search looks at.
    """

    def __init__(
        self,
        scores: Scores,
        axes: Sequence[Axis],
        *,
        evaluations: int,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        self._scores = scores
        self._axes = axes
        self._evaluations = evaluations
        self._advance = advance
        self._known: dict[Point, FloatArray] = {}

    @property
    def n_measured(self) -> int:
        """Points that were measured, by all searches together."""
        return len(self._known)

    def of(self, point: Point) -> FloatArray:
        """(n, budgets) of a point, measured now or remembered."""
        if point not in self._known:
            self._known[point] = self._scores(point)
        return self._known[point]

    def on(self, rows: IntArray) -> Chosen:
        """Searches on the questions `rows` alone."""
        walk = _Walk(self, rows, self._evaluations, self._advance)
        walk.sweep(self._axes)
        best = walk.best()
        point = _nearest_equal(walk, best, self._axes)
        return Chosen(
            point=point,
            best=best,
            gain=round(walk.values[point] - walk.values[()], 6),
            best_gain=round(walk.values[best] - walk.values[()], 6),
            tried=len(walk.values),
        )


class _Walk:
    """One search: which points it looked at, and their means."""

    def __init__(
        self, search: Search, rows: IntArray, evaluations: int, advance: Callable[[], None]
    ) -> None:
        self._search, self._rows = search, rows
        self._evaluations, self._advance = evaluations, advance
        self.values: dict[Point, float] = {}
        self.value(())

    def value(self, point: Point) -> float:
        """Mean over questions and budgets; minus infinity once enough points were looked at."""
        if point not in self.values:
            if len(self.values) >= self._evaluations:
                return -math.inf
            self.values[point] = float(self.each(point).mean())
            self._advance()
        return self.values[point]

    def each(self, point: Point) -> FloatArray:
        """(rows,) mean over budgets."""
        means: FloatArray = self._search.of(point)[self._rows].mean(axis=1)
        return means

    def sweep(self, axes: Sequence[Axis]) -> None:
        """Single changes, the good ones stacked, and every option once more from there."""
        single = {
            axis.name: [(self.value(option), option) for option in axis.options] for axis in axes
        }
        here: Point = ()
        by_gain = sorted(axes, key=lambda axis: (-max(v for v, _ in single[axis.name]), axis.name))
        for axis in by_gain:
            value, option = max(single[axis.name], key=lambda pair: pair[0])
            if value > self.values[()] + _WORTH_MOVING:
                here = self._better(here, moved(here, axis, option))
        for axis in by_gain:
            for option in ((), *axis.options):
                here = self._better(here, moved(here, axis, option))

    def best(self) -> Point:
        """The highest mean; ties by fewer settings, then by their names and values."""
        return min(
            self.values, key=lambda point: (-round(self.values[point], 9), len(point), repr(point))
        )

    def _better(self, here: Point, there: Point) -> Point:
        return there if self.value(there) > self.value(here) + _WORTH_MOVING else here


def moved(point: Point, axis: Axis, option: Point) -> Point:
    """The point with one axis at another option; `()` puts it back to the base."""
    own = {key for each in axis.options for key, _ in each}
    kept = [(key, value) for key, value in point if key not in own]
    return tuple(sorted([*kept, *option], key=lambda pair: pair[0]))


def _nearest_equal(walk: _Walk, best: Point, axes: Sequence[Axis]) -> Point:
    """Of the points within one standard error of the best, the one with the fewest axes moved.

    Ties by the higher mean, then by name. The error is that of the difference to the best, question
    by question.
    """
    at_best = walk.each(best)
    near = []
    for point, value in walk.values.items():
        behind = at_best - walk.each(point)
        error = float(behind.std(ddof=1)) / math.sqrt(behind.size) if behind.size > 1 else math.inf
        if behind.mean() <= error + _WORTH_MOVING:
            near.append((_n_moved(point, axes), -round(value, 9), repr(point), point))
    return min(near)[3]


def _n_moved(point: Point, axes: Sequence[Axis]) -> int:
    keys = {key for key, _ in point}
    return sum(1 for axis in axes if keys & {key for option in axis.options for key, _ in option})
