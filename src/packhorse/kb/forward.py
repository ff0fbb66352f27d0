"""Which terms each row holds, and how often: what exact scores are computed from."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["ForwardIndex", "ForwardWriter", "term_key"]

_MAX_COUNT = 65_535
_KEY_CACHE_LIMIT = 200_000


class _Keys(dict[str, int]):
    """Keys by term, computed on first use."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _KEY_CACHE_LIMIT:
            self.clear()
        digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = self[term] = int.from_bytes(digest, "little")
        return key


_keys = _Keys()


def term_key(term: str) -> int:
    """64 bits of a BLAKE2b hash: the same in every process; two terms of one text never meet."""
    return _keys[term]


class ForwardWriter:
    """Appends rows to three open files; nothing but the row at hand is held in memory."""

    def __init__(self, keys: BinaryIO, counts: BinaryIO, rows: BinaryIO) -> None:
        self._keys = keys
        self._counts = counts
        self._rows = rows
        self._end = 0

    def add(self, terms: Sequence[str]) -> None:
        """Adds the next row; `terms` with repeats, empty for a row without any."""
        counted = Counter(terms)
        keys = np.fromiter(map(_keys.__getitem__, counted), dtype="<u8", count=len(counted))
        counts = np.fromiter(counted.values(), dtype=np.int64, count=len(counted))
        order = np.argsort(keys)
        self._end += len(counted)
        self._keys.write(keys[order].tobytes())
        self._counts.write(np.minimum(counts, _MAX_COUNT)[order].astype("<u2").tobytes())
        self._rows.write(np.array([self._end, len(terms)], dtype="<i8").tobytes())


class ForwardIndex:
    """Rows of term counts, from files or from memory.

    Args:
        keys: (m,) uint64, the term keys of row 0, then of row 1, ...; ascending inside a row.
        counts: (m,) uint16, how often each of them occurs.
        rows: (n, 2) int64, for each row: where its keys end, and its number of terms.
    """

    def __init__(self, keys: IntArray, counts: IntArray, rows: IntArray) -> None:
        self._keys = keys
        self._counts = counts
        self._ends = rows[:, 0]
        self.lengths = rows[:, 1]
        """(n,) terms of each row, repeats included."""
        self.total_terms = int(self.lengths.sum())

    def frequencies(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms),) float64: how many rows hold each term. Sorts all keys on first use."""
        wanted = _keys_of(terms)
        after = np.searchsorted(self._sorted_keys, wanted, side="right")
        return (after - np.searchsorted(self._sorted_keys, wanted)).astype(np.float64)

    @cached_property
    def _sorted_keys(self) -> IntArray:
        return np.sort(self._keys)

    def counts_of(self, rows: IntArray, terms: Sequence[str]) -> FloatArray:
        """float64, shape (len(rows), len(terms)): how often each term occurs in each row."""
        found = np.zeros((len(rows), len(terms)))
        if not len(rows) or not terms:
            return found
        starts = np.where(rows > 0, self._ends[np.maximum(rows, 1) - 1], 0)
        sizes = self._ends[rows] - starts
        before = np.cumsum(sizes) - sizes
        places = np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
        of_row = np.repeat(np.arange(len(rows)), sizes)
        keys = self._keys[places]
        wanted = _keys_of(terms)
        order = np.argsort(wanted, kind="stable")
        near = np.minimum(np.searchsorted(wanted[order], keys), len(terms) - 1)
        hit = wanted[order][near] == keys
        found[of_row[hit], order[near[hit]]] = self._counts[places[hit]]
        return found


def _keys_of(terms: Sequence[str]) -> IntArray:
    return np.array([term_key(term) for term in terms], dtype=np.uint64)
