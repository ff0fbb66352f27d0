"""Retrieval with surroundings: what stands around a relevant chunk competes beside it.

A chunk near a relevant one gains relevance from it: `relevance x NEAR ** steps` for a neighbour,
and `relevance x NEAR x IN_SECTION ** (steps - 1)` for another chunk of its section, never less than
its own. The figures are chosen by `evals/context`.

What stands under no heading is a section while it is short. A longer one, such as a book in plain
text, has no sections that anybody knows of: there, neighbours come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.config import MOST_NEIGHBOURS
from packhorse.errors import ConfigError
from packhorse.protocols import HasNeighbours
from packhorse.types.candidate import Around, CandidatePool, Channel
from packhorse.types.relevance import relevance_floor

if TYPE_CHECKING:
    from packhorse.config import RetrievalConfig
    from packhorse.protocols import KnowledgeBase, Retriever
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["IN_SECTION", "MOST_ADDED", "MOST_UNNAMED", "NEAR", "ExpandedRetriever"]

NEAR = 0.8
"""Share of its relevance that a chunk gives to the one beside it."""

IN_SECTION = 0.98
"""What each further chunk of a section has of that."""

MOST_UNNAMED = 8
"""Chunks in a row without a `section_id` up to which they are a section."""

MOST_ADDED = 200
"""Chunks that the search did not find and that may compete all the same: those around the most
relevant ones."""

_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gain:
    """What a chunk has from one that it stands around."""

    relevance: float
    origin: str
    steps: int


class ExpandedRetriever:
    """Retrieves, and adds what stands around the relevant candidates.

    Relevant is what reaches half of the best candidate's relevance. At most `MOST_NEIGHBOURS`
    chunks before and after each come along, nearest first, and `MOST_ADDED` in all.

    Args:
        retriever: finds the candidates.
        kb: knows what stands around them.
        config: `expand`, and `neighbours`.

    Raises:
        ConfigError: the knowledge base does not know what stands around a chunk.
    """

    def __init__(self, retriever: Retriever, kb: KnowledgeBase, config: RetrievalConfig) -> None:
        if not isinstance(kb, HasNeighbours):
            raise ConfigError(
                f"{kb.policy.name} does not know what stands around a chunk",
                hint="Set expand to none, or index the chunks with `packhorse index`",
            )
        self._retriever = retriever
        self._kb = kb
        self._beside: HasNeighbours = kb
        self._config = config

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """The pool with what stands around the best of it, best first, ties by chunk id."""
        pool = self._retriever.retrieve(query, required)
        gains = self._gains(pool)
        row_of = {chunk.chunk_id: row for row, chunk in enumerate(pool.chunks)}
        added = self._kb.get(sorted(gains.keys() - row_of.keys()))
        wide = _with_rows(pool, list(added.values()), self._kb.vectors(list(added)))
        return _lifted(wide, gains)

    def _gains(self, pool: CandidatePool) -> Mapping[str, _Gain]:
        """Chunk id -> the most that it has from a relevant chunk, where that is over its own."""
        own = {c.chunk_id: r for c, r in zip(pool.chunks, pool.relevance.tolist(), strict=True)}
        unnamed = {chunk.chunk_id for chunk in pool.chunks if not chunk.section_id}
        floor = relevance_floor(own.values())
        gains: dict[str, _Gain] = {}
        n_added = 0
        for origin, relevance in own.items():
            if not (relevance >= floor and relevance > 0):
                continue
            around, next_share = self._around(origin, is_named=origin not in unnamed)
            for chunk_id, steps in around:
                share = NEAR * next_share ** (abs(steps) - 1)
                gained = round(relevance * share, _DECIMALS)
                before = gains.get(chunk_id)
                had = own.get(chunk_id, 0.0) if before is None else before.relevance
                if not gained > had:  # what is unscored stays so
                    continue
                if chunk_id not in own and before is None:
                    if n_added == MOST_ADDED:
                        continue
                    n_added += 1
                gains[chunk_id] = _Gain(relevance=gained, origin=origin, steps=steps)
        return gains

    def _around(self, chunk_id: str, *, is_named: bool) -> tuple[list[tuple[str, int]], float]:
        """What stands around a chunk, and what each has of the share of the one before it.

        With steps from the chunk, nearest first, ties before first.
        """
        near = self._config.neighbours
        if self._config.expand == "neighbours":
            return _steps(*self._beside.neighbours(chunk_id, near)), NEAR
        before, after = self._beside.section(chunk_id, MOST_NEIGHBOURS)
        if not is_named and len(before) + 1 + len(after) > MOST_UNNAMED:
            return _steps(before[-near:], after[:near]), NEAR
        return _steps(before, after), IN_SECTION


def _steps(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int]]:
    steps = [(name, -n) for n, name in enumerate(reversed(before), start=1)]
    steps += [(name, n) for n, name in enumerate(after, start=1)]
    return sorted(steps, key=lambda each: (abs(each[1]), each[1]))


def _with_rows(
    pool: CandidatePool, chunks: Sequence[Chunk], vectors: FloatArray | None
) -> CandidatePool:
    """The pool with chunks at its end of which no channel says anything."""
    import numpy as np

    if not chunks:
        return pool
    nothing = np.zeros(len(chunks))
    return replace(
        pool,
        chunks=(*pool.chunks, *chunks),
        relevance=np.concatenate((pool.relevance, nothing)),
        relevance_parts={
            name: np.concatenate((part, nothing)) for name, part in pool.relevance_parts.items()
        },
        named_as=(*pool.named_as, *([None] * len(chunks) if pool.named_as else [])),
        followed=(*pool.followed, *([None] * len(chunks) if pool.followed else [])),
        vectors=None
        if pool.vectors is None or vectors is None
        else np.concatenate((pool.vectors, vectors)),
        channels=tuple(
            Channel(
                name=each.name,
                scores=np.concatenate((each.scores, nothing)),
                ranks=np.concatenate((each.ranks, nothing.astype(each.ranks.dtype))),
            )
            for each in pool.channels
        ),
    )


def _lifted(pool: CandidatePool, gains: Mapping[str, _Gain]) -> CandidatePool:
    """The pool with what was gained, best relevance first, what is unscored last, ties by id."""
    import numpy as np

    relevance = pool.relevance.copy()
    around: dict[int, Around] = {}
    for row, chunk in enumerate(pool.chunks):
        gain = gains.get(chunk.chunk_id)
        if gain is not None:
            around[row] = Around(chunk_id=gain.origin, steps=gain.steps, own=float(relevance[row]))
            relevance[row] = gain.relevance
    keys = np.where(np.isfinite(relevance), -relevance, np.inf).tolist()
    order = sorted(range(len(pool)), key=lambda row: (keys[row], pool.chunks[row].chunk_id))
    lifted = replace(pool, relevance=relevance, around=around)
    return lifted.in_order(np.array(order, dtype=np.int64))
