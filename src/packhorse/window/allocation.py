"""What a question of some complexity is given: share of the evidence budget, candidates, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.window.complexity import Complexity

__all__ = ["ALLOCATIONS", "ComplexityAllocation", "allocation_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityAllocation:
    """What one level of complexity is given."""

    evidence_percent: int
    """Of the evidence budget."""
    candidates: int
    """Chunks that are fetched to choose from."""
    output_tokens: int
    """Kept free for the answer."""


ALLOCATIONS: Mapping[str, ComplexityAllocation] = {
    "simple": ComplexityAllocation(evidence_percent=50, candidates=100, output_tokens=500),
    "moderate": ComplexityAllocation(evidence_percent=75, candidates=100, output_tokens=1000),
    "complex": ComplexityAllocation(evidence_percent=100, candidates=200, output_tokens=2000),
}


def allocation_for(complexity: Complexity) -> ComplexityAllocation:
    """What a question is given; more complex is never given less."""
    return ALLOCATIONS[complexity.level]
