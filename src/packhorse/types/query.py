"""The question a packet answers, with everything about it that decides the packet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray
    from packhorse.types.rewritten import RewrittenQuery

__all__ = ["Query"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Query:
    """A question, the day it is asked on, and what an answer must cover."""

    text: str
    as_of: datetime
    """The instant that freshness is measured from, aware and in UTC; there is no other clock."""
    query_type: str = "default"
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
