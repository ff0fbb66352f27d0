"""How far down the ranking a budget reached, and where a candidate lost its place on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.packet.explanation import Stage

__all__ = ["BY_RANK", "Fall", "Reach", "largest_fall", "reach_of"]

Document = Mapping[str, Any]

BY_RANK = frozenset({"ranked", "expanded"})
"""Reasons to be in that took a rank."""

LARGE = 1.5
"""This many times the usual length is large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the budget took by rank."""

    taken: int
    """How many; what is in by a rule does not count."""
    last: int
    """The lowest rank among them, as a number the highest; 0 for none."""
    tokens: float
    """Median of their tokens; 0 for none."""

    def is_large(self, tokens: int) -> bool:
        """Whether a candidate is much longer than what is usually in."""
        return tokens > LARGE * self.tokens

    def is_beyond(self, rank: int, tokens: int) -> bool:
        """Whether a candidate is out for its rank: at its size, a better one would have done.

        So it is below everything that is in, or below as many places as were taken and no longer
        than what is usually in. Where nothing came in by rank, nothing is out for its rank.
        """
        if not self.taken:
            return False
        return rank > self.last or (rank > self.taken and tokens <= self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """The stage at which a candidate lost most."""

    stage: str
    """`fused`, `reranked` or `mmr`."""
    before: int
    """Rank at the stage before it; for `fused`, the places that the budget took."""
    after: int


def reach_of(document: Document) -> Reach:
    """The reach of a packet's budget."""
    ranked = [each for each in document["packed_chunks"] if each["reason_code"] in BY_RANK]
    return Reach(
        taken=len(ranked),
        last=max((each["rank"] for each in ranked), default=0),
        tokens=float(median(each["tokens"] for each in ranked)) if ranked else 0.0,
    )


def largest_fall(stages: Mapping[str, Stage], reach: Reach) -> Fall | None:
    """Where the rank became the most times worse; the first of equals, None for nowhere."""
    falls = []
    before = max(1, reach.taken)
    for name in ("fused", "reranked", "mmr"):
        after = stages[name].rank
        if after is not None:
            falls.append(Fall(stage=name, before=before, after=after))
            before = after
    worst = max(falls, key=lambda fall: fall.after / fall.before, default=None)
    return worst if worst is not None and worst.after > worst.before else None
