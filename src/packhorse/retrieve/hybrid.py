"""Hybrid retrieval: words and direction together, on one scale."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from packhorse.retrieve.domain import domain_of
from packhorse.retrieve.fusion import fused, lexical_share
from packhorse.types.candidate import CandidatePool, Channel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from packhorse.config import RetrievalConfig
    from packhorse.protocols import KnowledgeBase, SearchHit, SearchResult
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

    BoolArray = npt.NDArray[np.bool_]

__all__ = ["HybridRetriever"]

_DECIMALS = 6
_LINK_STEPS = 4
"""Links that are followed one after the other; longer chains of tables and captions are unknown."""


class HybridRetriever:
    """Asks a knowledge base for the best of each channel and mixes them into one relevance.

    Relevance is the weighted mean of the lexical share (BM25 over the query's own upper bound) and
    the cosine. Both are absolute, so a threshold on relevance means the same for every query.
    """

    def __init__(self, kb: KnowledgeBase, config: RetrievalConfig) -> None:
        self._kb = kb
        self._config = config

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """The `candidates` most relevant chunks and all required ones, best first, ties by id.

        A chunk that either channel found is scored by both: its cosine is computed even when the
        dense channel ranked it too low to return it. A BM25 score below the channel's cut is 0.
        """
        import numpy as np

        result = self._kb.search(query.searched, query.vector, self._config.candidates)
        chunks, known = self._chunks(result, required)
        vectors = self._vectors(chunks, known)
        lexical = _channel("lexical", result.lexical, chunks)
        dense = _channel("dense", result.dense, chunks)
        cosines = None if result.note else _cosines(vectors, query.vector)
        if cosines is not None:
            dense = Channel(name="dense", scores=cosines, ranks=dense.ranks)
        shares = lexical_share(lexical.scores, result.lexical_ideal)
        relevance = fused(shares, cosines, self._config.lexical_weight, self._config.dense_weight)
        must = {chunk.chunk_id for chunk in required}
        found = np.maximum(lexical.ranks, dense.ranks) > 0
        kept = _kept(chunks, relevance, found, must, self._config.candidates)
        domain = domain_of(shares, cosines, found, self._config)
        return CandidatePool(
            chunks=tuple(chunks[row] for row in kept),
            relevance=relevance[kept],
            vectors=None if vectors is None else vectors[kept],
            channels=tuple(
                Channel(name=channel.name, scores=channel.scores[kept], ranks=channel.ranks[kept])
                for channel in (lexical, dense)
            ),
            in_domain=domain.is_inside and not result.note,
            domain_evidence=domain.evidence,
            n_retrieved=int(found[kept].sum()),
            note=result.note or _vector_note(query.vector),
        )

    def _chunks(
        self, result: SearchResult, required: Sequence[Chunk]
    ) -> tuple[list[Chunk], list[bool]]:
        """Everything found or required, each id once, by id; and which the knowledge base has.

        What is linked with something found comes along: it is packed with it or not at all.
        """
        must = {chunk.chunk_id: chunk for chunk in required}
        hits = {hit.chunk_id for channel in (result.lexical, result.dense) for hit in channel}
        known = dict(self._kb.get(sorted(hits | must.keys())))
        fresh = [*known.values(), *must.values()]
        for _ in range(_LINK_STEPS):
            linked = {name for chunk in fresh for name in chunk.named_in("linked_with")}
            found = self._kb.get(sorted(linked - known.keys() - must.keys()))
            if not found:
                break
            fresh = list(found.values())
            known |= found
        chunks = sorted({**known, **must}.values(), key=lambda chunk: chunk.chunk_id)
        return chunks, [chunk.chunk_id in known for chunk in chunks]

    def _vectors(self, chunks: Sequence[Chunk], known: Sequence[bool]) -> FloatArray | None:
        """One row a chunk: what the knowledge base has, and the embedder's for what it has not."""
        import numpy as np

        from packhorse.kb.searchable import searchable_text

        stored = self._kb.vectors([chunk.chunk_id for chunk in compress(chunks, known)])
        if stored is None or all(known):
            return stored
        others = [chunk for chunk, is_known in zip(chunks, known, strict=True) if not is_known]
        at_known = np.array(known)
        vectors = np.zeros((len(chunks), stored.shape[1]), dtype=np.float32)
        vectors[at_known] = stored
        embedder = self._kb.embedder()
        if embedder is not None:
            vectors[~at_known] = embedder.embed([searchable_text(chunk) for chunk in others])
        return vectors


def _channel(name: str, hits: Sequence[SearchHit], chunks: Sequence[Chunk]) -> Channel:
    """Scores and ranks of one channel; an id that a channel repeats counts at its best rank."""
    import numpy as np

    rows = {chunk.chunk_id: row for row, chunk in enumerate(chunks)}
    scores = np.zeros(len(chunks))
    ranks = np.zeros(len(chunks), dtype=np.int64)
    for rank, hit in enumerate(hits, start=1):
        row = rows.get(hit.chunk_id)
        if row is not None and not ranks[row]:
            scores[row], ranks[row] = hit.score, rank
    return Channel(name=name, scores=scores, ranks=ranks)


def _cosines(vectors: FloatArray | None, direction: FloatArray | None) -> FloatArray | None:
    """float64 cosines to six decimals; None when either side has no direction at all."""
    import numpy as np

    if vectors is None or direction is None:
        return None
    exact = np.asarray(direction, dtype=np.float64)
    length = float(np.sqrt((exact * exact).sum()))
    if not length or not np.isfinite(length):
        return None
    cosines: FloatArray = np.round(
        (vectors.astype(np.float64) * (exact / length)).sum(1), _DECIMALS
    )
    return cosines


def _kept(
    chunks: Sequence[Chunk], relevance: FloatArray, found: BoolArray, must: set[str], limit: int
) -> IntArray:
    """Rows of the pool: required ones and the best `limit` found ones, best first, ties by id.

    What one of them is linked with comes along. A row without a finite relevance comes last; it
    stays, so that the packet can say so.
    """
    import numpy as np

    order = np.lexsort((np.arange(len(chunks)), -relevance)).tolist()
    kept, taken = set[int](), 0
    for row in order:
        wanted = bool(found[row]) and not relevance[row] <= 0 and taken < limit
        taken += wanted
        if wanted or chunks[row].chunk_id in must:
            kept.add(row)
    row_of = {chunk.chunk_id: row for row, chunk in enumerate(chunks)}
    fresh = set(kept)
    while fresh:
        names = {name for row in fresh for name in chunks[row].named_in("linked_with")}
        fresh = {row_of[name] for name in names if name in row_of} - kept
        kept |= fresh
    return np.array([row for row in order if row in kept], dtype=np.int64)


def _vector_note(vector: FloatArray | None) -> str:
    return "zero_query_vector" if vector is not None and not vector.any() else ""
