"""Retrieval that is done once: searches are remembered, and whole pools where nothing moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.kb.closing import Closing
from packhorse.protocols import NamesChunks, ScoresChunks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packhorse.protocols import Embedder, KnowledgeBase, Reference, Retriever, SearchResult
    from packhorse.types.arrays import FloatArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["PoolsOnce", "searched_once"]


def searched_once(kb: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base that answers the same question once; it lives as long as `kb` is open.

    Remembers searches and chunks, and what a chunk is called and mentions where `kb` knows that.
    Scores single chunks by words where `kb` can.
    """
    return _NamedOnce(kb, kb) if isinstance(kb, NamesChunks) else _SearchedOnce(kb)


class _SearchedOnce(Closing):
    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.policy = kb.policy
        self._results: dict[tuple[str, bytes, int], SearchResult] = {}
        self._chunks: dict[str, Chunk | None] = {}
        if isinstance(kb, ScoresChunks):
            self.lexical_scores = kb.lexical_scores

    def snapshot(self) -> str:
        return self._kb.snapshot()

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        key = (text, b"" if vector is None else vector.tobytes(), limit)
        if key not in self._results:
            self._results[key] = self._kb.search(text, vector, limit)
        return self._results[key]

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        wanted = list(chunk_ids)
        unknown = [name for name in wanted if name not in self._chunks]
        if unknown:
            found = self._kb.get(unknown)
            self._chunks |= {name: found.get(name) for name in unknown}
        chunks = {name: self._chunks[name] for name in wanted}
        return {name: chunk for name, chunk in chunks.items() if chunk is not None}

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        return self._kb.vectors(chunk_ids)

    def embedder(self) -> Embedder | None:
        return self._kb.embedder()

    def stats(self) -> Mapping[str, object]:
        return self._kb.stats()


class _NamedOnce(_SearchedOnce):
    def __init__(self, kb: KnowledgeBase, names: NamesChunks) -> None:
        super().__init__(kb)
        self._names = names
        self._named: dict[str, tuple[Reference, ...]] = {}
        self._mentions: dict[tuple[str, str], tuple[Reference, ...]] = {}

    def named(self, text: str) -> tuple[Reference, ...]:
        if text not in self._named:
            self._named[text] = self._names.named(text)
        return self._named[text]

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        unknown = [chunk for chunk in chunks if (chunk.chunk_id, text) not in self._mentions]
        if unknown:
            found = self._names.mentions(unknown, text)
            for chunk, references in zip(unknown, found, strict=True):
                self._mentions[chunk.chunk_id, text] = references
        return tuple(self._mentions[chunk.chunk_id, text] for chunk in chunks)


class PoolsOnce:
    """A retriever that finds the candidates of a question once.

    Args:
        retriever: what finds them.
        pools: what was found so far, by question; shared by all retrievers that find the same.
    """

    def __init__(self, retriever: Retriever, pools: dict[int, CandidatePool]) -> None:
        self._retriever = retriever
        self._pools = pools

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """As the retriever; `query` is known by its identity."""
        if required:
            return self._retriever.retrieve(query, required)
        key = id(query)
        if key not in self._pools:
            self._pools[key] = self._retriever.retrieve(query)
        return self._pools[key]
