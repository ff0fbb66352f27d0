"""Constraints of one packing, from the settings and from what chunks say about each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.config import PackConfig
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking

__all__ = ["ConstraintRules"]


class ConstraintRules:
    """Turns settings and chunk metadata into rows of a ranking's pool.

    `linked_with` in a chunk's metadata names the chunks that it is packed with or not at all, and
    `exclusive_with` those that it is never packed beside; each a chunk id or a list of them. It
    is enough that one of the two names the other. An id that is no candidate is passed over.
    """

    def __init__(self, config: PackConfig, topic_strength: float) -> None:
        self._config = config
        self._topic_strength = topic_strength

    def __call__(self, query: Query, ranking: Ranking) -> Constraints:
        """The constraints for a query's candidates, rows in ascending order."""
        chunks = ranking.pool.chunks
        talkative = [row for row, chunk in enumerate(chunks) if chunk.metadata]
        topics = query.required_topics if self._config.require_each_topic else ()
        if not talkative and not topics and self._config.max_per_source is None:
            return NO_CONSTRAINTS
        row_of = {chunk.chunk_id: row for row, chunk in enumerate(chunks)} if talkative else {}
        pairs = {
            name: sorted({pair for row in talkative for pair in _pairs(chunks[row], name, row_of)})
            for name in ("linked_with", "exclusive_with")
        }
        return Constraints(
            max_per_source=self._config.max_per_source,
            topics=topics,
            topic_strength=self._topic_strength,
            exclusive=tuple(pairs["exclusive_with"]),
            linked=tuple(pairs["linked_with"]),
        )


def _pairs(chunk: Chunk, name: str, row_of: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    row = row_of[chunk.chunk_id]
    for other in chunk.named_in(name):
        if other in row_of and row_of[other] != row:
            yield min(row, row_of[other]), max(row, row_of[other])
