"""Small whole-number rules that most of many observations obey to the token.

A provider's framing is a sum of whole numbers: so many tokens a request, so many a message. The
differences between its counts and ours are then whole numbers on a line, with a few strays that
have other reasons. Least squares would let every stray bend the line and would answer with
fractions; the line that holds for most observations exactly is what the provider does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Line", "Point", "common_slope", "fit_line", "fit_slope", "most_common"]

Point = tuple[int, int]
"""(how many of a part a request has, tokens of difference)."""

MAX_POINTS = 250
"""Different points, the most frequent ones, that slopes are proposed from."""
MAX_SLOPES = 250
"""Slopes that are tried, those that most pairs of points propose."""
MAX_SLOPE = 10_000
MIN_OFF_BASE = 3
"""Observations away from the most frequent place that a slope other than 0 has to explain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`intercept + slope x n` tokens."""

    intercept: int
    slope: int

    def at(self, n: int) -> int:
        """Tokens for `n` of the part."""
        return self.intercept + self.slope * n


def fit_line(points: Iterable[Point]) -> Line:
    """The whole-number line that the most observations lie on exactly.

    Ties go to the smaller slope by size, then the positive one, then the larger intercept. The
    slope is 0 unless observations at two places at least speak for it.
    """
    weights = Counter(points)
    slope = common_slope({None: weights})
    return Line(intercept=most_common(_rests(weights, slope)), slope=slope)


def common_slope(groups: Mapping[Any, Mapping[Point, int]]) -> int:
    """The slope that explains most observations when each group has an intercept of its own."""
    best = (_explained(groups, 0), 0, 0, 0)
    for slope in _proposed(groups):
        explained = _explained(groups, slope)
        rank = (explained, -abs(slope), slope)
        if rank > best[:3] and _is_seen(groups, slope):
            best = (*rank, slope)
    return best[3]


def fit_slope(points: Iterable[Point]) -> int:
    """The slope of the line through the origin that the most observations lie on."""
    weights = Counter(points)
    slopes: Counter[int] = Counter()
    for (n, tokens), weight in weights.items():
        if n and tokens % n == 0:
            slopes[tokens // n] += weight
    return max(slopes, key=lambda slope: (slopes[slope], -abs(slope), slope), default=0)


def most_common(rests: Mapping[int, int]) -> int:
    """The most frequent value; of equals the larger, which is the safer."""
    return max(rests, key=lambda value: (rests[value], value), default=0)


def _proposed(groups: Mapping[Any, Mapping[Point, int]]) -> Sequence[int]:
    """Slopes between pairs of points of one group, those of the most pairs first."""
    votes: Counter[int] = Counter()
    for weights in groups.values():
        points = sorted(weights, key=lambda point: (-weights[point], point))[:MAX_POINTS]
        for place, (n, tokens) in enumerate(points):
            for other_n, other_tokens in points[place + 1 :]:
                across, up = other_n - n, other_tokens - tokens
                if across and up % across == 0 and abs(up // across) <= MAX_SLOPE:
                    votes[up // across] += 1
    return sorted(votes, key=lambda slope: (-votes[slope], abs(slope), -slope))[:MAX_SLOPES]


def _explained(groups: Mapping[Any, Mapping[Point, int]], slope: int) -> int:
    """Observations on a line of this slope, each group with its best intercept."""
    return sum(max(_rests(weights, slope).values(), default=0) for weights in groups.values())


def _is_seen(groups: Mapping[Any, Mapping[Point, int]], slope: int) -> bool:
    """Whether enough observations away from the most frequent place speak for the slope."""
    off_base = 0
    for weights in groups.values():
        rests = _rests(weights, slope)
        intercept = most_common(rests)
        at: Counter[int] = Counter()
        for (n, tokens), weight in weights.items():
            if tokens - slope * n == intercept:
                at[n] += weight
        off_base += sum(at.values()) - max(at.values(), default=0)
    return off_base >= MIN_OFF_BASE


def _rests(weights: Mapping[Point, int], slope: int) -> Mapping[int, int]:
    rests: defaultdict[int, int] = defaultdict(int)
    for (n, tokens), weight in weights.items():
        rests[tokens - slope * n] += weight
    return rests
