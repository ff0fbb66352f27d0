"""How a figure is spread over many packets, in memory that does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["EDGES_OF_SHARES", "Bar", "Distribution", "Tally"]

_SHARE_STEPS = 10_000
"""Shares are told apart to a hundredth of a percent."""

_EXACT = 1_000
"""Whole numbers are told apart up to here, and to three digits above."""

EDGES_OF_SHARES = tuple(edge / 10 for edge in range(11))

_BAR_COUNTS = (0, 1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a histogram: values from `low` to below `high`."""

    low: float
    high: float | None
    """None is no limit; the last bar of shares holds 1.0 too."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The spread of one figure.

    A quantile is the smallest value that at least this share of the packets does not exceed
    (inverse of the empirical distribution function), so it is a value that some packet has.
    """

    n: int
    min: float
    p25: float
    median: float
    p75: float
    p95: float
    max: float
    mean: float
    """Six decimals."""
    histogram: tuple[Bar, ...]


class Tally:
    """Counts values; the order of adding them never matters.

    Args:
        is_share: values are 0..1 and kept to four decimals; otherwise they are whole numbers of 0
            or more, kept exactly up to 1,000 and to three digits above.
    """

    def __init__(self, *, is_share: bool) -> None:
        self._is_share = is_share
        self._counts: Counter[int] = Counter()
        self._sum = 0

    def add(self, value: float) -> None:
        """Counts one value."""
        if self._is_share:
            self._counts[round(value * _SHARE_STEPS)] += 1
            self._sum += round(value * 1_000_000)
        else:
            self._counts[_three_digits(int(value))] += 1
            self._sum += int(value)

    def distribution(self) -> Distribution | None:
        """The spread of what was added; None for nothing."""
        n = self._counts.total()
        if not n:
            return None
        values = sorted(self._counts.items())
        scale = _SHARE_STEPS if self._is_share else 1
        least, p25, median, p75, p95, most = (
            _quantile(values, n, percent) / scale for percent in (0, 25, 50, 75, 95, 100)
        )
        return Distribution(
            n=n,
            min=least,
            p25=p25,
            median=median,
            p75=p75,
            p95=p95,
            max=most,
            mean=round(self._sum / n / (1_000_000 if self._is_share else 1), 6),
            histogram=tuple(self._bars(values, scale)),
        )

    def _bars(self, values: Sequence[tuple[int, int]], scale: int) -> Iterator[Bar]:
        edges = EDGES_OF_SHARES[:-1] if self._is_share else _BAR_COUNTS
        lows = [round(edge * scale) for edge in edges]
        for at, low in enumerate(lows):
            high = lows[at + 1] if at + 1 < len(lows) else None
            count = sum(n for value, n in values if value >= low and (high is None or value < high))
            shown = (1.0 if self._is_share else None) if high is None else high / scale
            yield Bar(low=low / scale, high=shown, count=count)


def _quantile(values: Sequence[tuple[int, int]], n: int, percent: int) -> int:
    place = max(1, -(-n * percent // 100))
    for value, count in values:
        place -= count
        if place <= 0:
            return value
    return values[-1][0]


def _three_digits(value: int) -> int:
    if value <= _EXACT:
        return value
    step: int = 10 ** (len(str(value)) - 3)
    return round(value / step) * step
