"""What packing says: who is in, who is out, what it cost and how good that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.closing import Closing
    from packhorse.types.constraints import UnmetConstraint
    from packhorse.types.decision import Exclusion, Inclusion

__all__ = ["Packing", "Quality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How close a selection is to the best possible one, for its stated objective."""

    objective: str
    """What is summed, for example the worth of ranked chunks."""
    value: float
    upper_bound: float
    """No selection under the same budget and constraints can be worth more."""

    @property
    def optimality(self) -> float:
        """`value / upper_bound`, 0..1; 1 when there was nothing to win."""
        return 1.0 if self.upper_bound <= 0 else min(1.0, self.value / self.upper_bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """A selection. Every candidate row is in `kept` or in `excluded`, once."""

    strategy: str
    kept: tuple[tuple[int, Inclusion], ...]
    """Rows that are in, reserved ones first, then by rank."""
    excluded: Mapping[int, Exclusion]
    used_tokens: int
    """Sum of the kept rows' block tokens."""
    skipped_for_size: tuple[int, ...]
    """Rows out because they did not fit (`exceeded_remaining_budget`), in rank order."""
    would_fit_at: Mapping[int, int]
    """For rows skipped for size: the smallest budget for blocks, in tokens, at which packing again
    keeps them. Left out where finding it costs too much: for rows far down a walk, for strategies
    that do not walk, and where a constraint makes more budget no simple matter."""
    quality: Quality
    unmet: tuple[UnmetConstraint, ...] = ()
    """Constraints that could not be kept."""
    room: int | None = None
    """Tokens that the blocks could take; None where nobody said."""
    note: str = ""
    """What a reader has to know about how the selection was found, for example that the search
    for the best one was cut short; empty for nothing."""
    closing: Closing | None = None
    """The notice about what was left out; None where none was asked for."""
