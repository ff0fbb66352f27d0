"""Pools and queries made by hand for the reranking tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from packhorse.config import KnowledgeBasePolicy, RerankConfig
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.decision import InclusionCode
from packhorse.types.query import Query
from packhorse.types.ranking import Ranking

__all__ = ["AS_OF", "made_chunk", "made_pool", "order_of", "out_of", "reranked", "row_of"]

AS_OF = datetime(2026, 6, 1, tzinfo=UTC)
KB = KnowledgeBasePolicy(name="kb")


def made_chunk(
    chunk_id: str,
    text: str | None = None,
    *,
    source: str = "s",
    trust: float | None = None,
    age_days: float | None = None,
    topics: Mapping[str, float] | None = None,
    position: int = 0,
) -> Chunk:
    """A chunk whose text is its own unless one is given."""
    return Chunk(
        chunk_id=chunk_id,
        source_id=source,
        text=f"text of {chunk_id} alone" if text is None else text,
        trust_score=trust,
        timestamp=None if age_days is None else AS_OF - timedelta(days=age_days),
        topic_tags=tuple(sorted((topics or {}).items())),
        position_in_source=position,
    )


def made_pool(
    chunks: Sequence[Chunk],
    relevance: Sequence[float],
    vectors: Sequence[Sequence[float]] | None = None,
) -> CandidatePool:
    rows = None
    if vectors is not None:
        rows = np.array(vectors, dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        rows = rows.astype(np.float32)
    return CandidatePool(
        chunks=tuple(chunks), relevance=np.array(relevance, dtype=np.float64), vectors=rows
    )


def reranked(
    pool: CandidatePool,
    config: RerankConfig | None = None,
    *,
    policy: KnowledgeBasePolicy = KB,
    reserved: Mapping[str, InclusionCode] | None = None,
    topics: Sequence[str] = (),
    depth: int | None = None,
) -> Ranking:
    query = Query(text="q", as_of=AS_OF, required_topics=tuple(topics))
    settings = RerankConfig() if config is None else config
    if depth is None:
        reranker = FiveSignalReranker(settings, policy)
    else:
        reranker = FiveSignalReranker(settings, policy, depth=depth)
    return reranker.rerank(query, pool, reserved or {})


def order_of(ranking: Ranking) -> list[str]:
    """Chunk ids that compete, best first."""
    return [ranking.pool.chunks[row].chunk_id for row in ranking.order]


def out_of(ranking: Ranking) -> dict[str, str]:
    """Chunk id -> reason, for what reranking took out."""
    chunks = ranking.pool.chunks
    return {chunks[row].chunk_id: why.reason for row, why in ranking.excluded.items()}


def row_of(ranking: Ranking, chunk_id: str) -> int:
    return next(r for r, c in enumerate(ranking.pool.chunks) if c.chunk_id == chunk_id)
