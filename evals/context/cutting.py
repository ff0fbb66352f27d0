"""Documents cut as `packhorse index` cuts them, each chunk with its place in the document."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from evals.context.documents import Place
from packhorse.indexing.splitting import SPLITTING_TOKENIZER
from packhorse.ingest.document import Document
from packhorse.ingest.splitter import split_document
from packhorse.tokens.registry import counter_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.context.documents import LongDocument
    from packhorse.types.chunk import Chunk

__all__ = ["cut"]


def cut(
    documents: Sequence[LongDocument], chunk_tokens: int
) -> tuple[tuple[Chunk, ...], dict[str, Place]]:
    """All chunks, and where each stands; a chunk's section is the one that it begins in."""
    counter = counter_named(SPLITTING_TOKENIZER)
    chunks: list[Chunk] = []
    place_of: dict[str, Place] = {}
    for document in documents:
        source = Document(source_id=document.id, text=document.text, title=document.title)
        end = 0
        for chunk in split_document(source, chunk_tokens=chunk_tokens, counter=counter):
            start = document.text.index(chunk.text, end)
            end = start + len(chunk.text)
            section = bisect_right(document.sections, start + _indentation(chunk.text))
            chunks.append(replace(chunk, section_id=f"section-{section}"))
            place_of[chunk.chunk_id] = Place(document=document.id, start=start, end=end)
    return tuple(chunks), place_of


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())
