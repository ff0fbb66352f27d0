"""A chunk: the piece of a document that is packed whole or not at all."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType

__all__ = ["NO_METADATA", "Chunk", "Metadata"]

Metadata = Mapping[str, object]
NO_METADATA: Metadata = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage with what the operator says about it. Text is data, never markup or a query."""

    chunk_id: str
    """Unique in its knowledge base; the identity of the chunk everywhere."""
    source_id: str
    """The document it comes from; what `blocked_sources`, `trust` and caps speak about."""
    text: str
    """The passage, with LF line ends and no lone surrogates."""
    source: str = ""
    """How the source is shown to a reader (a file name); empty means `source_id`."""
    section_id: str = ""
    position_in_source: int = 0
    """Place in the source, counted from 0; the last tie-breaker."""
    header: str = ""
    """Title or heading path, rendered and counted with the block."""
    trust_score: float | None = None
    """0..1 as the operator set it; None when nobody did (neutral)."""
    timestamp: datetime | None = None
    """When the text was true, aware and in UTC; None when unknown (neutral)."""
    topic_tags: tuple[tuple[str, float], ...] = ()
    """(topic, strength 0..1), sorted by topic."""
    declared_tokens: int | None = None
    """`token_count` as the file states it: checked against the real count, never trusted."""
    metadata: Metadata = field(default_factory=lambda: NO_METADATA, hash=False)
    """Further fields of the record. `linked_with` and `exclusive_with` say which chunks belong
    together, and which exclude each other; everything else is kept and never interpreted."""

    @property
    def shown_source(self) -> str:
        """The name of the source as rendered."""
        return self.source or self.source_id

    def named_in(self, field_name: str) -> tuple[str, ...]:
        """Chunk ids that a field of the metadata names: one text or a list; else none."""
        named = self.metadata.get(field_name)
        if isinstance(named, str):
            return (named,)
        if isinstance(named, list | tuple):
            return tuple(each for each in named if isinstance(each, str))
        return ()

    def content_hash(self) -> str:
        """SHA-256 of everything that can change a packet: 64 hex digits."""
        return _content_hash(self)


@lru_cache(maxsize=65_536)
def _content_hash(chunk: Chunk) -> str:
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
        dict(chunk.metadata),
    ]
    encoded = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(encoded.encode("utf-8", "surrogatepass")).hexdigest()
