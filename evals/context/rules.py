"""Other places in which surroundings could compete: after everything, or after what is relevant.

The product lets them compete with a share of the relevance of what they stand around. These two
rules are what that is compared with; both walk down the ranked list of a packing without expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evals.context.ranked import Ranked
    from packhorse.kb.memory import MemoryKnowledgeBase

__all__ = ["RULES", "left_over", "relevant_first"]

RELEVANT = 0.8
"""Share of the best relevance from which a chunk comes before any surroundings."""

WHOLE = 1_000
"""More chunks than a section has."""


class _Walk:
    """A budget on its way down a list."""

    def __init__(self, ranked: Ranked, budget: int, kb: MemoryKnowledgeBase) -> None:
        chunks = ranked.ranking.pool.chunks
        self._kb, self._ranked = kb, ranked
        self._cost = {
            chunk.chunk_id: cost for chunk, cost in zip(chunks, ranked.costs, strict=True)
        }
        self._out = {chunks[row].chunk_id for row in ranked.ranking.excluded}
        self.left = budget - ranked.preamble_tokens
        self.taken: dict[str, None] = {}

    def take(self, ids: Sequence[str]) -> None:
        """Each that fits, in turn."""
        for chunk_id in ids:
            if chunk_id not in self.taken and chunk_id not in self._out:
                cost = self.cost(chunk_id)
                if cost <= self.left:
                    self.taken[chunk_id] = None
                    self.left -= cost

    def take_sections(self) -> None:
        """What is left of the section of each chunk that is in, where all of it fits."""
        for chunk_id in list(self.taken):
            rest = [
                each
                for beside in self._kb.section(chunk_id, WHOLE)
                for each in beside
                if each not in self.taken and each not in self._out
            ]
            if sum(map(self.cost, rest)) <= self.left:
                self.take(rest)

    def cost(self, chunk_id: str) -> int:
        """Tokens of its block."""
        if chunk_id not in self._cost:
            self._cost[chunk_id] = self._ranked.cost(self._kb.get([chunk_id])[chunk_id])
        return self._cost[chunk_id]


def left_over(ranked: Ranked, budget: int, kb: MemoryKnowledgeBase) -> list[str]:
    """Sections where something is left once everything that was found had its turn."""
    walk = _Walk(ranked, budget, kb)
    walk.take([ranked.ranking.pool.chunks[row].chunk_id for row in ranked.ranking.order])
    walk.take_sections()
    return list(walk.taken)


def relevant_first(ranked: Ranked, budget: int, kb: MemoryKnowledgeBase) -> list[str]:
    """What is relevant, then its sections, then everything else that was found."""
    ranking = ranked.ranking
    chunks, relevance, order = ranking.pool.chunks, ranking.signals.relevance, ranking.order
    floor = RELEVANT * max((float(relevance[row]) for row in order), default=0.0)
    walk = _Walk(ranked, budget, kb)
    walk.take([chunks[row].chunk_id for row in order if float(relevance[row]) >= floor])
    walk.take_sections()
    walk.take([chunks[row].chunk_id for row in order])
    return list(walk.taken)


Rule = Callable[["Ranked", int, "MemoryKnowledgeBase"], list[str]]

RULES: Mapping[str, Rule] = {"left over": left_over, "relevant first": relevant_first}
"""Name -> the chunks that it packs."""
