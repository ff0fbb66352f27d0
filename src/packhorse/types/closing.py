"""What was left out for want of room, and the notice at the end of the evidence that says so."""

from dataclasses import dataclass

__all__ = ["Closing", "LeftOut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What a reader of the evidence should know is missing from it."""

    rows: tuple[int, ...] = ()
    """Relevant candidates that did not fit, by rank."""
    tokens: int = 0
    """Of their blocks."""
    topics: tuple[str, ...] = ()
    """Required topics that nothing in the evidence covers, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The notice of one packing, and the room that was kept for it."""

    left_out: LeftOut
    longest_tokens: int
    """Of the longest notice that this question could end with."""
    kept_tokens: int
    """How much less room passages had for its sake: `longest_tokens` or 0."""
