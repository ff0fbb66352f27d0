"""The closing notice of one question: what a selection leaves out, and the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.packing.notice_room import rows_without_room
from packhorse.render.notice import longest_notice, notice_forms
from packhorse.types.closing import LeftOut
from packhorse.types.relevance import relevance_floor
from packhorse.verify.coverage import measure_coverage

if TYPE_CHECKING:
    from packhorse.config import CoverageConfig
    from packhorse.types.packing import Packing
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking

__all__ = ["ClosingNotices", "QuestionNotice"]


@dataclass(frozen=True, slots=True)
class ClosingNotices:
    """Makes the notice of each question."""

    coverage: CoverageConfig

    def __call__(self, query: Query, ranking: Ranking, costs: Sequence[int]) -> QuestionNotice:
        """The notice of one question; `costs` are the tokens of each row's block."""
        return QuestionNotice(self.coverage, query, ranking, costs)


@dataclass(frozen=True, slots=True, eq=False)
class QuestionNotice:
    """Says how many relevant passages did not fit, and which required topics nothing covers."""

    coverage: CoverageConfig
    query: Query
    ranking: Ranking
    costs: Sequence[int]

    def longest(self) -> str:
        """A notice as long as any that the question can end with, whatever the room."""
        topics = sorted(set(self.query.required_topics))
        return longest_notice(len(self.ranking.pool), sum(map(int, self.costs)), topics)

    def left_out(self, packing: Packing, room: int) -> LeftOut:
        """Relevant rows that did not fit, and required topics that no packed chunk covers.

        Relevant is what reaches the `relevance_floor` of everything that was ranked. For a query
        outside the corpus, nothing is.

        Args:
            packing: the selection.
            room: tokens for blocks that it had.
        """
        ranking, costs = self.ranking, self.costs
        pool = ranking.pool
        packed = [pool.chunks[row] for row, _ in packing.kept]
        topics = measure_coverage(self.query, pool, packed, self.coverage).missing
        if not pool.in_domain:
            return LeftOut(topics=topics)
        relevance = ranking.signals.relevance
        ranked = (*ranking.order, *(row for row, _code in ranking.reserved))
        floor = relevance_floor(float(relevance[row]) for row in ranked)
        rows = tuple(
            row
            for row in rows_without_room(ranking, packing, costs, room)
            if float(relevance[row]) >= floor
        )
        return LeftOut(rows=rows, tokens=sum(int(costs[row]) for row in rows), topics=topics)

    def forms(self, left_out: LeftOut) -> tuple[str, ...]:
        """The notice in words, longest first; none when nothing is left out."""
        return notice_forms(len(left_out.rows), left_out.tokens, left_out.topics)
