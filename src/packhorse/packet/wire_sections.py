"""The form of what a packet says about sections and what is in them; part of `wire.py`."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from packhorse.packet.wire_candidates import Sha256

__all__ = ["ExamplesWire", "MemoryWire", "SectionWire", "ToolsWire"]

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
    rule: Literal["never", "whole", "window", "summarise"]
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


class ExampleWire(Struct):
    """One example: in or out, and why."""

    example_id: str
    included: bool
    reason_code: Literal[
        "chosen",
        "twin_of_the_question",
        "duplicate",
        "exceeded_remaining_budget",
        "over_the_number_asked_for",
    ]
    reason: str
    tokens: Annotated[Count, Meta(description="Of its turns, framing included.")]
    content_hash: Annotated[Sha256, Meta(description="Of what it says.")]
    input: Annotated[str | UnsetType, Meta(description="Of examples that are in.")] = UNSET
    output: str | UnsetType = UNSET
    label: str | UnsetType | None = UNSET


class ExamplesWire(Struct):
    """The examples; those that are in come first, in reading order."""

    order: str
    tokens: Count
    examples: list[ExampleWire]


class ToolWire(Struct):
    """One tool: defined in the request or not, and why."""

    name: str
    included: bool
    reason_code: Literal[
        "all_fit",
        "pinned",
        "called",
        "chosen",
        "exceeded_remaining_budget",
        "over_the_number_asked_for",
        "not_called_any_more",
    ]
    reason: str
    tokens: Annotated[Count, Meta(description="Of its definition.")]
    content_hash: Annotated[Sha256, Meta(description="Of what its definition says.")]
    definition: Annotated[
        str | UnsetType,
        Meta(description="Of tools that are in: JSON as it was given, keys in their order."),
    ] = UNSET


class ToolsWire(Struct):
    """The tools; those that are in come first, in their order."""

    max_tools: Count | None
    max_tokens: Count | None
    tokens: Annotated[Count, Meta(description="Of all definitions in the request.")]
    tools: list[ToolWire]
