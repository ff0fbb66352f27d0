"""Why a packed chunk is no duplicate of another that has nearly the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.packet.explanation import Cause
from packhorse.rerank.differing_facts import Difference, difference, says_otherwise
from packhorse.rerank.duplicates import triples_needed
from packhorse.text.shingles import shingles

__all__ = ["near_copy"]

_MOST_WORDS = 12
"""Words of a difference that are told."""


def near_copy(
    entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], threshold: float
) -> Cause | None:
    """The packed chunk that has most of the words of `entry`, and what it says differently.

    Only packed chunks are looked at, since the packet holds the text of no others.
    """
    mine = shingles(entry["text"])
    if not mine:
        return None
    shared = [
        (len(mine & shingles(other["text"])), other)
        for other in entries
        if "position" in other and other["chunk_id"] != entry["chunk_id"]
    ]
    most, other = max(shared, key=lambda each: (each[0], each[1]["chunk_id"]), default=(0, entry))
    overlap = most / len(mine)
    if most < triples_needed(len(mine), threshold) or not says_otherwise(
        entry["text"], other["text"], overlap
    ):
        return None
    found = difference(entry["text"], other["text"])
    return Cause(
        detail=f"{overlap:.1%} of its word triples stand in {other['chunk_id']} as well: no"
        f" duplicate, as {_told(found)}",
        chunk_ids=(other["chunk_id"],),
        overlap=round(overlap, 6),
    )


def _told(found: Difference | None) -> str:
    if found is None:
        return "it has a figure or a name of its own"
    mine, theirs = map(_short, (found.dropped, found.kept))
    if not mine:
        return f'that one says more: "{theirs}"'
    if not theirs:
        return f'it says more: "{mine}"'
    return f'it says "{mine}" where that one says "{theirs}"'


def _short(words: str) -> str:
    told = words.split(" ")
    return words if len(told) <= _MOST_WORDS else " ".join([*told[:_MOST_WORDS], "..."])
