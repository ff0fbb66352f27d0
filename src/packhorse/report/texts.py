"""Texts of candidates as far as a report can show them, and what it must say beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.packet.check import rendered_chunk
from packhorse.render.registry import renderer
from packhorse.report.numbers import integer

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase

__all__ = ["Block", "TextView", "excluded_texts", "packed_blocks"]

Document = Mapping[str, Any]

ALL_CHARACTERS = 240_000
"""Characters of excluded texts in one report, so that hundreds stay below a megabyte."""
MOST, LEAST = 2_000, 300
"""Characters shown of one of them, at most and at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """The text of an excluded candidate."""

    text: str
    """As much as is shown."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A packed block, exactly as the model reads it: opening, text and closing, joined."""

    opening: str
    text: str
    closing: str


def packed_blocks(document: Document) -> tuple[Block, ...]:
    """The blocks in reading order."""
    rendered = document["rendered"]
    form = renderer(rendered["format"], show_dates=rendered["show_dates"])
    return tuple(
        _block(form.block(number, rendered_chunk(entry)), entry["text"])
        for number, entry in enumerate(document["packed_chunks"], start=1)
    )


def _block(whole: str, text: str) -> Block:
    """Apart where the text stands in the block as it is; else all of it is the text."""
    opening, found, closing = whole.partition(text) if text else ("", "", "")
    if not found:
        return Block(opening="", text=whole, closing="")
    return Block(opening=opening, text=found, closing=closing)


def excluded_texts(document: Document, kb: KnowledgeBase | None) -> Mapping[str, TextView]:
    """Chunk id -> its text in `kb`; empty without one.

    A text is taken by the chunk's id and checked by its content hash under the policy that the
    packet records; where that differs, the text is shown as it is now and a note says so.
    """
    if kb is None:
        return {}
    from packhorse.explain.replayed_kb import ReplayedKnowledgeBase

    entries = document["excluded_chunks"]
    now = ReplayedKnowledgeBase(kb, document).get([entry["chunk_id"] for entry in entries])
    most = max(LEAST, min(MOST, ALL_CHARACTERS // max(1, len(entries))))
    texts = {}
    for entry in entries:
        chunk = now.get(entry["chunk_id"])
        if chunk is None:
            texts[entry["chunk_id"]] = TextView(
                text="", notes=("The knowledge base does not have it any more.",)
            )
            continue
        is_same = chunk.content_hash() == entry["content_hash"]
        changed = () if is_same else ("It has changed since the packet; this is what it says now.",)
        texts[entry["chunk_id"]] = _cut(chunk.text, most, changed)
    return texts


def _cut(text: str, most: int, notes: tuple[str, ...]) -> TextView:
    if len(text) <= most:
        return TextView(text=text, notes=notes)
    note = f"The first {integer(most)} of {integer(len(text))} characters."
    return TextView(text=text[:most], notes=(*notes, note))
