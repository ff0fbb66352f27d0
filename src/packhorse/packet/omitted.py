"""What a packet says it left out for want of room; the closing notice counts the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from packhorse.packing.notice_room import did_not_fit
from packhorse.types.relevance import relevance_floor

__all__ = ["omitted_entries", "relevant_among"]

Document = Mapping[str, Any]


def omitted_entries(document: Document, *, relevant: bool = False) -> Sequence[Document]:
    """Excluded candidates that only the budget kept out, by rank.

    Args:
        document: a packet's.
        relevant: only those that are `relevant_among` all candidates.
    """
    left = _left(document)
    out = [
        entry
        for entry in document["excluded_chunks"]
        if did_not_fit(entry["reason_code"], entry["tokens"], left)
    ]
    return relevant_among(document, out) if relevant else out


def relevant_among(document: Document, entries: Iterable[Document]) -> Sequence[Document]:
    """Entries that reach the `relevance_floor` of everything that was ranked, in their order.

    None is relevant to a query outside the corpus, and none without a relevance.
    """
    if not document["coverage"]["in_domain"]:
        return []
    floor = relevance_floor(
        entry["relevance_score"]
        for entry in (*document["packed_chunks"], *document["excluded_chunks"])
        if entry["rank"] is not None and entry["relevance_score"] is not None
    )
    return [
        entry
        for entry in entries
        if entry["relevance_score"] is not None and entry["relevance_score"] >= floor
    ]


def _left(document: Document) -> float:
    """Room that the selection did not use; a packet that does not say is taken to be full of it."""
    room = document["packing"].get("room")
    if room is None:
        return math.inf
    packed = document["packed_chunks"]
    return float(room - sum(entry.get("packing_tokens", entry["tokens"]) for entry in packed))
