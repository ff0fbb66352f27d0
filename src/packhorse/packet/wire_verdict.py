"""The form of what a packet says about its question and of the checks."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "CheckWire",
    "ConsistencyWire",
    "Count",
    "CoverageWire",
    "DiversityWire",
    "TypeReasonWire",
    "Unit",
]

Unit = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]


class TypeReasonWire(Struct):
    """Why the question is of its type: keywords in it, or an example that it is like."""

    by: Literal["keywords", "example", "default"]
    keywords: list[str]
    example: str
    similarity: Unit
    tied_with: list[str]


class FoundByWire(Struct):
    """What shows that a topic is covered, and by text the words that do."""

    by: Literal["tags", "text"]
    words: list[str]


class CoverageWire(Struct):
    """Required topics and how strongly the packed chunks cover them."""

    query_type: str
    required_topics: list[str]
    covered: list[str]
    partial: list[str]
    missing: list[str]
    strengths: dict[str, Unit]
    evidence: dict[str, str]
    score: Unit
    in_domain: bool
    domain_evidence: dict[str, float | None]
    found_by: dict[str, FoundByWire] | UnsetType = UNSET


class ClaimWire(Struct):
    """One side of a conflict; offsets are code points of the chunk's text."""

    text: str
    value: str
    start: Count
    end: Count


class ConflictWire(Struct):
    """Two packed chunks that state different values for the same thing."""

    chunk_a: str
    chunk_b: str
    kind: str
    a: ClaimWire
    b: ClaimWire


class ConsistencyWire(Struct):
    """Conflicts between packed chunks."""

    status: Literal["clean", "conflict"]
    conflicts: list[ConflictWire]


class DiversityWire(Struct):
    """How many sources the packed chunks come from."""

    unique_sources: Count
    largest_share: Unit


class CheckWire(Struct):
    """One check and its outcome."""

    name: str
    status: Literal["pass", "warn", "fail"]
    detail: str
