"""Texts of candidates as far as a report can show them, and what it must say beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.packet.check import rendered_chunk
from packhorse.render.registry import renderer
from packhorse.report.numbers import integer
from packhorse.verify.injection import find_injections

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.chunk import Chunk
    from packhorse.verify.injection import Flag

__all__ = ["ALL_CHARACTERS", "Block", "Piece", "TextView", "excluded_texts", "packed_blocks"]

Document = Mapping[str, Any]
Mark = tuple[int, int, str]
"""Start, end and kind of a stretch of a text, in code points."""

ALL_CHARACTERS = 240_000
"""Characters of excluded texts in one report."""
MOST = 2_000
"""Characters shown of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """The text of an excluded candidate."""

    text: str
    """As much as is shown."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a text."""

    text: str
    mark: str = ""
    """Why it is marked: `conflict`, `order` (it speaks to the model), or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A packed block, exactly as the model reads it: opening, pieces and closing, joined."""

    opening: str
    pieces: tuple[Piece, ...]
    closing: str
    orders: tuple[str, ...]
    """Kinds of phrases in it that speak to the model; see `verify/injection.py`."""

    @property
    def text(self) -> str:
        """The pieces, joined."""
        return "".join(piece.text for piece in self.pieces)


def packed_blocks(document: Document) -> tuple[Block, ...]:
    """The blocks in reading order."""
    rendered = document["rendered"]
    form = renderer(rendered["format"], show_dates=rendered["show_dates"])
    values = _conflicting(document)
    return tuple(
        _block(
            form.block(number, chunk),
            chunk,
            values.get(chunk.chunk_id, ()),
            find_injections([chunk]),
        )
        for number, chunk in enumerate(map(rendered_chunk, document["packed_chunks"]), start=1)
    )


def _conflicting(document: Document) -> Mapping[str, list[Mark]]:
    """Chunk id -> where its conflicting values stand."""
    found: dict[str, list[Mark]] = {}
    for conflict in document["consistency"]["conflicts"]:
        for side in ("a", "b"):
            claim = conflict[side]
            mark = (claim["start"], claim["end"], "conflict")
            found.setdefault(conflict[f"chunk_{side}"], []).append(mark)
    return found


def _block(whole: str, chunk: Chunk, values: Sequence[Mark], flags: Sequence[Flag]) -> Block:
    """Apart where the text stands in the block as it is; else all of it is one piece."""
    orders = tuple(sorted({flag.kind for flag in flags}))
    opening, found, closing = whole.partition(chunk.text) if chunk.text else ("", "", "")
    if not found:
        return Block(opening="", pieces=(Piece(text=whole),), closing="", orders=orders)
    marks = [*values, *((flag.start, flag.end, "order") for flag in flags)]
    return Block(
        opening=opening, pieces=tuple(_pieces(found, marks)), closing=closing, orders=orders
    )


def _pieces(text: str, marks: Sequence[Mark]) -> Iterator[Piece]:
    """The text in marked and unmarked stretches; of two marks that overlap, the first counts."""
    at = 0
    for start, end, mark in sorted(marks):
        if at <= start < end <= len(text):
            if at < start:
                yield Piece(text=text[at:start])
            yield Piece(text=text[start:end], mark=mark)
            at = end
    if at < len(text):
        yield Piece(text=text[at:])


def excluded_texts(
    document: Document, kb: KnowledgeBase | None, characters: int = ALL_CHARACTERS
) -> Mapping[str, TextView]:
    """Chunk id -> its text in `kb`; empty without one.

    A text is taken by the chunk's id and checked by its content hash under the policy that the
    packet records; where that differs, the text is shown as it is now and a note says so.

    Args:
        document: a packet's.
        kb: what it was packed from.
        characters: for all of them together; each is cut to its part of that.
    """
    if kb is None:
        return {}
    from packhorse.explain.replayed_kb import ReplayedKnowledgeBase

    entries = document["excluded_chunks"]
    now = ReplayedKnowledgeBase(kb, document).get([entry["chunk_id"] for entry in entries])
    most = min(MOST, characters // max(1, len(entries)))
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
