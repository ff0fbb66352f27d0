"""What a packet says it left out for want of room; the closing notice counts the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.packing.notice_room import did_not_fit
from packhorse.types.relevance import relevance_floor

__all__ = ["omitted_entries"]

Document = Mapping[str, Any]


def omitted_entries(document: Document, *, relevant: bool = False) -> Sequence[Document]:
    """Excluded candidates that only the budget kept out, by rank.

    Args:
        document: a packet's.
        relevant: only those that reach the `relevance_floor` of everything that was ranked, and
            none for a query outside the corpus.
    """
    packed, excluded = document["packed_chunks"], document["excluded_chunks"]
    left = _left(document)
    out = [entry for entry in excluded if did_not_fit(entry["reason_code"], entry["tokens"], left)]
    if not relevant:
        return out
    if not document["coverage"]["in_domain"]:
        return []
    ranked = [entry for entry in (*packed, *excluded) if entry["rank"] is not None]
    floor = relevance_floor(
        entry["relevance_score"] for entry in ranked if entry["relevance_score"] is not None
    )
    return [entry for entry in out if (entry["relevance_score"] or 0.0) >= floor]


def _left(document: Document) -> float:
    """Room that the selection did not use; a packet that does not say is taken to be full of it."""
    room = document["packing"].get("room")
    if room is None:
        return math.inf
    packed = document["packed_chunks"]
    return float(room - sum(entry.get("packing_tokens", entry["tokens"]) for entry in packed))
