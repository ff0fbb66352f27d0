"""Retrieval with a second look: a cross-encoder judges the best candidates before they compete."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.cross_encoder.mix import mixed
from packhorse.rerank.filters import filtered
from packhorse.rerank.freshness import ages_in_days
from packhorse.rerank.relevance import relevance_signal
from packhorse.rerank.table import tie_order
from packhorse.rerank.trust import stated_trust
from packhorse.types.candidate import CandidatePool, Channel
from packhorse.types.decision import ExclusionCode
from packhorse.types.reranked import Reranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.config import KnowledgeBasePolicy, RerankConfig
    from packhorse.protocols import Retriever
    from packhorse.rerank.cross_encoder.judge import Judge
    from packhorse.types.arrays import IntArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["RERANKER", "RETRIEVAL", "JudgedRetriever"]

RETRIEVAL, RERANKER = "retrieval", "reranker"
"""Channels of a judged pool: relevance before, and the reranker's probability."""


class JudgedRetriever:
    """Retrieves, and lets a judge look at the best candidates that may be packed.

    What is blocked, stale or below the trust threshold is not judged unless it is required: it is
    packed nowhere, and what it says is sent to nobody. `min_relevance` takes no part in that; it
    holds for the relevance that comes out.

    Args:
        retriever: finds the candidates.
        judge: judges the best of them.
        config: its `reranker` says how much the judge counts; its thresholds, who is judged.
        policy: blocked sources and thresholds of the knowledge base.
    """

    def __init__(
        self,
        retriever: Retriever,
        judge: Judge,
        config: RerankConfig,
        policy: KnowledgeBasePolicy,
    ) -> None:
        self._retriever = retriever
        self._judge = judge
        self._config = replace(config, min_relevance=0.0)
        self._policy = policy
        self._weight = 1.0 if config.reranker is None else config.reranker.weight

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """The pool with new relevance, best first, ties by chunk id; as it was, on a fallback."""
        pool = self._retriever.retrieve(query, required)
        offered = self._offered(query, pool, {chunk.chunk_id for chunk in required})
        rows = list(self._judge.chosen(pool.chunks, offered))
        judged = self._judge.judge(query.searched, [pool.chunks[row] for row in rows])
        scores = {
            row: score
            for row, score in zip(rows, judged.scores, strict=bool(judged.scores))
            if score is not None
        }
        told = Reranked(
            model=self._judge.model,
            scale=self._judge.scale,
            weight=self._weight,
            judged=len(scores),
            fallback=judged.fallback,
        )
        if not scores:
            return replace(pool, reranked=told)
        beside = [row for row in offered if row not in scores]
        return _ordered(
            replace(
                pool,
                relevance=mixed(pool.relevance, scores, beside, self._weight),
                channels=(*pool.channels, _before(pool), _by_reranker(pool, scores)),
                reranked=told,
            )
        )

    def _offered(self, query: Query, pool: CandidatePool, must: set[str]) -> list[int]:
        """Rows that may be packed, best first; what is required passes every filter but one."""
        refused = filtered(
            pool.chunks,
            relevance=relevance_signal(pool),
            stated_trust=stated_trust(pool.chunks),
            ages=ages_in_days(pool.chunks, query.as_of),
            config=self._config,
            policy=self._policy,
        )
        blocked = ExclusionCode.BLOCKED_SOURCE
        passed = {
            row
            for row, why in refused.items()
            if pool.chunks[row].chunk_id in must and why.code is not blocked
        }
        return [row for row in _best_first(pool) if row not in refused or row in passed]


def _best_first(pool: CandidatePool) -> list[int]:
    """Rows by relevance, what is unscored last, ties as everywhere."""
    by_id = tie_order(pool.chunks)
    relevance = relevance_signal(pool)[by_id]
    keys = np.where(np.isfinite(relevance), -relevance, np.inf)
    rows: list[int] = by_id[np.argsort(keys, kind="stable")].tolist()
    return rows


def _ranks(rows: Sequence[int], n: int) -> IntArray:
    """(n,) 1-based place in `rows`, 0 for what is not there."""
    ranks = np.zeros(n, dtype=np.int64)
    ranks[list(rows)] = np.arange(1, len(rows) + 1)
    return ranks


def _before(pool: CandidatePool) -> Channel:
    scored = [row for row in _best_first(pool) if np.isfinite(pool.relevance[row])]
    return Channel(name=RETRIEVAL, scores=pool.relevance, ranks=_ranks(scored, len(pool)))


def _by_reranker(pool: CandidatePool, scores: Mapping[int, float]) -> Channel:
    column = np.zeros(len(pool))
    column[list(scores)] = list(scores.values())
    place = {row: at for at, row in enumerate(tie_order(pool.chunks).tolist())}
    best = sorted(scores, key=lambda row: (-scores[row], place[row]))
    return Channel(name=RERANKER, scores=column, ranks=_ranks(best, len(pool)))


def _ordered(pool: CandidatePool) -> CandidatePool:
    """The same rows, best relevance first."""
    rows = np.array(_best_first(pool), dtype=np.int64)
    return pool.in_order(rows)
