"""Which chunks stand beside each other: rows of an index in reading order, and where they break.

Chunks of a source are read by `position_in_source`. Where several have one position (records that
say none all have 0), their order is not known: they are nobody's neighbours there, and make up a
section only where they name one.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import IntArray
    from packhorse.types.chunk import Chunk

__all__ = ["ReadingOrder", "ReadingOrderWriter"]


class ReadingOrderWriter:
    """Takes the chunks of an index row by row; 24 bytes of memory a chunk, and its names once."""

    def __init__(self) -> None:
        self._sources = array("q")
        self._positions = array("q")
        self._sections = array("q")
        self._source_numbers: dict[str, int] = {}
        self._section_numbers = {"": 0}

    def add(self, chunk: Chunk) -> None:
        """The chunk of the next row."""
        numbers, names = self._source_numbers, self._section_numbers
        self._sources.append(numbers.setdefault(chunk.source_id, len(numbers)))
        self._positions.append(chunk.position_in_source)
        self._sections.append(names.setdefault(chunk.section_id, len(names)))

    def finish(self) -> ReadingOrder:
        """The order of all rows that were added."""
        sources, positions, sections = (
            np.frombuffer(column, dtype=np.int64) if column else np.zeros(0, dtype=np.int64)
            for column in (self._sources, self._positions, self._sections)
        )
        if not sources.size:
            nothing = np.zeros(0, dtype="<i4")
            return ReadingOrder(rows=nothing, places=nothing, stretches=nothing, sections=nothing)
        rows = np.lexsort((np.arange(sources.size), sections, positions, sources))
        sources, positions, sections = sources[rows], positions[rows], sections[rows]
        other_source = sources[1:] != sources[:-1]
        shared = (positions[1:] == positions[:-1]) & ~other_source
        is_shared = np.append(shared, False) | np.insert(shared, 0, False)
        is_unknown = is_shared[1:] | is_shared[:-1]
        other_section = sections[1:] != sections[:-1]
        places = np.empty_like(rows)
        places[rows] = np.arange(rows.size)
        return ReadingOrder(
            rows=rows.astype("<i4"),
            places=places.astype("<i4"),
            stretches=_numbered(other_source | is_unknown),
            sections=_numbered(other_source | other_section | is_unknown & (sections[1:] == 0)),
        )


def _numbered(breaks: IntArray) -> IntArray:
    """A number for each place; it rises by 1 at each break."""
    return np.concatenate(([0], np.cumsum(breaks))).astype("<i4")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadingOrder:
    """Rows of an index by source and position; each column is (n,), little-endian int32."""

    rows: IntArray
    """Place in reading order -> row."""
    places: IntArray
    """Row -> place."""
    stretches: IntArray
    """Place -> number of the stretch in which each chunk follows the one before it."""
    sections: IntArray
    """Place -> number of the section; equal numbers stand side by side."""

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Names of the columns, in the order in which they are written."""
        return tuple(each.name for each in fields(cls))

    def neighbours(self, row: int, reach: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """At most `reach` rows before a row, and as many after it, in reading order."""
        return self._beside(row, reach, self.stretches)

    def section(self, row: int, reach: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """As `neighbours`, of the row's section alone."""
        return self._beside(row, reach, self.sections)

    def _beside(
        self, row: int, reach: int, numbers: IntArray
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        place = int(self.places[row])
        own = numbers[place]

        def between(low: int, high: int) -> tuple[int, ...]:
            places = range(max(0, low), min(len(self.rows), high))
            return tuple(int(self.rows[at]) for at in places if numbers[at] == own)

        return between(place - reach, place), between(place + 1, place + reach + 1)
