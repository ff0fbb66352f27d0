"""Differences between reported and counted tokens, summed up line by line."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

__all__ = ["MAX_WORST", "Tally", "Worst"]

MAX_WORST = 5


@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """A line with a large difference; sorts with the largest last, of equals the earliest last."""

    size: int
    place: tuple[int, int]
    """Negative numbers of its file and line."""
    difference: int

    @property
    def line(self) -> int:
        """1-based line in its file."""
        return -self.place[1]

    @property
    def file(self) -> int:
        """0-based number of its file among those that were read."""
        return -self.place[0]


@dataclass(slots=True)
class Tally:
    """Running figures over `reported - counted`, in tokens. Mutable; bounded."""

    n: int = 0
    n_exact: int = 0
    n_under: int = 0
    """Counts that are below what was reported."""
    sum: int = 0
    sum_reported: int = 0
    low: int = 0
    high: int = 0
    _worst: list[Worst] = field(default_factory=list)

    def add(self, reported: int, counted: int, file: int, line: int) -> None:
        """Takes one request."""
        difference = reported - counted
        self.low = min(self.low, difference) if self.n else difference
        self.high = max(self.high, difference) if self.n else difference
        self.n += 1
        self.n_exact += difference == 0
        self.n_under += difference > 0
        self.sum += difference
        self.sum_reported += reported
        if difference:
            worst = Worst(abs(difference), (-file, -line), difference)
            if len(self._worst) < MAX_WORST:
                heapq.heappush(self._worst, worst)
            else:
                heapq.heappushpop(self._worst, worst)

    @property
    def mean(self) -> float:
        """Mean difference in tokens."""
        return self.sum / self.n if self.n else 0.0

    @property
    def share(self) -> float:
        """Sum of the differences over the sum of what was reported."""
        return self.sum / self.sum_reported if self.sum_reported else 0.0

    @property
    def exact(self) -> float:
        """Share of requests that were counted to the token, 0..1."""
        return self.n_exact / self.n if self.n else 0.0

    @property
    def worst(self) -> list[Worst]:
        """The largest differences, largest first, earliest line first among equals."""
        return sorted(self._worst, reverse=True)
