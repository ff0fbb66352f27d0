"""What a reranker of the user's said about a pool, or why it said nothing."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reranked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """How a pool came by its relevance, where a reranker was to judge."""

    model: str
    """What the reranker is called; holds no key."""
    scale: str
    """What its numbers were declared as: `logits` or `probabilities`."""
    weight: float
    """Share of its probability in the relevance of what it judged, 0..1."""
    judged: int
    """Candidates that it judged; 0 when it fell back."""
    fallback: str = ""
    """Why relevance is that of retrieval alone; empty when the reranker judged."""
