"""Times reranking, packing and rendering beside a plain incremental MMR, in one run.

Usage: python -m bench.bench_selection [--rounds N]

Vectors and token counts are given, as they are when a knowledge base answers. "Alone" is five
signals, MMR over all candidates, packing with a reason for each candidate, the bound, rendering,
and a recount of the rendered text by a counter that remembers the fixed preamble alone. "Copies"
adds the search for near-duplicates, with the texts' word triples known from before. The plain
walk is what people write by hand: float32 products, one column a step, stop when the budget is
full; it filters nothing, gives no reason and no bound, and renders nothing. Rounds are
interleaved. Quote the ratio, which hardly depends on the machine, rather than the milliseconds.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench.workloads import AS_OF, SIZES, VOCABULARY, Workload, made
from packhorse.config import KnowledgeBasePolicy, Profile, RerankConfig
from packhorse.order.registry import orderer
from packhorse.packing.registry import packer
from packhorse.pipeline import Pipeline, merged_ranks
from packhorse.render.registry import renderer
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.tokens.registry import counter_named
from packhorse.types.query import Query

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.types.packing import Packing
    from packhorse.types.rendered import Rendered

__all__ = ["medians", "packed_by", "pipeline", "plain_walk"]


def pipeline(*, copies: bool = False, strategy: str = "ranked") -> Pipeline:
    """The stages after retrieval, with the built-in settings."""
    config = RerankConfig() if copies else RerankConfig(dedup_threshold=None)
    return Pipeline(
        retriever=None,  # type: ignore[arg-type]  # candidates are given
        reranker=FiveSignalReranker(config, KnowledgeBasePolicy(name="bench")),
        packer=packer(strategy),
        orderer=orderer("sandwich"),
        renderer=renderer("xml"),
        verifier=None,  # type: ignore[arg-type]  # nothing is verified but the budget
        counter=_PreambleKnown(counter_named(VOCABULARY)),
        evidence_preamble=Profile().render.evidence_preamble,
    )


class _PreambleKnown:
    """A counter that remembers the fixed preamble, as a process does, and no packed text."""

    def __init__(self, counter: TokenCounter) -> None:
        self.name, self.library = counter.name, counter.library
        self.exact, self.margin = counter.exact, counter.margin
        self._counter = counter
        preamble = renderer("xml").preamble(Profile().render.evidence_preamble)
        self._known = {preamble: counter.count(preamble)}

    def count(self, text: str) -> int:
        known = self._known.get(text)
        return self._counter.count(text) if known is None else known

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return self._counter.count_batch(texts)


def packed_by(stages: Pipeline, work: Workload) -> tuple[Packing, Rendered]:
    """Ranks, packs, orders and renders a workload, and counts the result."""
    ranking = stages.reranker.rerank(Query(text="q", as_of=AS_OF), work.pool, {})
    packing, _, rendered = stages.fit(
        ranking, merged_ranks(ranking), work.block_tokens, work.budget
    )
    return packing, rendered


def plain_walk(work: Workload) -> int:
    """Incremental MMR in float32 with skip-and-continue, until nothing fits any more."""
    vectors = work.pool.vectors
    assert vectors is not None  # noqa: S101 - workloads have vectors
    tokens = work.block_tokens
    highest = np.zeros(len(tokens), dtype=np.float32)
    relevance = work.pool.relevance.astype(np.float32)
    free = np.ones(len(tokens), dtype=np.bool_)
    used, smallest = 0, min(tokens)
    while used + smallest <= work.budget and free.any():
        best = int(np.where(free, 0.7 * relevance - 0.3 * highest, -np.inf).argmax())
        free[best] = False
        if used + tokens[best] <= work.budget:
            used += tokens[best]
            np.maximum(highest, vectors @ vectors[best], out=highest)
    return used


def medians(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median of `rounds` calls of each, in milliseconds, one of each in turn."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            spent[name].append(time.perf_counter() - begun)
    return {name: statistics.median(each) * 1_000 for name, each in spent.items()}


def main() -> None:
    """Prints one line a size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    alone, copies = pipeline(), pipeline(copies=True)
    print(
        "candidates   budget  alone ms  rerank ms  copies ms  plain ms  alone/plain  packed  over"
    )
    for n, budget in SIZES:
        work = made(n, budget)
        calls: dict[str, Callable[[], object]] = {
            "alone": partial(packed_by, alone, work),
            "rerank": partial(alone.reranker.rerank, Query(text="q", as_of=AS_OF), work.pool, {}),
            "copies": partial(packed_by, copies, work),
            "plain": partial(plain_walk, work),
        }
        ms = medians(calls, rounds * max(1, 500 // n))
        packing, rendered = packed_by(alone, work)
        print(
            f"{n:10d} {budget:8d} {ms['alone']:9.2f} {ms['rerank']:10.2f} {ms['copies']:10.2f}"
            f" {ms['plain']:9.2f} {ms['alone'] / ms['plain']:12.2f} {len(packing.kept):7d}"
            f" {max(0, rendered.tokens - budget):5d}"
        )


if __name__ == "__main__":
    main()
