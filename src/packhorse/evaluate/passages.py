"""The passages: of corpus.jsonl, each a chunk with its title as the header, or of an index."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from packhorse.api import open_kb
from packhorse.errors import InputError
from packhorse.evaluate.rows import read_rows
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from packhorse.evaluate.rows import Row

__all__ = ["passages_of", "read_passages"]

_KEYS = ("id", "title", "text", "source", "timestamp", "topics")


def read_passages(path: Path, *, is_beir: bool) -> tuple[Chunk, ...]:
    """All passages in the order of the file.

    A passage without `source` is its own source.

    Args:
        path: the file.
        is_beir: the id is under `_id`, and there is nothing but title and text.

    Raises:
        InputError: a line cannot be used, an id occurs twice, or there is no passage at all.
    """
    passages: list[Chunk] = []
    lines: dict[str, int] = {}
    for row in read_rows(path):
        passage = _beir_passage(row) if is_beir else _passage(row)
        if passage.chunk_id in lines:
            row.fail(f"id {passage.chunk_id!r} is on line {lines[passage.chunk_id]} already")
        lines[passage.chunk_id] = row.line
        passages.append(passage)
    if not passages:
        raise InputError(f"{path} holds no passage", hint="Write one JSON object a line")
    return tuple(passages)


def passages_of(source: Path) -> tuple[Chunk, ...]:
    """All chunks of a knowledge base, by id.

    Args:
        source: what `open_kb` takes.

    Raises:
        InputError: it is empty, or nothing that can list its chunks.
        StoreError: there is nothing at `source`, or it is damaged.
    """
    with closing(open_kb(source)) as kb:
        if not isinstance(kb, LocalKnowledgeBase):
            raise InputError(f"{source} does not list its chunks", hint="Evaluate on a local index")
        chunks = kb.get(kb.chunk_ids())
    if not chunks:
        raise InputError(f"{source} holds no chunk", hint="Index the documents first")
    return tuple(chunks[name] for name in sorted(chunks))


def _passage(row: Row) -> Chunk:
    row.check_spelling(_KEYS)
    chunk_id = row.text("id")
    return Chunk(
        chunk_id=chunk_id,
        source_id=row.optional_text("source") or chunk_id,
        text=row.text("text", may_be_blank=True),
        header=_title(row),
        timestamp=_timestamp(row),
        topic_tags=tuple((topic, 1.0) for topic in sorted(set(row.texts("topics")))),
    )


def _beir_passage(row: Row) -> Chunk:
    chunk_id = row.text("_id")
    return Chunk(
        chunk_id=chunk_id,
        source_id=chunk_id,
        text=row.text("text", may_be_blank=True),
        header=_title(row),
    )


def _title(row: Row) -> str:
    return " ".join(row.optional_text("title").split())


def _timestamp(row: Row) -> datetime | None:
    value = row.fields.get("timestamp")
    if value is None:
        return None
    try:
        return parse_timestamp(value)
    except ValueError as error:
        row.fail(f"timestamp: {error}")
