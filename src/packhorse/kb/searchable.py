"""What of a chunk is searched: its header and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["searchable_length", "searchable_text"]


def searchable_text(chunk: Chunk) -> str:
    """Header (when there is one), a line end, the text: both channels see this and no more."""
    return f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text


def searchable_length(chunk: Chunk) -> int:
    """Characters of the searchable text, which is not put together for it."""
    return len(chunk.header) + bool(chunk.header) + len(chunk.text)
