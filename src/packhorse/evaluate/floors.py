"""Plain rankings to compare with: by words, by direction, and both fused by rank.

No signals, no filters, no duplicates removed: the order of the search itself, packed by walking
down and skipping what does not fit. A configuration that is no better is not worth its cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from packhorse.types.candidate import CandidatePool
from packhorse.types.ranking import Ranking, Signals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.pipeline import Pipeline
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.chunk import Chunk
    from packhorse.types.decision import InclusionCode
    from packhorse.types.query import Query

__all__ = ["FLOORS", "FloorRetriever", "PoolOrder", "with_floor"]

FLOORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"bm25": ("lexical",), "dense": ("dense",), "rrf": ("lexical", "dense")}
)
"""Name -> the channels of the search that it ranks by."""

DEPTH = 200
"""Candidates of each channel."""

RRF_K = 60

_DECIMALS = 6


class FloorRetriever:
    """Ranks by reciprocal rank fusion of the channels of a floor; one channel is its own order.

        score(d) = sum over channels of 1 / (60 + rank of d in the channel)

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods" (2009). Ranks from 1; ties by chunk id.
    """

    def __init__(self, kb: KnowledgeBase, floor: str, depth: int = DEPTH) -> None:
        self._kb = kb
        self._channels = FLOORS[floor]
        self._depth = depth

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """Everything that the channels found, best first."""
        if required:
            raise NotImplementedError("A floor packs nothing but what it ranks")
        result = self._kb.search(query.searched, query.vector, self._depth)
        scores: dict[str, float] = {}
        for name in self._channels:
            for rank, hit in enumerate(getattr(result, name), start=1):
                scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + 1 / (RRF_K + rank)
        # More decimals than elsewhere: far down, two neighbours differ in the seventh.
        ranked = sorted(scores, key=lambda name: (-round(scores[name], 2 * _DECIMALS), name))
        chunks = self._kb.get(ranked)
        return CandidatePool(
            chunks=tuple(chunks[name] for name in ranked),
            relevance=np.round(np.array([scores[name] for name in ranked]), _DECIMALS),
            n_retrieved=len(ranked),
            note=result.note,
        )


class PoolOrder:
    """A reranker that leaves the pool in its order."""

    def rerank(
        self, query: Query, pool: CandidatePool, reserved: Mapping[str, InclusionCode]
    ) -> Ranking:
        """Every row competes, at its place in the pool."""
        del query, reserved
        none = np.zeros(len(pool))
        signals = Signals(
            relevance=pool.relevance,
            trust=none,
            freshness=none,
            coverage=none,
            deduplication=none,
            score=pool.relevance,
        )
        return Ranking(
            pool=pool, signals=signals, reserved=(), order=tuple(range(len(pool))), excluded={}
        )


def with_floor(pipeline: Pipeline, kb: KnowledgeBase, floor: str) -> Pipeline:
    """The pipeline with a floor in the place of its own retrieval and ranking."""
    return replace(pipeline, retriever=FloorRetriever(kb, floor), reranker=PoolOrder())
