"""The form of what a packet says about sections and notes; part of `wire.py`."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = ["MemoryWire", "SectionWire"]

Unit = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]


class LeftOutWire(Struct):
    """A paragraph of a section of the operator's own that is not in."""

    piece: str
    reason_code: str
    excluded_reason: str


class SectionWire(Struct):
    """What one part of the window asked for and got, in the order of service."""

    name: str
    rule: Literal["never", "whole", "window"]
    priority: Annotated[Count, Meta(description="Lower is served first.")]
    floor: Count
    cap: Count | None
    growth: Count
    asked: Count
    needs: Annotated[Count, Meta(description="Of `asked`: what must be in.")]
    got: Count
    reason: str
    left_out: list[LeftOutWire] | UnsetType = UNSET


class NoteWire(Struct):
    """One note: in or out, and why."""

    note_id: str
    included: bool
    reason_code: Literal["ranked", "superseded", "duplicate", "exceeded_remaining_budget"]
    reason: str
    tokens: Count
    score: Unit
    relevance_score: Unit
    freshness_score: Unit
    timestamp: str | None
    tags: list[str]
    key: str
    subject: str
    attribute: str
    text: Annotated[str | UnsetType, Meta(description="Of notes that are in.")] = UNSET


class MemoryWire(Struct):
    """The memory section; notes that are in come first, in reading order."""

    asked: Annotated[Count, Meta(description="Tokens with all notes that hold.")]
    tokens: Count
    notes: list[NoteWire]
