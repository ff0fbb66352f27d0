"""What became of each note, for people and for packets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.window.memory.choose import ChosenNotes

__all__ = ["NoteDecision", "note_decisions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDecision:
    """One note: in or out, and why."""

    note_id: str
    kept: bool
    reason_code: str
    """`ranked` for what is in; else `superseded`, `duplicate` or `exceeded_remaining_budget`."""
    reason: str
    tokens: int
    """Of its line in the section."""


def note_decisions(chosen: ChosenNotes) -> Iterator[NoteDecision]:
    """Those that are in, in reading order; then the others, in the order given."""
    for note_id in chosen.kept:
        why = chosen.because[note_id]
        yield NoteDecision(
            note_id=note_id,
            kept=True,
            reason_code=why.code,
            reason=why.detail,
            tokens=chosen.costs[note_id],
        )
    for note_id, why in chosen.left_out.items():
        yield NoteDecision(
            note_id=note_id,
            kept=False,
            reason_code=why.code,
            reason=why.detail,
            tokens=chosen.costs[note_id],
        )
