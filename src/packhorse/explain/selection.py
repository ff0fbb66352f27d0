"""Selection run again from a packet, by the stages that ran it, with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetError
from packhorse.explain.recorded import Recorded, recorded
from packhorse.order.registry import orderer
from packhorse.order.together import reading_order
from packhorse.packet.canonical import finite
from packhorse.packet.rows import SIGNALS
from packhorse.packing.notice_room import least_room, room_to_keep
from packhorse.packing.registry import packer
from packhorse.pipeline import merged_ranks
from packhorse.rerank.five_signals import FiveSignalReranker

if TYPE_CHECKING:
    from packhorse.config import Weights
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["NO_CHANGE", "Change", "Selection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is not as the packet records it; None is as recorded."""

    row: int | None = None
    """The candidate that `relevance`, `trust` or `timestamp` is about."""
    relevance: float | None = None
    trust: float | None = None
    """What the operator would say."""
    timestamp: datetime | None = None
    mmr_lambda: float | None = None
    weights: Weights | None = None
    budget: int | None = None
    """Of the evidence section."""


NO_CHANGE = Change()


class Selection:
    """The selection behind a packet, to be made again.

    Rows are the packet's candidates in the order of the pool, best relevance first.
    """

    def __init__(self, document: Mapping[str, Any], kb: KnowledgeBase | None = None) -> None:
        """Reads a packet.

        Args:
            document: a packet's.
            kb: only needed where the packet leaves out what selection takes.

        Raises:
            InputError: the packet leaves out what selection takes, and `kb` does not have it.
            ConfigError: its profile is none that this version reads.
        """
        self.recorded: Recorded = recorded(document, kb)
        self._as_recorded: Ranking | None = None
        self._in_at_lambda: dict[float, frozenset[int]] = {}

    def ranking(self, change: Change = NO_CHANGE) -> Ranking:
        """Filters, duplicates and ranking, with the change."""
        if _leaves_ranking(change):
            if self._as_recorded is None:
                self._as_recorded = self._rank(change)
            return self._as_recorded
        return self._rank(change)

    def packing(self, change: Change = NO_CHANGE, *, ranking: Ranking | None = None) -> Packing:
        """The whole selection, with the change.

        Raises:
            BudgetExceededError: required chunks do not fit.
        """
        own = self.recorded
        budget = own.budget if change.budget is None else change.budget
        if ranking is None:
            ranking = self.ranking(change)
        if not own.longest_notice or change == NO_CHANGE:
            return self._packed(ranking, own.room + budget - own.budget)
        room = own.room + own.kept_for_notice + budget - own.budget
        whole = self._packed(ranking, room)
        kept = room_to_keep(ranking, whole, own.block_tokens, room, own.longest_notice)
        return self._packed(ranking, room - kept) if kept else whole

    def notice_begins_between(self, budget: int, other: int) -> bool:
        """Whether a closing notice has room of its own at one of two budgets only.

        Where it begins to have some, passages have less than at a budget of one token less.
        """
        own = self.recorded
        if not own.longest_notice:
            return False
        least = least_room(self.ranking(), own.block_tokens, own.longest_notice)
        begins = least - own.room - own.kept_for_notice + own.budget
        return (budget < begins) != (other < begins)

    def _packed(self, ranking: Ranking, room: int) -> Packing:
        own = self.recorded
        stage = packer(own.profile.pack.strategy)
        return stage.pack(ranking, own.block_tokens, room, own.constraints)

    def chosen(self, change: Change = NO_CHANGE) -> frozenset[int]:
        """Rows that are in, with the change; none where required chunks do not fit."""
        if change.mmr_lambda is not None and change == Change(mmr_lambda=change.mmr_lambda):
            at = change.mmr_lambda
            if at not in self._in_at_lambda:
                self._in_at_lambda[at] = self._chosen(change)
            return self._in_at_lambda[at]
        return self._chosen(change)

    def _chosen(self, change: Change) -> frozenset[int]:
        try:
            return frozenset(row for row, _ in self.packing(change).kept)
        except BudgetError:
            return frozenset()

    def reading_order(self, change: Change = NO_CHANGE) -> tuple[int, ...]:
        """Rows that are in, with the change, in the order in which they are read.

        Raises:
            BudgetExceededError: required chunks do not fit.
        """
        own, ranking = self.recorded, self.ranking(change)
        kept = {row for row, _ in self.packing(change, ranking=ranking).kept}
        rows = [row for row in merged_ranks(ranking) if row in kept]
        return reading_order(orderer(own.profile.render.order), own.pool, rows)

    def difference(self) -> str:
        """What selecting again without a change gives otherwise than the packet; empty for none.

        A packet of this version gives nothing otherwise. One that says something else was made by
        other code, and what would have changed its decisions cannot be told.
        """
        return next(self._differences(), "")

    def _differences(self) -> Iterator[str]:
        ranking = self.ranking()
        try:
            packing = self.packing(ranking=ranking)
        except BudgetError as error:
            yield f"packing again fails: {error.message}"
            return
        places = {row: place for place, row in enumerate(merged_ranks(ranking), start=1)}
        kept = dict(packing.kept)
        for row, entry in enumerate(self.recorded.entries):
            decision = kept.get(row) or packing.excluded[row]
            code, reason = decision.code.value, decision.reason
            was = entry.get("included_reason") or entry.get("excluded_reason")
            found: dict[str, Any] = {"reason_code": code, "reason": reason, "rank": places.get(row)}
            told = {"reason_code": entry["reason_code"], "reason": was, "rank": entry["rank"]}
            for name, field in (("score", "score"), *SIGNALS.items()):
                found[field] = finite(float(getattr(ranking.signals, name)[row]), [])
                told[field] = entry[field]
            for name, value in told.items():
                if value != found[name]:
                    yield (
                        f"{name} of {entry['chunk_id']} comes to {found[name]!r}, the packet has"
                        f" {value!r}"
                    )

    def _rank(self, change: Change) -> Ranking:
        own = self.recorded
        config = own.profile.rerank
        if change.mmr_lambda is not None:
            config = replace(config, mmr_lambda=change.mmr_lambda)
        if change.weights is not None:
            config = replace(config, weights=change.weights)
        reranker = FiveSignalReranker(config, own.policy, copies=own.copies)
        return reranker.rerank(own.query, _changed(own.pool, change), own.reserved)


def _leaves_ranking(change: Change) -> bool:
    return change.row is None and change.mmr_lambda is None and change.weights is None


def _changed(pool: CandidatePool, change: Change) -> CandidatePool:
    row = change.row
    if row is None:
        return pool
    chunk = pool.chunks[row]
    if change.trust is not None:
        chunk = replace(chunk, trust_score=change.trust)
    if change.timestamp is not None:
        chunk = replace(chunk, timestamp=change.timestamp)
    relevance = pool.relevance
    if change.relevance is not None:
        relevance = relevance.copy()
        relevance[row] = change.relevance
    return replace(
        pool,
        chunks=(*pool.chunks[:row], chunk, *pool.chunks[row + 1 :]),
        relevance=relevance,
    )
