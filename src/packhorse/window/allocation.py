"""What a question of some complexity is given: share of the budget, candidates, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.window.complexity import query_complexity

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.window.complexity import Complexity

__all__ = ["ALLOCATIONS", "ComplexityAllocation", "adapted_to", "allocation_for"]

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityAllocation:
    """What one level of complexity is given."""

    evidence_percent: int
    """Of the evidence budget that is asked for, rounded up."""
    candidates: int | None
    """Most chunks that are fetched to choose from; None: as many as the profile says."""
    output_tokens: int
    """Kept free for the answer where nobody says how much; used by `route`."""


ALLOCATIONS: Mapping[str, ComplexityAllocation] = {
    "simple": ComplexityAllocation(evidence_percent=50, candidates=50, output_tokens=500),
    "moderate": ComplexityAllocation(evidence_percent=75, candidates=None, output_tokens=1000),
    "complex": ComplexityAllocation(evidence_percent=100, candidates=None, output_tokens=2000),
}
"""Shares and candidates were measured, see docs/guides/route.md; the answers are a convention."""


def allocation_for(complexity: Complexity) -> ComplexityAllocation:
    """What a question is given; a more complex one is never given less."""
    return ALLOCATIONS[complexity.level]


def adapted_to(query: str, profile: Profile, budget: int | None) -> tuple[Profile, int | None]:
    """A profile and a budget as the complexity of a question gives them.

    The level that decided stands in the profile that comes back, with the candidates that it
    gives: both are recorded with the packet, so that it can be made again without asking anew.

    Args:
        query: the question.
        profile: `request.adaptive` is `auto` or a level; where it is None nothing changes.
        budget: tokens asked for; None, and what is no number above 0, stays as it is.
    """
    level = profile.request.adaptive
    if level is None:
        return profile, budget
    if level == AUTO:
        level = query_complexity(query).level
    given = ALLOCATIONS[level]
    profile = replace(profile, request=replace(profile.request, adaptive=level))
    if given.candidates is not None:
        most = min(profile.retrieval.candidates, given.candidates)
        profile = replace(profile, retrieval=replace(profile.retrieval, candidates=most))
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        budget = -(-budget * given.evidence_percent // 100)
    return profile, budget
