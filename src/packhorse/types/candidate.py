"""Candidates of one query, in columns: row i of every column is one candidate.

Columns instead of one object a candidate, because ranking and packing five thousand of them
must cost less than the network hop to the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.reranked import Reranked
    from packhorse.types.topics import TopicMention

__all__ = ["ALIKE", "CLIPPED", "RELEVANCE_PARTS", "Around", "CandidatePool", "Channel", "Mention"]

ALIKE = "alike"
"""What a candidate gains or loses by those that are most like it."""

RELEVANCE_PARTS = ("lexical", "dense", "named", "mention", "length", ALIKE)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Why a row is more relevant than it is by itself: it stands around a relevant chunk."""

    chunk_id: str
    """The relevant chunk, of the same source. Without it the row is not packed."""
    steps: int
    """How many chunks after it the row stands; below 0: before it."""
    own: float
    """Relevance without that, 0..1; 0 for a row that the search did not find."""


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
    """Each of `RELEVANCE_PARTS` and `CLIPPED` -> (n,), six decimals; they add up to the relevance
    that retrieval gave, before a reranker and before `around`. Empty where nobody says it."""
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
    around: Mapping[int, Around] = field(default_factory=lambda: MappingProxyType({}))
    """Rows that gained relevance from a chunk that they stand around."""
    in_domain: bool = True
    """False when nothing in the knowledge base is about this query."""
    domain_evidence: tuple[tuple[str, float], ...] = ()
    """The figures behind `in_domain`, as (name, value)."""
    n_retrieved: int = 0
    """How many of the rows were found: by the search, by being named in the question, by being
    mentioned in what was found so. The others are required, or came with another row."""
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

    def in_order(self, rows: IntArray) -> CandidatePool:
        """The same rows in another order, every column with them."""
        places = {row: place for place, row in enumerate(rows.tolist())}
        return replace(
            self,
            chunks=tuple(self.chunks[row] for row in places),
            relevance=self.relevance[rows],
            relevance_parts={name: part[rows] for name, part in self.relevance_parts.items()},
            named_as=tuple(self.named_as[row] for row in places if self.named_as),
            followed=tuple(self.followed[row] for row in places if self.followed),
            vectors=None if self.vectors is None else self.vectors[rows],
            keys=None if self.keys is None else self.keys[rows],
            channels=tuple(
                Channel(name=each.name, scores=each.scores[rows], ranks=each.ranks[rows])
                for each in self.channels
            ),
            around={places[row]: each for row, each in self.around.items()},
        )

    def topics_of(self, chunk: Chunk) -> tuple[tuple[str, float], ...]:
        """(topic, strength 0..1) that a chunk offers: its tags, or its text where it has none."""
        if chunk.topic_tags:
            return chunk.topic_tags
        mentions = self.mentions or {}
        return tuple((each.topic, each.strength) for each in mentions.get(chunk.chunk_id, ()))
