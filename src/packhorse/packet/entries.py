"""Typed views of a packet's candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

__all__ = ["ExcludedChunk", "PackedChunk", "PacketChunk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketChunk:
    """What a packet says about every candidate. Signals are in 0..1; None means unscored."""

    chunk_id: str
    source: str
    source_id: str
    section_id: str
    position_in_source: int
    timestamp: str | None
    """ISO 8601 in UTC."""
    topic_tags: tuple[tuple[str, float], ...]
    declared_trust: float | None
    """What the operator said; `trust_score` is the signal made of it."""
    content_hash: str
    tokens: int
    """Of the rendered block."""
    text_tokens: int
    rank: int | None
    """1-based place in the ranked list; None for a candidate that never competed."""
    score: float | None
    relevance_score: float | None
    trust_score: float | None
    freshness_score: float | None
    coverage_bonus: float | None
    dedup_penalty: float | None
    lexical_rank: int | None
    lexical_score: float | None
    dense_rank: int | None
    dense_score: float | None
    reason_code: str
    text_topics: tuple[tuple[str, float], ...] = ()
    """(topic, strength 0..1) that the text of a chunk without tags offers, sorted by topic."""
    retrieval_rank: int | None = None
    retrieval_score: float | None = None
    """Relevance before a reranker judged; None where none did."""
    reranker_rank: int | None = None
    reranker_score: float | None = None
    """The reranker's probability, 0..1; None for what it did not judge."""
    relevance_parts: Mapping[str, float] | None = None
    """`lexical`, `dense`, `named`, `mention`, `length`, and `clipped` where the sum was cut to
    0..1: they add up to `relevance_score`. None for an unscored candidate, and in packets of an
    earlier version."""
    named_as: str | None = None
    """How the question names it."""
    followed_from: Mapping[str, str] | None = None
    """`chunk_id` and `name`: where it is mentioned, and how, if that led to it or lifted it."""
    expanded_from: str | None = None
    """The chunk that it stands around and has its relevance from; None for one by itself."""
    expanded_steps: int | None = None
    """How many chunks after that one it stands; below 0: before it."""
    own_relevance: float | None = None
    """Relevance without that; None for one that stands by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedChunk(PacketChunk):
    """A chunk that is in."""

    position: int
    """1-based place in the text: the number it is cited by."""
    included_reason: str
    text: str
    header: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> PackedChunk:
        """The view of an entry of `packed_chunks`."""
        return cls(**_values(cls, entry))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedChunk(PacketChunk):
    """A candidate that is out, and what kept it out."""

    excluded_reason: str
    duplicate_of: str | None = None
    would_fit_at_budget: int | None = None
    """Smallest budget of the evidence section that keeps it, what was packed before it staying."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> ExcludedChunk:
        """The view of an entry of `excluded_chunks`."""
        return cls(**_values(cls, entry))


def _values(kind: type[PacketChunk], entry: Mapping[str, Any]) -> dict[str, Any]:
    values = {field.name: entry[field.name] for field in fields(kind) if field.name in entry}
    values["topic_tags"] = tuple(sorted(entry["topic_tags"].items()))
    values["text_topics"] = tuple(sorted(entry.get("text_topics", {}).items()))
    return values
