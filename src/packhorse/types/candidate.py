"""Candidates of one query, in columns: row i of every column is one candidate.

Columns instead of one object a candidate, because ranking and packing five thousand of them
must cost less than the network hop to the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.reranked import Reranked
    from packhorse.types.topics import TopicMention

__all__ = ["CLIPPED", "RELEVANCE_PARTS", "CandidatePool", "Channel", "Mention"]

RELEVANCE_PARTS = ("lexical", "dense", "named", "mention", "length")
"""What relevance is the sum of."""

CLIPPED = "clipped"
"""What cutting that sum to 0..1 took off, or put on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a candidate is mentioned."""

    chunk_id: str
    """The candidate that mentions it."""
    name: str
    """As it is written there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channel:
    """What one retriever said about the candidates."""

    name: str
    """`lexical` or `dense`."""
    scores: FloatArray
    """(n,) raw score on the channel's own scale; 0 where the channel says nothing of the chunk.

    A cosine is given for every chunk with a vector, also where the channel did not return it."""
    ranks: IntArray
    """(n,) 1-based rank inside the channel; 0 where the channel did not find the chunk."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidatePool:
    """The chunks that compete, best relevance first, ties by chunk id."""

    chunks: tuple[Chunk, ...]
    relevance: FloatArray
    """(n,) in 0..1, higher is better, six decimals. NaN or infinite means unscored."""
    relevance_parts: Mapping[str, FloatArray] = field(default_factory=lambda: MappingProxyType({}))
    """Each of `RELEVANCE_PARTS` and `CLIPPED` -> (n,), six decimals; they add up to the relevance.
    Empty where nobody says what it is made of."""
    named_as: tuple[str | None, ...] = ()
    """How the question names each row; None for one that it does not name. Empty for all None."""
    followed: tuple[Mention | None, ...] = ()
    """The mention that each row gained from or was found by. Empty for all None."""
    vectors: FloatArray | None = None
    """(n, d) float32, rows of length 1 (or 0 for a chunk without a direction)."""
    keys: FloatArray | None = None
    """(n, d): the similarity of row i to row j is vectors[i] @ keys[j]. None means the vectors
    themselves; where only the table of similarities is known, it stands in the place of the
    vectors, and row j of the keys is 1 at j alone."""
    channels: tuple[Channel, ...] = ()
    in_domain: bool = True
    """False when nothing in the knowledge base is about this query."""
    domain_evidence: tuple[tuple[str, float], ...] = ()
    """The figures behind `in_domain`, as (name, value)."""
    n_retrieved: int = 0
    """How many of the rows were found: by the search, by being named in the question, by being
    mentioned in what was found so. The others are required, or linked with another row."""
    note: str = ""
    """`empty_knowledge_base`, `no_searchable_text`, `no_searchable_terms`, `zero_query_vector` (the
    words were searched alone) or empty."""
    mentions: Mapping[str, tuple[TopicMention, ...]] | None = None
    """Chunk id -> what its text offers of the required topics; only of chunks without tags. None
    where nobody has read the texts."""
    reranked: Reranked | None = None
    """What a reranker of the user's did; None where there is none."""

    def __len__(self) -> int:
        return len(self.chunks)

    def topics_of(self, chunk: Chunk) -> tuple[tuple[str, float], ...]:
        """(topic, strength 0..1) that a chunk offers: its tags, or its text where it has none."""
        if chunk.topic_tags:
            return chunk.topic_tags
        mentions = self.mentions or {}
        return tuple((each.topic, each.strength) for each in mentions.get(chunk.chunk_id, ()))
