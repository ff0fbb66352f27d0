"""Says what a reranker of the user's did, or why it did nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from packhorse.types.candidate import CandidatePool

__all__ = ["reranker_check"]


def reranker_check(pool: CandidatePool) -> tuple[Check, ...]:
    """Passes when the reranker judged, warns when it fell back; nothing without one."""
    told = pool.reranked
    if told is None:
        return ()
    if told.fallback:
        detail = f"{told.fallback}; relevance is that of retrieval alone"
        return (Check(name="reranker", status=Status.WARN, detail=detail),)
    detail = f"{told.model} judged {told.judged} of {len(pool)} candidates"
    return (Check(name="reranker", status=Status.PASS, detail=detail),)
