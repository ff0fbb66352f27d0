"""The integer program behind the best set, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.packing.selection import Selection
    from packhorse.types.arrays import IntArray

__all__ = ["Program", "Row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Sum of weight x unit over some units, at most `most`."""

    places: tuple[int, ...]
    weights: tuple[int, ...]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program:
    """Take or leave each of m units: first as many topics as possible, then the highest value."""

    numbers: tuple[int, ...]
    """Which units of the selection they are."""
    values: IntArray
    """(m,) millionths."""
    tokens: IntArray
    """(m,)"""
    rows: tuple[Row, ...]
    """The budget, the source caps and the exclusive pairs."""
    topics: tuple[tuple[int, ...], ...]
    """For each topic that is still open: the units that bring it."""

    @staticmethod
    def of(selection: Selection) -> Program:
        """The program of what can still come in and is worth something, or brings a topic."""
        open_topics = selection.offered & ~selection.covered
        numbers = [
            number
            for number in selection.open_units()
            if selection.units[number].value or selection.units[number].topics & open_topics
        ]
        units = [selection.units[number] for number in numbers]
        tokens = [unit.cost for unit in units]
        rows = [Row(places=tuple(range(len(units))), weights=tuple(tokens), most=selection.room)]
        cap = selection.constraints.max_per_source
        if cap is not None:
            by_source: dict[str, list[tuple[int, int]]] = {}
            for place, unit in enumerate(units):
                for source, count in unit.sources:
                    by_source.setdefault(source, []).append((place, count))
            for source, held in sorted(by_source.items()):
                places, weights = zip(*held, strict=True)
                most = cap - selection.per_source.get(source, 0)
                rows.append(Row(places=places, weights=weights, most=most))
        holder = {row: place for place, unit in enumerate(units) for row in unit.rows}
        pairs = {
            (min(place, holder[rival]), max(place, holder[rival]))
            for place, unit in enumerate(units)
            for rival in unit.rivals
            if rival in holder
        }
        rows += [Row(places=pair, weights=(1, 1), most=1) for pair in sorted(pairs)]
        topics = [
            tuple(place for place, unit in enumerate(units) if unit.topics >> bit & 1)
            for bit in range(open_topics.bit_length())
            if open_topics >> bit & 1
        ]
        return Program(
            numbers=tuple(numbers),
            values=np.array([unit.value for unit in units], dtype=np.int64),
            tokens=np.array(tokens, dtype=np.int64),
            rows=tuple(rows),
            topics=tuple(places for places in topics if places),
        )

    @property
    def is_knapsack(self) -> bool:
        """Whether the budget is all there is to keep."""
        return len(self.rows) == 1 and not self.topics

    def is_satisfied_by(self, chosen: Sequence[int]) -> bool:
        """Whether a set keeps every row."""
        taken = set(chosen)
        return all(
            sum(w for place, w in zip(row.places, row.weights, strict=True) if place in taken)
            <= row.most
            for row in self.rows
        )

    def worth(self, chosen: Sequence[int]) -> tuple[int, int]:
        """How many topics a set brings, and its value: the higher the better."""
        taken = set(chosen)
        n_topics = sum(1 for places in self.topics if not taken.isdisjoint(places))
        return n_topics, sum(int(self.values[place]) for place in taken)

    def walked(self, order: Sequence[int]) -> list[int]:
        """Units taken one after the other where every row allows it, topics first."""
        rows_of: list[list[tuple[int, int]]] = [[] for _ in range(self.values.size)]
        for number, row in enumerate(self.rows):
            for place, weight in zip(row.places, row.weights, strict=True):
                rows_of[place].append((number, weight))
        topics_of: dict[int, set[int]] = {}
        for topic, places in enumerate(self.topics):
            for place in places:
                topics_of.setdefault(place, set()).add(topic)
        left = [row.most for row in self.rows]
        missing = set(range(len(self.topics)))
        taken: list[int] = []
        for first in (True, False):
            for place in order:
                brings = not missing.isdisjoint(topics_of.get(place, ()))
                fits = all(weight <= left[number] for number, weight in rows_of[place])
                if place not in taken and fits and (brings or not first):
                    taken.append(place)
                    missing -= topics_of.get(place, set())
                    for number, weight in rows_of[place]:
                        left[number] -= weight
        return taken
