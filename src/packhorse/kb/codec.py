"""Chunks as bytes in the system of record."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from packhorse.types.chunk import NO_METADATA, Chunk

__all__ = ["decode_chunk", "encode_chunk"]


def encode_chunk(chunk: Chunk) -> bytes:
    """JSON of every field, in the order that `decode_chunk` reads."""
    fields = [
        chunk.chunk_id,
        chunk.source_id,
        chunk.text,
        chunk.source,
        chunk.section_id,
        chunk.position_in_source,
        chunk.header,
        chunk.trust_score,
        chunk.timestamp.isoformat() if chunk.timestamp else None,
        chunk.topic_tags,
        chunk.declared_tokens,
        dict(chunk.metadata),
    ]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def decode_chunk(data: bytes) -> Chunk:
    """The chunk that `encode_chunk` was given; equal to it, and of the same content hash."""
    fields: list[Any] = json.loads(data.decode("utf-8", "surrogatepass"))
    return Chunk(
        chunk_id=fields[0],
        source_id=fields[1],
        text=fields[2],
        source=fields[3],
        section_id=fields[4],
        position_in_source=fields[5],
        header=fields[6],
        trust_score=fields[7],
        timestamp=datetime.fromisoformat(fields[8]) if fields[8] else None,
        topic_tags=tuple((topic, strength) for topic, strength in fields[9]),
        declared_tokens=fields[10],
        metadata=fields[11] or NO_METADATA,
    )
