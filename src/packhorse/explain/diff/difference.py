"""What is not the same in two packets, and which input made it so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.explain.diff.attribution import Attribution
    from packhorse.explain.diff.changed_inputs import ChangedInput

__all__ = ["SECTIONS", "ChunkDifference", "Difference", "Line", "Place"]

SECTIONS = (
    *("inputs", "selection", "positions", "text", "checks", "coverage", "conflicts"),
    *("reasons", "pool", "ranks", "scores", "details", "tokens", "ledger", "packing", "other"),
)
"""What is compared, the most important first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a candidate stands in one packet."""

    position: int | None
    """1-based place in the text; None for one that is out."""
    rank: int | None
    """1-based place in the ranked list; None for one that never competed."""
    score: float | None
    signals: Mapping[str, float | None]
    """`relevance`, `trust`, `freshness`, `coverage`, `deduplication`, and the raw `lexical` and
    `dense` scores of retrieval."""
    tokens: int
    """Of its block."""
    text_tokens: int
    reason_code: str
    reason: str
    """For people, with numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDifference:
    """A candidate that does not stand in both packets as it does in the other."""

    chunk_id: str
    sections: tuple[str, ...]
    """Which of `SECTIONS` it is a difference in, the most important first."""
    was: Place | None
    """In A; None where it is no candidate."""
    now: Place | None
    because: Attribution | None = None
    """What makes the first of its sections differ; None where that was not found out."""

    @property
    def entered(self) -> bool:
        """Whether it is in B alone."""
        return "selection" in self.sections and bool(self.now and self.now.position)

    @property
    def left(self) -> bool:
        """Whether it was in A alone."""
        return "selection" in self.sections and not self.entered

    @property
    def moved(self) -> bool:
        """Whether it is in both, at another place of the text."""
        return "positions" in self.sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One value outside the candidates that differs."""

    name: str
    was: Any
    now: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two packets compared. `str()` of it is for people, at most 100 columns."""

    same: bool
    """Whether nothing that is compared differs."""
    identical: bool
    """Whether the packets are the same, hash for hash."""
    trace_ids: tuple[str, str]
    packet_hashes: tuple[str, str]
    differs: tuple[str, ...]
    """Sections that are compared and differ, in the order of `SECTIONS`."""
    not_compared: tuple[str, ...]
    """Sections, and ignored inputs, that differ and do not count."""
    n_packed: tuple[int, int]
    inputs: tuple[ChangedInput, ...]
    """All that changed, ignored ones too."""
    selection: Attribution | None
    """What makes the whole set of packed chunks the other one; None where it is the same, and
    where that was not found out."""
    chunks: tuple[ChunkDifference, ...]
    """Entered, left, moved, then all others by id."""
    lines: Mapping[str, tuple[Line, ...]]
    """Section -> values outside the candidates."""
    note: str = ""
    """Why nothing is attributed; empty where it is."""

    @property
    def entered(self) -> tuple[ChunkDifference, ...]:
        """Chunks in B alone, in reading order."""
        return tuple(each for each in self.chunks if each.entered)

    @property
    def left(self) -> tuple[ChunkDifference, ...]:
        """Chunks in A alone, in reading order."""
        return tuple(each for each in self.chunks if each.left)

    @property
    def moved(self) -> tuple[ChunkDifference, ...]:
        """Chunks in both, elsewhere in the text, in the reading order of B."""
        return tuple(each for each in self.chunks if each.moved)

    @property
    def rescored(self) -> tuple[ChunkDifference, ...]:
        """Candidates of both with another score, or another signal behind it."""
        return tuple(each for each in self.chunks if "scores" in each.sections)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: all fields, and who entered, left, moved and was re-scored, by id."""
        lists = {
            name: [each.chunk_id for each in getattr(self, name)]
            for name in ("entered", "left", "moved", "rescored")
        }
        return {**asdict(self), **lists}

    def __str__(self) -> str:
        from packhorse.explain.diff.text import difference_text

        return difference_text(self)
