"""The names of all chunks as arrays, and where texts hold them.

A name is a row of search terms, told apart by 63 bits of a hash. For each there are the chunks that
are called so, and the number of chunks that mention it. Nothing is kept about who mentions whom:
the text at hand is looked through again, in time that does not depend on the number of chunks.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packhorse.kb.forward import term_key
from packhorse.text.links import linked_text
from packhorse.text.name_words import source_mark, words_of
from packhorse.text.names import MAX_NAME_WORDS, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from packhorse.text.name_words import Word
    from packhorse.text.names import Name
    from packhorse.types.arrays import BoolArray, IntArray
    from packhorse.types.chunk import Chunk

__all__ = [
    "MAX_CALLED",
    "Called",
    "Found",
    "NameFiles",
    "NameTable",
    "NameWriter",
    "joined",
    "packed",
    "source_key",
]

MAX_CALLED = 64
"""A name that more chunks bear says nothing about which is meant, and is left out."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_CAPITAL = np.uint64(1)
_REFERENCE = np.uint64(2)
_MARKS = np.uint64(2)
"""Bits of a packed word below its term."""
_WORD_CACHE_LIMIT = 200_000
_LAST_POSITION = 2**32 - 1
_IS_HEADING = 1 << 15
_SCANNED_AT_ONCE = 16_384
_NOTHING: IntArray = np.zeros(0, dtype=np.int64)
_SLOTS_A_NAME = 8
_MOST_SLOTS_BITS = 20


class Called(NamedTuple):
    """A chunk that bears a name."""

    row: int
    weight: float
    """How sure the name is, 0..1."""
    source: int
    """Key of the chunk's source."""
    is_heading: bool


class _Bearer(NamedTuple):
    """A chunk that bears a name, and how that must be written."""

    called: Called
    capitals: int
    """A bit for each word that must have a capital, the lowest for the first."""


@dataclass(frozen=True, slots=True, eq=False)
class NameFiles:
    """Files of the table."""

    keys: BinaryIO
    """uint64: each name, ascending."""
    ends: BinaryIO
    """int64: where its chunks end."""
    held: BinaryIO
    """uint32: how many chunks mention it."""
    called: BinaryIO
    """uint64 in pairs: for each chunk of each name, how it is called so, and its source."""
    words: BinaryIO
    """Written and read back while building; not needed afterwards."""


class Found(NamedTuple):
    """A name in a text."""

    at: int
    """Place of its first word, from 0."""
    n_words: int
    name: int
    """Place of the name in the table."""
    called: tuple[Called, ...]
    """Chunks that are called so, by row; at least one."""


def packed(words: Sequence[Word]) -> IntArray:
    """uint64: the key of each word's term; the two lowest bits say `is_reference` and `capital`."""
    return np.fromiter(map(_packed_words.__getitem__, words), np.uint64, count=len(words))


class _PackedWords(dict["Word", int]):
    """Words as numbers, computed on first use."""

    def __missing__(self, word: Word) -> int:
        if len(self) >= _WORD_CACHE_LIMIT:
            self.clear()
        key = term_key(word.term) & ~3 | word.is_reference << 1 | word.capital
        self[word] = key
        return key


_packed_words = _PackedWords()


def source_key(source_id: str) -> int:
    """What sources are told apart by: 62 bits."""
    return term_key(source_mark(source_id)) >> 2


class NameTable:
    """The names of all chunks, from files or from memory. Safe from several threads.

    Args:
        keys: (k,) uint64, ascending.
        ends: (k,) int64.
        held: (k,) uint32.
        called: (m, 2) uint64.
    """

    def __init__(self, keys: IntArray, ends: IntArray, held: IntArray, called: IntArray) -> None:
        self.keys = keys
        self.ends = ends
        self.held = held
        self.called = called
        self._bearers = lru_cache(maxsize=16_384)(self._read)

    def n_mentioning(self, name: int) -> int:
        """How many chunks mention a name."""
        return int(self.held[name])

    def find(self, words: IntArray, sources: IntArray) -> Iterator[Found]:
        """Names in reading order; at each place the longest, and none inside it.

        Of two of one length, that is a numbered section's of the text's own source.

        Args:
            words: as `packed` gives them.
            sources: (n,) uint64, key of the source of each word; 0 for a text without one.
        """
        at, lengths, names = self._candidates(words, sources)
        capitals = (words & _CAPITAL).astype(np.int64)
        free = 0
        for place, n_words, name in zip(at, lengths, names, strict=True):
            if place < free:
                continue
            written = 0
            for bit, capital in enumerate(capitals[place : place + n_words].tolist()):
                written |= capital << bit
            called = tuple(
                bearer.called for bearer in self._bearers(name) if not bearer.capitals & ~written
            )
            if called:
                free = place + n_words
                yield Found(place, n_words, name, called)

    def _candidates(
        self, words: IntArray, sources: IntArray
    ) -> tuple[list[int], list[int], list[int]]:
        """(place, words, name) by place, the longest first, however they are written."""
        if not len(self.keys) or not len(words):
            return [], [], []
        terms = words >> _MARKS
        anywhere = self._present(terms, len(words))
        at = np.flatnonzero(((words & _REFERENCE) > 0) & (sources > 0))
        parts = [(*anywhere, np.ones(len(anywhere[0]), dtype=np.int64))]
        for place in at.tolist():
            here = np.append(sources[place], terms[place : place + MAX_NAME_WORDS - 1])
            _, lengths, names = self._present(here, 1)
            first = np.zeros(len(names), dtype=np.int64)
            parts.append((np.full(len(names), place), lengths - 1, names, first))
        places, lengths, names, later = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((later, -lengths, places))
        return places[order].tolist(), lengths[order].tolist(), names[order].tolist()

    def _present(self, terms: IntArray, n_places: int) -> tuple[IntArray, IntArray, IntArray]:
        """(place, words, name) of all names that begin at the first so many places."""
        places, lengths, names = [_NOTHING], [_NOTHING], [_NOTHING]
        known = self._known_ends
        for n_words, keys in enumerate(_keys(terms), start=1):
            some = np.flatnonzero(known[keys[:n_places].view(np.int64) & (len(known) - 1)])
            if not len(some):
                continue
            wanted = keys[some]
            near = np.searchsorted(self.keys, wanted)
            near[near == len(self.keys)] = 0
            hits = np.flatnonzero(self.keys[near] == wanted)
            places.append(some[hits])
            lengths.append(np.full(len(hits), n_words))
            names.append(near[hits])
        return np.concatenate(places), np.concatenate(lengths), np.concatenate(names)

    @cached_property
    def _known_ends(self) -> BoolArray:
        """Of each lowest bits of a key, whether any key has them.

        Nearly all words begin no name, and this says so sooner than bisection.
        """
        wanted = _SLOTS_A_NAME * len(self.keys)
        known = np.zeros(1 << min(wanted.bit_length(), _MOST_SLOTS_BITS), dtype=np.bool_)
        known[self.keys.view(np.int64) & (len(known) - 1)] = True
        return known

    def _read(self, name: int) -> tuple[_Bearer, ...]:
        start = int(self.ends[name - 1]) if name else 0
        found = []
        for how, source in self.called[start : int(self.ends[name])].tolist():
            called = Called(how >> 32, (how >> 16 & 0xFF) / 100, source, bool(how & _IS_HEADING))
            found.append(_Bearer(called, how & (1 << MAX_NAME_WORDS) - 1))
        return tuple(found)


def _keys(terms: IntArray) -> Iterator[IntArray]:
    """For 1 to 10 words, the key of so many from each place on."""
    # Not from 0: a row of zeros, as between chunks, must not be as good as no word.
    key: IntArray = np.full(len(terms), _MIX, dtype=np.uint64)
    for n_words in range(1, min(MAX_NAME_WORDS, len(terms)) + 1):
        following = terms[n_words - 1 :]
        key = (key[: len(following)] ^ following) * _FACTOR
        mixed = (key ^ key >> _HALF) * _MIX
        yield mixed ^ mixed >> _HALF


def name_key(key: Sequence[str]) -> int:
    """The key of a name in the table."""
    terms = np.array([term_key(term) for term in key], dtype=np.uint64) >> _MARKS
    *_, whole = _keys(terms)
    return int(whole[0])


class NameWriter:
    """Builds the table from chunks, in the order of their rows. 32 bytes a name are held.

    In one source a name is that of the chunk that bears it most surely, and of those the first in
    the source: a document's title is the name of its beginning. Chunks at the same position of one
    source, as records without positions are, all keep it.
    """

    def __init__(self, files: NameFiles) -> None:
        self._files = files
        self._row = 0
        self._n_words = array("Q")
        self._source = array("Q")
        self._keys = array("Q")
        self._sources = array("Q")
        self._order = array("Q")
        self._how = array("Q")

    def add(self, chunk: Chunk) -> None:
        """Adds the next row."""
        source = source_key(chunk.source_id)
        position = min(max(chunk.position_in_source, 0), _LAST_POSITION)
        for name in names_of(chunk):
            self._keys.append(name_key(name.key))
            self._sources.append(source)
            self._order.append((100 - name.weight) << 32 | position)
            self._how.append(self._row << 32 | name.weight << 16 | _written(name))
        words = packed(words_of(linked_text(chunk), chunk.source_id))
        self._files.words.write(words.tobytes())
        self._n_words.append(len(words))
        self._source.append(source)
        self._row += 1

    def finish(self) -> NameTable:
        """Writes the files, and returns the table."""
        keys, how, sources = self._kept()
        firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        ends = np.append(firsts[1:], len(keys))[: len(firsts)].astype("<i8")
        called = np.stack([how, sources], axis=1).astype("<u8")
        held = np.zeros(len(firsts), dtype="<u4")
        table = NameTable(keys[firsts].astype("<u8"), ends, held, called)
        self._count(table)
        for file, values in (
            (self._files.keys, table.keys),
            (self._files.ends, ends),
            (self._files.held, held),
            (self._files.called, called),
        ):
            file.write(values.tobytes())
        return table

    def _kept(self) -> tuple[IntArray, IntArray, IntArray]:
        """Keys, ascending, with what stays of their chunks, by row."""
        arrays: list[IntArray] = [
            np.frombuffer(values, dtype=np.uint64)
            for values in (self._keys, self._sources, self._order, self._how)
        ]
        keys, sources, order, how = arrays
        if not len(keys):
            return keys, how, sources
        sorted_ = np.lexsort((how, order, sources, keys))
        keys, sources, order, how = (each[sorted_] for each in (keys, sources, order, how))
        starts = np.append(True, (keys[1:] != keys[:-1]) | (sources[1:] != sources[:-1]))
        group = np.cumsum(starts) - 1
        position = order & np.uint64(_LAST_POSITION)
        kept = position == position[np.flatnonzero(starts)][group]
        keys, sources, how = keys[kept], sources[kept], how[kept]
        starts = np.append(True, keys[1:] != keys[:-1])
        group = np.cumsum(starts) - 1
        kept = np.bincount(group)[group] <= MAX_CALLED
        keys, sources, how = keys[kept], sources[kept], how[kept]
        by_row = np.lexsort((how, keys))
        return keys[by_row], how[by_row], sources[by_row]

    def _count(self, table: NameTable) -> None:
        """Counts the chunks that mention each name, some thousand words at once."""
        file = self._files.words
        file.seek(0)
        first = 0
        while first < self._row:
            end, total = first, 0
            while end < self._row and total < _SCANNED_AT_ONCE:
                total += self._n_words[end]
                end += 1
            _count_chunks(table, file, self._n_words[first:end], self._source[first:end])
            first = end


def _count_chunks(
    table: NameTable, file: BinaryIO, n_words: Sequence[int], sources: Sequence[int]
) -> None:
    texts = [np.frombuffer(file.read(8 * n), dtype="<u8") for n in n_words]
    words, of_word, ends = joined(texts, sources)
    found = [(each.at, each.name) for each in table.find(words, of_word)]
    if found:
        at, names = np.array(found, dtype=np.int64).T
        chunk = np.searchsorted(np.array(ends), at, side="right")
        pairs = np.unique(np.stack([chunk, names], axis=1), axis=0)
        np.add.at(table.held, pairs[:, 1], np.uint32(1))


def joined(
    texts: Sequence[IntArray], sources: Sequence[int]
) -> tuple[IntArray, IntArray, list[int]]:
    """Texts as one, with the source of each word, and where each text ends.

    Behind each stand so many zeros that no name reaches over them.
    """
    sizes = [len(text) + MAX_NAME_WORDS for text in texts]
    ends = list(accumulate(sizes))
    words = np.zeros(sum(sizes), dtype=np.uint64)
    for text, size, end in zip(texts, sizes, ends, strict=True):
        words[end - size : end - MAX_NAME_WORDS] = text
    return words, np.repeat(np.array(sources, dtype=np.uint64), sizes), ends


def _written(name: Name) -> int:
    """How a name must be written: a bit a word, and what else is known of it."""
    bits = int(name.needs_capital)
    for bit, capital in enumerate(name.capitals[1:], start=1):
        bits |= capital << bit
    return bits | (_IS_HEADING if name.is_heading else 0)
