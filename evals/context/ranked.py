"""A question ranked once and packed into several budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from packhorse.pipeline import merged_ranks

if TYPE_CHECKING:
    from packhorse.pipeline import Pipeline
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking

__all__ = ["Ranked"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranked:
    """What competes for a question, and the pipeline that packs it."""

    pipeline: Pipeline
    ranking: Ranking
    costs: tuple[int, ...]
    """Tokens of each row's block."""
    preamble_tokens: int

    @classmethod
    def of(cls, query: Query, pipeline: Pipeline) -> Self:
        """Retrieves and ranks."""
        pool = pipeline.retriever.retrieve(query, ())
        ranking = pipeline.reranker.rerank(query, pool, {})
        _texts, costs = pipeline.costs(ranking.pool)
        preamble = pipeline.renderer.preamble(pipeline.evidence_preamble)
        return cls(
            pipeline=pipeline,
            ranking=ranking,
            costs=costs,
            preamble_tokens=pipeline.counter.count(preamble),
        )

    def packed(self, budget: int) -> list[str]:
        """Ids of what a budget holds, the whole evidence section counted, in reading order."""
        ranking = self.ranking
        _packing, rows, _rendered = self.pipeline.fit(
            ranking, merged_ranks(ranking), self.costs, budget
        )
        return [ranking.pool.chunks[row].chunk_id for row in rows]

    def cost(self, chunk: Chunk) -> int:
        """Tokens of the block of a chunk that is no candidate."""
        return self.pipeline.counter.count(self.pipeline.renderer.block(999, chunk))
