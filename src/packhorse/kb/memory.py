"""A knowledge base of chunks held in memory, searched by the same engine as one on disk."""

from __future__ import annotations

import io
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from packhorse.errors import InputError, StoreError
from packhorse.kb.closing import Closing
from packhorse.kb.searchable import searchable_text
from packhorse.kb.snapshot import snapshot_of
from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packhorse.config import KnowledgeBasePolicy
    from packhorse.kb.engine import SearchEngine
    from packhorse.kb.mentions import Mentions
    from packhorse.kb.reading_order import ReadingOrder
    from packhorse.protocols import Embedder, Reference, SearchResult
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["MAX_SCANNED", "MemoryKnowledgeBase"]

MAX_SCANNED = 128
"""Chunks up to which every one is looked at in a search. An inverted index of them takes longer to
build than many searches save, and finds the same."""


class MemoryKnowledgeBase(Closing):
    """Searches a fixed list of chunks.

    Nothing is analysed or embedded before the first search. For some thousands of chunks; more
    belong into an index on disk, which keeps what it has computed.

    Args:
        chunks: in any order; their ids are all different.
        policy: what the operator says about them.
        embedder: makes the vectors; None for a knowledge base that is searched by words alone.
        vectors: (n, d), row i for `chunks[i]`, when they are at hand; made by `embedder`.

    Raises:
        InputError: two chunks have the same id.
        StoreError: `vectors` has another number of rows than there are chunks.
    """

    def __init__(
        self,
        chunks: Iterable[Chunk],
        *,
        policy: KnowledgeBasePolicy,
        embedder: Embedder | None = None,
        vectors: FloatArray | None = None,
    ) -> None:
        self.policy = policy
        given = list(chunks)
        if vectors is not None and len(vectors) != len(given):
            raise StoreError(
                f"{len(vectors)} vectors for {len(given)} chunks",
                hint="Give one vector a chunk, in the same order",
            )
        order = sorted(range(len(given)), key=lambda at: given[at].chunk_id)
        self._chunks: tuple[Chunk, ...] = tuple(given[at] for at in order)
        self._rows = {chunk.chunk_id: row for row, chunk in enumerate(self._chunks)}
        if len(self._rows) != len(self._chunks):
            raise InputError(
                f"Chunk id {_first_repeated(self._chunks)!r} occurs more than once",
                hint="Give every chunk an id of its own",
            )
        self._embedder = embedder
        self._given_vectors = None if vectors is None else vectors[order]

    def snapshot(self) -> str:
        """Content hash of the chunks, whatever their order."""
        self._refuse_closed()
        return self._snapshot

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        """The best `limit` chunks of each channel; the dense one needs a vector."""
        self._refuse_closed()
        return self._engine.search(text, vector, limit)

    def named(self, text: str) -> tuple[Reference, ...]:
        """The chunks that a question names, surest first."""
        self._refuse_closed()
        return self._mentions.named(text)

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        """The chunks that each of `chunks` mentions, strongest first."""
        self._refuse_closed()
        return self._mentions.mentions(chunks, text)

    def lexical_scores(self, text: str, chunk_ids: Sequence[str]) -> FloatArray:
        """float64, shape (n,): what the lexical channel scores each; 0 for an unknown id."""
        self._refuse_closed()
        return self._engine.lexical_scores(text, [self._rows.get(name) for name in chunk_ids])

    def neighbours(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """At most `reach` chunks of its source before it, and after it, in reading order."""
        self._refuse_closed()
        row = self._rows.get(chunk_id)
        before, after = ((), ()) if row is None else self._order.neighbours(row, reach)
        return self._ids(before), self._ids(after)

    def section(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The same, of its section alone."""
        self._refuse_closed()
        row = self._rows.get(chunk_id)
        before, after = ((), ()) if row is None else self._order.section(row, reach)
        return self._ids(before), self._ids(after)

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        """The chunks that exist among `chunk_ids`."""
        self._refuse_closed()
        rows = self._rows
        return {name: self._chunks[rows[name]] for name in chunk_ids if name in rows}

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        """float32, shape (n, d), in the order asked; None without an embedder and vectors.

        Raises:
            StoreError: an id does not exist.
        """
        self._refuse_closed()
        if self._vectors is None:
            return None
        missing = [name for name in chunk_ids if name not in self._rows]
        if missing:
            raise StoreError(
                f"No chunk {missing[0]!r} in {self.policy.name}", hint="Ask for chunks that exist"
            )
        return self._vectors[[self._rows[name] for name in chunk_ids]]

    def embedder(self) -> Embedder | None:
        """The model that makes the vectors."""
        self._refuse_closed()
        return self._embedder

    def stats(self) -> Mapping[str, object]:
        """Counts of chunks, sources and chunks without any searchable term; the snapshot."""
        self._refuse_closed()
        return {
            "chunks": len(self._chunks),
            "sources": len({chunk.source_id for chunk in self._chunks}),
            "snapshot": self.snapshot(),
            "chunks_without_terms": self._without_terms,
            "embedder": self._embedder.fingerprint if self._embedder else None,
        }

    def _called(self) -> str:
        return self.policy.name

    @cached_property
    def _without_terms(self) -> int:
        return sum(not terms(searchable_text(chunk)) for chunk in self._chunks)

    @cached_property
    def _snapshot(self) -> str:
        return snapshot_of(chunk.content_hash() for chunk in self._chunks)

    @cached_property
    def _vectors(self) -> FloatArray | None:
        from packhorse.embed.unit import unit_rows

        if self._given_vectors is not None:
            return unit_rows(self._given_vectors)
        if self._embedder is None:
            return None
        return self._embedder.embed([searchable_text(chunk) for chunk in self._chunks])

    def _ids(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._chunks[row].chunk_id for row in rows)

    @cached_property
    def _order(self) -> ReadingOrder:
        from packhorse.kb.reading_order import ReadingOrderWriter

        writer = ReadingOrderWriter()
        for chunk in self._chunks:
            writer.add(chunk)
        return writer.finish()

    @cached_property
    def _mentions(self) -> Mentions:
        from packhorse.kb.mentions import Mentions
        from packhorse.kb.names import NameFiles, NameWriter

        writer = NameWriter(NameFiles(*(io.BytesIO() for _ in range(5))))
        for chunk in self._chunks:
            writer.add(chunk)
        ids = [chunk.chunk_id for chunk in self._chunks]
        return Mentions(ids, writer.finish(), self._engine.lexical)

    @cached_property
    def _engine(self) -> SearchEngine:
        import numpy as np

        from packhorse.kb.bm25 import Bm25Index, Bm25Writer, EveryRow, RowFinder, TantivyRows
        from packhorse.kb.dense import DenseIndex
        from packhorse.kb.engine import SearchEngine
        from packhorse.kb.forward import ForwardIndex, ForwardWriter

        keys, counts, rows = io.BytesIO(), io.BytesIO(), io.BytesIO()
        forward = ForwardWriter(keys, counts, rows)
        inverted = Bm25Writer(None) if len(self._chunks) > MAX_SCANNED else None
        for row, chunk in enumerate(self._chunks):
            found = terms(searchable_text(chunk))
            forward.add(found)
            if inverted is not None:
                inverted.add(row, found)
        index = ForwardIndex(
            np.frombuffer(keys.getvalue(), dtype="<u8"),
            np.frombuffer(counts.getvalue(), dtype="<u2"),
            np.frombuffer(rows.getvalue(), dtype="<i8").reshape(-1, 2),
        )
        finder: RowFinder = EveryRow(index)
        if inverted is not None:
            finder = TantivyRows(inverted.finish(), len(self._chunks))
        dense = None if self._vectors is None else DenseIndex(self._vectors)
        ids = [chunk.chunk_id for chunk in self._chunks]
        return SearchEngine(ids, Bm25Index(finder, index), dense)


def _first_repeated(chunks: Sequence[Chunk]) -> str:
    """The smallest id that occurs twice; chunks are sorted by id."""
    return next(
        chunk.chunk_id
        for chunk, following in pairwise(chunks)
        if chunk.chunk_id == following.chunk_id
    )
