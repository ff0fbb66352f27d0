"""Candidates with what their texts offer of the required topics, where nobody has tagged them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packhorse.text.topics import mentions_of, topic_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import CoverageConfig
    from packhorse.protocols import Retriever
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["TopicReader"]


class TopicReader:
    """A retriever that reads the texts of what another one finds.

    Ranking, packing and verifying then go by the same strengths, and a packet records them: it
    does not hold the texts of what was left out. Costs nothing where no topic is required.
    """

    def __init__(self, retriever: Retriever, config: CoverageConfig) -> None:
        self._retriever = retriever
        self._listed = {topic_key(each.name): each.terms for each in config.topics}

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """As the other retriever, with `mentions`."""
        pool = self._retriever.retrieve(query, required)
        topics = sorted(set(query.required_topics))
        return replace(pool, mentions=mentions_of(pool.chunks, topics, self._listed))
