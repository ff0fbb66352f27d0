"""Records of CSV that are longer than a chunk: cut between values, and what each piece needs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.ingest.csv_records import separators_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from packhorse.ingest.blocks import Block

__all__ = ["CUT", "MAX_FIRST_CELL", "CutRecords"]

CUT = "..."
"""Stands where a row of a table is cut."""
MAX_FIRST_CELL = 40
"""A row is called by its first value where that is no longer."""
MAX_ALIGNED = 256
"""Values left out that are counted out, one `...` each."""


class CutRecords:
    """Where the records of one CSV document may be cut, and how the pieces go on.

    Args:
        text: of the document.
        block: its records.
        may_repeat: whether a text is short enough to stand before a piece.
    """

    def __init__(self, text: str, block: Block, may_repeat: Callable[[str], bool]) -> None:
        self._text = text
        self._block = block
        self._may_repeat = may_repeat
        self._separators = lru_cache(maxsize=4)(self._find_separators)
        self._names = self._values(block.start, block.start + len(block.opening) - 1)

    def cut(self, start: int, end: int, earliest: int) -> int | None:
        """Where to cut a piece in two: before a record, else before a separator, near its middle.

        None where the piece is of one value.
        """
        lowest = max(start, earliest)
        middle = (lowest + end) // 2
        rows = self._block.rows
        places = [
            self._block.start,
            *(row[0] for row in rows[self._near(lowest) : self._near(end)]),
        ]
        chosen = _nearest([each for each in places if lowest < each < end], middle)
        row = self._block.row_at(middle)
        if chosen is None and row is not None:
            marks = self._separators(*row)
            first = bisect_right(marks, max(lowest, row[0]))
            chosen = _nearest(marks[first : bisect_left(marks, end - 1)], middle)
        return chosen

    def beginnings(self, begin: int, end: int) -> list[str]:
        """What may stand before a piece, the best first.

        Args:
            begin: where the piece begins, at a separator or at a character that is not blank.
            end: behind its last character.
        """
        row = self._block.row_at(begin)
        if row is None:
            return [self._block.opening, ""]
        marks = self._separators(*row)
        before = bisect_left(marks, begin)
        inside = begin > row[0] and marks[before : before + 1] != [begin]
        done = before if inside else before + (begin > row[0])
        mark = self._mark(row, marks, done, inside=inside, aligned=False)
        opening = self._block.opening if begin >= self._block.body else ""
        ways = []
        if opening and self._may_repeat(opening):
            if done <= min(MAX_ALIGNED, len(self._names)):
                ways.append(opening + self._mark(row, marks, done, inside=inside, aligned=True))
            elif not mark:
                ways.append(opening)
        if opening and end <= row[1] and (mark or end < row[1]):
            last = bisect_left(marks, end)
            ways.append(f"{self._names_between(done, last)}\n{mark}")
        return [*ways, mark, f"{CUT} " if mark else ""]

    def ending(self, end: int) -> str:
        """What stands behind a piece that ends inside a record."""
        row = self._block.row_at(end)
        if row is None or not row[0] < end < row[1]:
            return ""
        marks = self._separators(*row)
        at = bisect_left(marks, end)
        between = marks[at : at + 1] == [end]
        return f"{self._block.separator}{CUT}" if between else f" {CUT}"

    def _near(self, at: int) -> int:
        return bisect_left(self._block.rows, at, key=lambda row: row[0])

    def _find_separators(self, start: int, end: int) -> list[int]:
        return separators_in(self._text, start, end, self._block.separator)

    def _values(self, start: int, end: int) -> list[str]:
        if end <= start:
            return []
        marks = self._find_separators(start, end)
        starts = [start, *(mark + 1 for mark in marks)]
        return [self._text[first:last] for first, last in zip(starts, [*marks, end], strict=True)]

    def _mark(
        self,
        row: tuple[int, int],
        marks: Sequence[int],
        done: int,
        *,
        inside: bool,
        aligned: bool,
    ) -> str:
        """The first value of the row, and `...` for those between it and the piece."""
        if not done:
            return f"{CUT} " if inside else ""
        name = self._text[row[0] : marks[0]]
        left_out = done - 1 if aligned else min(done - 1, 1)
        parts = [name if len(name) <= MAX_FIRST_CELL else CUT, *[CUT] * left_out]
        return self._block.separator.join([*parts, f"{CUT} "] if inside else parts)

    def _names_between(self, done: int, last: int) -> str:
        """The names of the columns that a piece of one row has, as `_mark` puts them."""
        names = self._names[done : last + 1]
        if done:
            names = [*self._names[:1], *[CUT] * (done > 1), *names]
        if last + 1 < len(self._names):
            names.append(CUT)
        return self._block.separator.join(names)


def _nearest(places: Sequence[int], middle: int) -> int | None:
    """The last at or before the middle, else the first behind it."""
    at = bisect_right(places, middle)
    if not places:
        return None
    return places[at - 1] if at else places[0]
