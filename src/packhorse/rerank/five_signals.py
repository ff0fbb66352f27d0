"""The default reranker: five signals, filters, duplicates, diversity.

In this order: filters take out what may not be packed, duplicates what is said better elsewhere,
and what is left is ranked greedily by marginal value (maximal marginal relevance over the
composite score), starting from the required chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import ConfigError
from packhorse.rerank.composite import from_millionths
from packhorse.rerank.duplicates import duplicates
from packhorse.rerank.filters import filtered, refuse_blocked_requirements
from packhorse.rerank.greedy import Chosen, GreedyWalk
from packhorse.rerank.source_cap import capped
from packhorse.rerank.table import Table
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.ranking import Ranking, Signals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.config import KnowledgeBasePolicy, RerankConfig
    from packhorse.rerank.columns import Columns
    from packhorse.rerank.copies import Copies
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["DEPTH", "FiveSignalReranker"]

DEPTH = 512
"""Candidates ranked one by one against what is chosen. Beyond it the rest follows by marginal
value against the required chunks alone, with the coverage still open then."""

_RESERVATION = (InclusionCode.MANDATORY, InclusionCode.PINNED, InclusionCode.ATTACHED)


class FiveSignalReranker:
    """Ranks a pool by relevance, trust, freshness, coverage and deduplication.

    Trust is read from the chunks, where the policy's table has been applied to it already.
    The result does not depend on the order of the pool.
    """

    def __init__(
        self,
        config: RerankConfig,
        policy: KnowledgeBasePolicy,
        *,
        depth: int = DEPTH,
        copies: Copies | None = None,
    ) -> None:
        """Takes the settings.

        Args:
            config: weights, thresholds, lambda, top-k, source cap.
            policy: blocked sources and thresholds of the knowledge base.
            depth: candidates that are ranked one by one.
            copies: which rows of the pool give which other's text, where that is known already;
                None reads the texts.
        """
        self._config = config
        self._policy = policy
        self._depth = depth
        self._copies = copies

    def rerank(
        self, query: Query, pool: CandidatePool, reserved: Mapping[str, InclusionCode]
    ) -> Ranking:
        """Orders `pool`; whatever is taken out carries its reason.

        `excluded` is in the order of its codes; inside a code by chunk id, or by rank for what
        the top-k cut took out.

        Args:
            query: its `as_of` is the day freshness is measured from; its required topics are
                what coverage is about.
            pool: candidates, the required ones among them.
            reserved: chunk id -> why it must be in. Required chunks pass every filter and
                survive as duplicates; they count as chosen from the start.

        Raises:
            ConfigError: a required chunk is not in the pool, or its source is blocked.
        """
        required = _required_rows(pool.chunks, reserved)
        refuse_blocked_requirements(pool.chunks, required, self._policy)
        table = Table.of(query, pool, self._config)
        refused = filtered(
            pool.chunks,
            relevance=table.relevance,
            stated_trust=table.stated_trust,
            ages=table.ages,
            config=self._config,
            policy=self._policy,
        )
        excluded = {row: why for row, why in refused.items() if row not in required}
        excluded |= self._duplicates(pool.chunks, table, required, excluded)
        return self._ranked(pool, table, required, excluded)

    def _duplicates(
        self,
        chunks: Sequence[Chunk],
        table: Table,
        required: Mapping[int, InclusionCode],
        excluded: Mapping[int, Exclusion],
    ) -> dict[int, Exclusion]:
        threshold = self._config.dedup_threshold
        if threshold is None:
            return {}
        by_id = table.by_id
        # Of two copies the dated one stays: an unknown age counts as the highest.
        ages = np.where(np.isnan(table.ages), np.inf, table.ages)
        keys = (-table.relevance[by_id], ages[by_id], -table.trust[by_id])
        best_first = by_id[np.lexsort(keys)].tolist()
        walk = [*required, *(r for r in best_first if r not in required and r not in excluded)]
        if self._copies is None:
            texts = [chunks[row].text for row in walk]
            found = duplicates(texts, threshold, n_required=len(required))
        else:
            found = self._copies.duplicates(walk, n_required=len(required))
        return {walk[at]: copy.exclusion(chunks[walk[copy.of]]) for at, copy in found.items()}

    def _ranked(
        self,
        pool: CandidatePool,
        table: Table,
        required: Mapping[int, InclusionCode],
        excluded: dict[int, Exclusion],
    ) -> Ranking:
        config = self._config
        columns = table.columns(config)
        room = len(required) + min(self._depth, len(pool) if config.top_k is None else config.top_k)
        chosen = Chosen(table.vectors.shape[1], table.strengths.shape[1], room=room)
        for row in required:
            columns.measure(np.array([row]), chosen.vectors(), chosen.covered)
            source = int(table.sources[row])
            chosen.add(columns.keys[[row]], table.strengths[[row]], [source])
        out = np.array(sorted(excluded), dtype=np.int64)
        columns.measure(out, chosen.vectors(), chosen.covered)

        taken = excluded.keys() | required.keys()
        rows = np.array([row for row in table.by_id.tolist() if row not in taken], dtype=np.int64)
        part = columns.part(rows)
        walk = GreedyWalk(part, chosen, cap=config.max_per_source)
        top_k = rows.size if config.top_k is None else config.top_k
        walk.run(min(top_k, self._depth))
        cut = walk.finish(top_k)
        columns.put(rows, part)

        excluded = _sorted(excluded, pool.chunks)
        for rank, place in enumerate(cut, start=len(walk.order) + 1):
            excluded[int(rows[place])] = _not_selected(rank, top_k)
        for place in sorted(walk.capped):
            excluded[int(rows[place])] = capped(pool.chunks[rows[place]], config.max_per_source)
        return Ranking(
            pool=pool,
            signals=_signals(table, columns),
            reserved=tuple(required.items()),
            order=tuple(rows[walk.order].tolist()),
            excluded=excluded,
        )


def _required_rows(
    chunks: Sequence[Chunk], reserved: Mapping[str, InclusionCode]
) -> dict[int, InclusionCode]:
    """Row -> why it is required, in the order of reservation: by code, then as given."""
    if not reserved:
        return {}
    row_of = {chunk.chunk_id: row for row, chunk in enumerate(chunks)}
    missing = sorted(reserved.keys() - row_of.keys())
    if missing:
        raise ConfigError(
            f"Required chunks are not among the candidates: {', '.join(missing)}",
            hint="Check the chunk ids under mandatory, pinned and attached",
        )
    return {
        row_of[chunk_id]: code
        for wanted in _RESERVATION
        for chunk_id, code in reserved.items()
        if code is wanted
    }


def _sorted(excluded: Mapping[int, Exclusion], chunks: Sequence[Chunk]) -> dict[int, Exclusion]:
    """By reason, then by chunk id, source id and position."""
    codes = list(ExclusionCode)

    def key(row: int) -> tuple[int, str, str, int]:
        chunk = chunks[row]
        place = codes.index(excluded[row].code)
        return (place, chunk.chunk_id, chunk.source_id, chunk.position_in_source)

    return {row: excluded[row] for row in sorted(excluded, key=key)}


def _not_selected(rank: int, top_k: int) -> Exclusion:
    code = ExclusionCode.NOT_SELECTED_BY_MMR
    return Exclusion(code=code, reason=f"{code.value} (rank {rank}, top_k {top_k})")


def _signals(table: Table, columns: Columns) -> Signals:
    return Signals(
        relevance=table.relevance,
        trust=table.trust,
        freshness=table.freshness,
        coverage=from_millionths(columns.coverage),
        deduplication=from_millionths(columns.similarity),
        score=from_millionths(columns.score),
    )
