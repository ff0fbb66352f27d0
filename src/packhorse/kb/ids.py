"""Chunk ids in ascending order, read from a file without loading it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from packhorse.kb.damage import damage_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packhorse.types.arrays import IntArray

__all__ = ["IdTable", "IdWriter"]

_REMEMBERED = 65_536
"""Ids, and rows, that were asked for last."""


class IdWriter:
    """Appends ids, in ascending order, to two open files."""

    def __init__(self, text: BinaryIO, ends: BinaryIO) -> None:
        self._text = text
        self._ends = ends
        self._end = 0

    def add(self, chunk_id: str) -> None:
        """Adds the next id."""
        data = chunk_id.encode("utf-8", "surrogatepass")
        self._end += len(data)
        self._text.write(data)
        self._ends.write(self._end.to_bytes(8, "little"))


class IdTable:
    """Row -> id, and id -> row by bisection. UTF-8 bytes sort as code points do.

    Args:
        text: (m,) uint8, the ids one after another.
        ends: (n,) int64, where each of them ends.
    """

    def __init__(self, text: IntArray, ends: IntArray) -> None:
        self._text = text
        self._ends = ends
        self._row = lru_cache(maxsize=_REMEMBERED)(self._find)
        self._id = lru_cache(maxsize=_REMEMBERED)(self._read)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, row: int) -> str:
        """The id of a row.

        Raises:
            StoreError: the file is damaged.
        """
        return self._id(row)

    def row(self, chunk_id: str) -> int | None:
        """The row of an id; None when it is not there."""
        return self._row(chunk_id)

    def rows(self, chunk_ids: Iterable[str]) -> list[int | None]:
        """The row of each id; None for one that is not there."""
        return list(map(self._row, chunk_ids))

    def _read(self, row: int) -> str:
        with damage_named("The list of chunk ids"):
            return self._bytes(row).decode("utf-8", "surrogatepass")

    def _find(self, chunk_id: str) -> int | None:
        wanted = chunk_id.encode("utf-8", "surrogatepass")
        low, high = 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._ends) and self._bytes(low) == wanted else None

    def _bytes(self, row: int) -> bytes:
        start = int(self._ends[row - 1]) if row else 0
        return self._text[start : int(self._ends[row])].tobytes()
