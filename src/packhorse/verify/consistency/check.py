"""The check of a packet: a warning that names both sides of its conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Claim, Conflict, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["consistency_check"]

SHOWN = 3
"""Conflicts that the check's sentence spells out."""


def consistency_check(packed: Sequence[Chunk], conflicts: Sequence[Conflict]) -> Check:
    """Warns when there is a conflict; names both sides, with their dates and trust if known."""
    if not conflicts:
        return Check(name="consistency", status=Status.PASS, detail="no factual conflicts detected")
    by_id = {chunk.chunk_id: chunk for chunk in packed}
    shown = "; ".join(
        f"{_side(by_id[each.chunk_a], each.a)} against {_side(by_id[each.chunk_b], each.b)}"
        for each in conflicts[:SHOWN]
    )
    more = f"; and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
    plural = "" if len(conflicts) == 1 else "s"
    return Check(
        name="consistency",
        status=Status.WARN,
        detail=f"{len(conflicts)} factual conflict{plural}: {shown}{more}",
    )


def _side(chunk: Chunk, claim: Claim) -> str:
    facts = [chunk.timestamp.date().isoformat()] if chunk.timestamp else []
    if chunk.trust_score is not None:
        facts.append(f"trust {chunk.trust_score:g}")
    known = f" ({', '.join(facts)})" if facts else ""
    return f"{chunk.chunk_id}{known} says {' '.join(claim.value.split())!r}"
