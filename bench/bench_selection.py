"""Times reranking and packing beside a plain incremental MMR, in one run.

Usage: python bench/bench_selection.py [--rounds N]

Vectors and token counts are given, as they are when a knowledge base answers. The plain walk is
what people write by hand: float32 products, one column a step, stop when the budget is full. It
filters nothing, finds no duplicate, gives no reason and no bound. Quote the ratio, which hardly
depends on the machine, rather than the milliseconds.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import numpy.typing as npt

from packhorse.config import KnowledgeBasePolicy, RerankConfig
from packhorse.packing.registry import packer
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query

AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
DIMENSION = 384
SIZES = ((50, 2_800), (500, 32_000), (5_000, 128_000))
WORDS = 80


def made_pool(n: int, seed: int = 7) -> tuple[CandidatePool, npt.NDArray[np.int64]]:
    """A pool as retrieval gives it: clustered vectors, falling relevance, one copy in twenty."""
    chance = np.random.default_rng(seed)
    topics = chance.standard_normal((max(8, n // 25), DIMENSION))
    rows = topics[chance.integers(0, len(topics), n)] + 0.9 * chance.standard_normal((n, DIMENSION))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vocabulary = np.array([f"w{k}" if k % 40 else str(k) for k in range(20_000)])
    share = 1.0 / (np.arange(len(vocabulary)) + 2.7)  # Zipf and Mandelbrot's law of word counts
    drawn = chance.choice(vocabulary, (n, WORDS), p=share / share.sum())
    texts = [" ".join(words) for words in drawn]
    for row in range(19, n, 20):
        texts[row] = f"{texts[row - 1]} and a few words more"
    relevance = np.round(np.sort(chance.beta(2.0, 3.0, n))[::-1], 6)
    chunks = tuple(
        Chunk(
            chunk_id=f"c{row:05d}",
            source_id=f"s{int(chance.integers(0, max(4, n // 12)))}",
            text=texts[row],
            trust_score=round(float(chance.uniform(0.4, 1.0)), 2),
            timestamp=AS_OF - timedelta(days=int(chance.integers(0, 2_000))),
        )
        for row in range(n)
    )
    tokens = chance.integers(120, 520, n).astype(np.int64)
    pool = CandidatePool(
        chunks=chunks, relevance=relevance, vectors=rows.astype(np.float32), n_retrieved=n
    )
    return pool, tokens


def plain_walk(pool: CandidatePool, tokens: npt.NDArray[np.int64], budget: int) -> int:
    """Incremental MMR in float32 with skip-and-continue, until nothing fits any more."""
    vectors = np.zeros((len(pool), 0)) if pool.vectors is None else pool.vectors
    highest = np.zeros(len(pool), dtype=np.float32)
    relevance = pool.relevance.astype(np.float32)
    free = np.ones(len(pool), dtype=np.bool_)
    used, smallest = 0, int(tokens.min())
    while used + smallest <= budget and free.any():
        best = int(np.where(free, 0.7 * relevance - 0.3 * highest, -np.inf).argmax())
        free[best] = False
        if used + int(tokens[best]) <= budget:
            used += int(tokens[best])
            np.maximum(highest, vectors @ vectors[best], out=highest)
    return used


def median_ms(call: Callable[[], object], rounds: int) -> float:
    """Median of `rounds` calls, in milliseconds."""
    spent = []
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent) * 1_000


def main() -> None:
    """Prints one line a size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    query = Query(text="q", as_of=AS_OF)
    reranker = FiveSignalReranker(RerankConfig(), KnowledgeBasePolicy(name="bench"))
    ranked = packer("ranked")
    print("candidates   budget  cold ms  rerank ms  pack ms  both ms  plain ms  both/plain  packed")
    for n, budget in SIZES:
        pool, tokens = made_pool(n)
        rerank = partial(reranker.rerank, query, pool, {})
        cold_ms = median_ms(rerank, 1)
        pack = partial(ranked.pack, rerank(), tokens, budget)
        rerank_ms, pack_ms = median_ms(rerank, rounds), median_ms(pack, rounds)
        plain_ms = median_ms(partial(plain_walk, pool, tokens, budget), rounds)
        both_ms = rerank_ms + pack_ms
        print(
            f"{n:10d} {budget:8d} {cold_ms:8.1f} {rerank_ms:10.2f} {pack_ms:8.2f} {both_ms:8.2f}"
            f" {plain_ms:9.2f} {both_ms / plain_ms:11.2f} {len(pack().kept):7d}"
        )


if __name__ == "__main__":
    main()
