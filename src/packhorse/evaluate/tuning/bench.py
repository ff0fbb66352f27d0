"""Measures a point on every question: what is packed of the gold, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from packhorse.evaluate.configuration import Configuration
from packhorse.evaluate.metrics.gold_packed import all_gold, gold_recall
from packhorse.evaluate.tuning.once import PoolsOnce
from packhorse.evaluate.tuning.space import profile_at

if TYPE_CHECKING:
    from collections.abc import Collection

    from packhorse.config import CoverageConfig, Profile, RerankConfig, RetrievalConfig
    from packhorse.evaluate.runner import Runner
    from packhorse.evaluate.tuning.space import Point
    from packhorse.protocols import Retriever
    from packhorse.types.arrays import FloatArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.query import Query

    PoolKey = tuple[RetrievalConfig, CoverageConfig, RerankConfig | None]

__all__ = ["METRICS", "Bench"]

METRICS: Mapping[str, Callable[[Collection[str], Collection[str]], float]] = MappingProxyType(
    {"gold_recall": gold_recall, "all_gold": all_gold}
)
"""What can be searched for: share of the gold that is packed, or whether all of it is."""

KEPT_POOLS = 2
"""Settings of retrieval whose candidates are kept: those of the base, and the last others."""


class Bench:
    """Runs the pipeline of a point over the questions that have gold.

    Args:
        runner: over a dataset of questions that all have gold.
        base: the profile that points change.
        metric: a name from `METRICS`.
        budgets: tokens.
    """

    def __init__(
        self, runner: Runner, base: Profile, *, metric: str, budgets: tuple[int, ...]
    ) -> None:
        self._runner, self._base, self._budgets = runner, base, budgets
        self._metric = METRICS[metric]
        self._queries: dict[tuple[CoverageConfig, bool], list[Query]] = {}
        self._pools: dict[PoolKey, dict[int, CandidatePool]] = {}

    def scores(self, point: Point) -> FloatArray:
        """(n, budgets) float64: the metric at every budget, for every question."""
        profile = profile_at(self._base, point)
        configuration = Configuration(name="", profile=profile)
        pools = self._pools_of(profile)

        def once(retriever: Retriever) -> Retriever:
            return PoolsOnce(retriever, pools)

        stages = self._runner.stages(configuration, once)
        scores = np.zeros((len(self._runner.questions), len(self._budgets)))
        asked = zip(self._runner.questions, self._asked(configuration), strict=True)
        for row, (question, query) in enumerate(asked):
            ranked = stages.rank(query)
            for column, budget in enumerate(self._budgets):
                packed = stages.pack(query, ranked, budget)
                ids = [chunk.chunk_id for chunk in packed.chunks]
                scores[row, column] = self._metric(ids, question.gold)
        return scores

    def _asked(self, configuration: Configuration) -> list[Query]:
        profile = configuration.profile
        key = (profile.coverage, profile.retrieval.rewrite_query)
        if key not in self._queries:
            self._queries[key] = self._runner.queries(configuration)
        return self._queries[key]

    def _pools_of(self, profile: Profile) -> dict[int, CandidatePool]:
        # A model that judges candidates picks them by the settings of the reranker, too.
        judged_by = profile.rerank if profile.rerank.reranker is not None else None
        key = (profile.retrieval, profile.coverage, judged_by)
        if key not in self._pools and len(self._pools) >= KEPT_POOLS:
            del self._pools[list(self._pools)[-1]]
        return self._pools.setdefault(key, {})
