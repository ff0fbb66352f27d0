"""What reranking knows about each candidate before anything is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.columns import Columns
from packhorse.rerank.composite import standing
from packhorse.rerank.coverage import topic_strengths
from packhorse.rerank.freshness import ages_in_days, freshness_signal
from packhorse.rerank.relevance import relevance_signal
from packhorse.rerank.source_cap import source_numbers
from packhorse.rerank.trust import stated_trust, trust_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import RerankConfig
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["Table", "tie_order"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Columns of a pool, one row a candidate."""

    relevance: FloatArray
    """(n,) 0..1, NaN where unscored."""
    stated_trust: FloatArray
    """(n,) 0..1, NaN where nobody rated it."""
    trust: FloatArray
    """(n,) 0..1, neutral where nobody rated it."""
    ages: FloatArray
    """(n,) days, NaN where unknown."""
    freshness: FloatArray
    standing: FloatArray
    """(n,) the fixed part of the score, in millionths."""
    strengths: FloatArray
    """(n, t) strength for each required topic."""
    vectors: FloatArray
    """(n, d) rows of length 1 or 0; d is 0 when the pool has no vectors."""
    keys: FloatArray | None
    """(n, d) as in `CandidatePool.keys`; None is the vectors."""
    sources: IntArray
    """(n,) a number for each source."""
    by_id: IntArray
    """(n,) rows in tie order."""

    @staticmethod
    def of(query: Query, pool: CandidatePool, config: RerankConfig) -> Table:
        """Computes the columns; cost is linear, but for the sort by id."""
        chunks = pool.chunks
        relevance = relevance_signal(pool)
        stated = stated_trust(chunks)
        trust = trust_signal(stated)
        ages = ages_in_days(chunks, query.as_of)
        freshness = freshness_signal(ages, config.freshness_half_life_days)
        vectors = np.zeros((len(chunks), 0)) if pool.vectors is None else pool.vectors
        return Table(
            relevance=relevance,
            stated_trust=stated,
            trust=trust,
            ages=ages,
            freshness=freshness,
            standing=standing(relevance, trust, freshness, config.weights),
            strengths=topic_strengths(pool, query.required_topics),
            vectors=vectors,
            keys=pool.keys,
            sources=source_numbers(chunks),
            by_id=tie_order(chunks),
        )

    def columns(self, config: RerankConfig) -> Columns:
        """The same rows as a field of competition."""
        return Columns(
            standing=self.standing,
            vectors=self.vectors,
            keys=self.keys,
            strengths=self.strengths,
            sources=self.sources,
            weights=config.weights,
            lambda_=config.mmr_lambda,
        )


def tie_order(chunks: Sequence[Chunk]) -> IntArray:
    """(n,) rows by chunk id, then source id, then position in source."""
    ids = [chunk.chunk_id for chunk in chunks]
    if len(set(ids)) == len(ids):
        order = sorted(range(len(ids)), key=ids.__getitem__)
    else:
        keys = [(c.chunk_id, c.source_id, c.position_in_source) for c in chunks]
        order = sorted(range(len(keys)), key=keys.__getitem__)
    return np.array(order, dtype=np.int64)
