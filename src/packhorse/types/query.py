"""The question a packet answers, with everything about it that decides the packet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray
    from packhorse.types.rewritten import RewrittenQuery

__all__ = ["Query", "TypeReason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeReason:
    """Why a question is of its type. `str()` of it is for people."""

    by: str
    """`keywords`, `example`, or `default` where neither decided."""
    keywords: tuple[str, ...] = ()
    """Those of the type that stand in the question."""
    example: str = ""
    """The example that the question is most like, where it decided, also between types that
    were equal by keywords."""
    similarity: float = 0.0
    """Likeness to that example, 0..1, six decimals."""
    tied_with: tuple[str, ...] = ()
    """Types that were equal to the last; the name decided."""

    def __str__(self) -> str:
        parts = [f"keyword {keyword!r}" for keyword in self.keywords]
        if self.example:
            parts.append(f"example {self.example!r} ({self.similarity:.2f})")
        told = ", ".join(parts) or "the default: no keyword and no example is like it"
        return f"{told}; equal to {', '.join(self.tied_with)}" if self.tied_with else told


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Query:
    """A question, the day it is asked on, and what an answer must cover."""

    text: str
    as_of: datetime
    """The instant that freshness is measured from, aware and in UTC; there is no other clock."""
    query_type: str = "default"
    type_by: TypeReason = TypeReason(by="default")
    """Why it is of that type."""
    required_topics: tuple[str, ...] = ()
    """Topics that a complete answer needs, sorted; empty means nothing is required."""
    vector: FloatArray | None = None
    """float32, shape (d,), length 1 or 0; None when no embedder took part. It is the direction of
    `searched`."""
    rewritten: RewrittenQuery | None = None
    """What a conversation added to the question; None where there was none to look at."""

    @property
    def searched(self) -> str:
        """The text that both channels search with."""
        return self.text if self.rewritten is None else self.rewritten.text
