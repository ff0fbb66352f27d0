"""One configuration at work: the stages of the pipeline, timed, and what they pack.

Retrieval and ranking run once a question, packing once a budget. Two ways to charge:

    text       the budget holds passages alone: title and text, in tokens of o200k_base. Figures
               compare across tools, because no frame is in them.
    rendered   the budget holds the evidence section as the pipeline renders it, preamble and
               frames included, in tokens of the profile's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from packhorse.assemble import cached_counter
from packhorse.compose import compose_pipeline
from packhorse.errors import RerankError
from packhorse.evaluate.floors import with_floor
from packhorse.pipeline import merged_ranks
from packhorse.tokens.models.table import model_spec

if TYPE_CHECKING:
    from packhorse.evaluate.configuration import Configuration
    from packhorse.protocols import KnowledgeBase, Retriever
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking

__all__ = ["CHARGES", "Packed", "Ranked", "Stages"]

CHARGES = ("text", "rendered")

_MILLISECONDS = 1000.0

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranked:
    """What competes for a question."""

    ranking: Ranking
    ids: tuple[str, ...]
    """The ranked list, best first."""
    costs: tuple[int, ...]
    """What each row of the pool is charged."""

    @property
    def tokens(self) -> Mapping[str, int]:
        """Candidate id -> what it is charged."""
        chunks = self.ranking.pool.chunks
        return {chunk.chunk_id: cost for chunk, cost in zip(chunks, self.costs, strict=True)}

    @property
    def filtered(self) -> tuple[str, ...]:
        """Ids of candidates that were taken out before packing."""
        return tuple(self.ranking.pool.chunks[row].chunk_id for row in self.ranking.excluded)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Packed:
    """What a budget holds."""

    chunks: tuple[Chunk, ...]
    tokens: int
    """Spent of the budget."""
    room: int
    """Tokens that passages could take: the budget, less a preamble that is charged."""


class Stages:
    """The pipeline of a configuration, stage by stage.

    Args:
        kb: what is searched.
        configuration: the profile, or the floor in place of its retrieval and ranking.
        passage_tokens: passage id -> tokens of title and text.
        charge: `text` or `rendered`.
        clock: seconds.
        retrieving: what to do with the retriever, for example to remember what it finds.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        configuration: Configuration,
        passage_tokens: Mapping[str, int],
        *,
        charge: str,
        clock: Callable[[], float],
        retrieving: Callable[[Retriever], Retriever] | None = None,
    ) -> None:
        counter = cached_counter(model_spec(configuration.profile.request.model))
        pipeline = compose_pipeline(configuration.profile, kb, counter)
        floor = configuration.floor
        pipeline = pipeline if floor is None else with_floor(pipeline, kb, floor)
        if retrieving is not None:
            pipeline = replace(pipeline, retriever=retrieving(pipeline.retriever))
        self._pipeline = pipeline
        self._passage_tokens = passage_tokens
        self._charges_text = charge == "text"
        self._clock = clock
        self.milliseconds: dict[str, list[float]] = {}
        """Stage -> what each question took; clear it to forget them."""

    def rank(self, query: Query) -> Ranked:
        """Retrieves and reranks.

        Raises:
            RerankError: the profile names a reranker, and it judged nothing.
        """
        pipeline = self._pipeline
        pool = self._timed("retrieve", pipeline.retriever.retrieve, query)
        if pool.reranked is not None and pool.reranked.fallback:
            # Figures of retrieval alone under the name of a reranker would be no measurement.
            raise RerankError(
                f"The reranker judged nothing: {pool.reranked.fallback}",
                hint="Mend it, or leave the reranker out",
            )
        ranking = self._timed("rerank", pipeline.reranker.rerank, query, pool, {})
        if self._charges_text:
            costs = tuple(self._passage_tokens[chunk.chunk_id] for chunk in pool.chunks)
        else:
            _texts, costs = self._timed("count", pipeline.costs, pool)
        ids = tuple(pool.chunks[row].chunk_id for row in merged_ranks(ranking))
        return Ranked(ranking=ranking, ids=ids, costs=costs)

    def pack(self, query: Query, ranked: Ranked, budget: int) -> Packed:
        """Packs what fits into the budget.

        Raises:
            BudgetExceededError: the preamble that is charged is over the budget.
        """
        return self._timed(
            f"pack@{budget}",
            self._pack_text if self._charges_text else self._pack_rendered,
            query,
            ranked,
            budget,
        )

    def _pack_text(self, query: Query, ranked: Ranked, budget: int) -> Packed:
        ranking = ranked.ranking
        constraints = self._pipeline.constrain(query, ranking)
        packing = self._pipeline.packer.pack(ranking, ranked.costs, budget, constraints)
        chunks = tuple(ranking.pool.chunks[row] for row, _ in packing.kept)
        return Packed(chunks=chunks, tokens=packing.used_tokens, room=budget)

    def _pack_rendered(self, query: Query, ranked: Ranked, budget: int) -> Packed:
        ranking, pipeline = ranked.ranking, self._pipeline
        _packing, rows, rendered = pipeline.fit(
            ranking,
            merged_ranks(ranking),
            ranked.costs,
            budget,
            pipeline.constrain(query, ranking),
            notice=pipeline.closes(query, ranking, ranked.costs),
        )
        return Packed(
            chunks=tuple(ranking.pool.chunks[row] for row in rows),
            tokens=rendered.tokens,
            room=budget - rendered.preamble_tokens,
        )

    def _timed(self, stage: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        began = self._clock()
        done = work(*args, **kwargs)
        taken = (self._clock() - began) * _MILLISECONDS
        self.milliseconds.setdefault(stage, []).append(taken)
        return done
