"""The three packing workloads: candidates with vectors and counts, and the budget to fill."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from packhorse.render.registry import renderer
from packhorse.tokens.registry import counter_named
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk

__all__ = ["AS_OF", "DIMENSION", "SIZES", "VOCABULARY", "Workload", "made", "texts_like"]

AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
DIMENSION = 384
SIZES = ((50, 2_800), (500, 32_000), (5_000, 128_000))
"""Candidates, and tokens that everything rendered may take."""

VOCABULARY = "o200k_base"
FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "tax_kb" / "chunks.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Workload:
    """What retrieval hands over, and what its blocks cost when they are rendered."""

    pool: CandidatePool
    query_vector: npt.NDArray[np.float32]
    """(d,) length 1; the pool's relevance is each row's cosine to it."""
    block_tokens: tuple[int, ...]
    """Tokens of each row's block in the default rendering."""
    text_tokens: tuple[int, ...]
    """Tokens of each row's text alone."""
    budget: int


def made(n: int, budget: int, seed: int = 7) -> Workload:
    """Clustered vectors, best first, passages of some 100 to 450 tokens, one copy in twenty."""
    chance = np.random.default_rng(seed)
    topics = chance.standard_normal((max(8, n // 25), DIMENSION))
    query = topics[0] + topics[1]
    query /= np.linalg.norm(query)
    rows = topics[chance.integers(0, len(topics), n)] + 0.9 * chance.standard_normal((n, DIMENSION))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows[np.argsort(-(rows @ query), kind="stable")]
    texts = _texts(chance, n)
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
    relevance = np.round(np.clip(rows @ query, 0.0, 1.0), 6)
    widest = 10 ** len(str(n)) - 1
    counter, blocks = counter_named(VOCABULARY), renderer("xml")
    return Workload(
        pool=CandidatePool(
            chunks=chunks, relevance=relevance, vectors=rows.astype(np.float32), n_retrieved=n
        ),
        query_vector=query.astype(np.float32),
        block_tokens=tuple(counter.count_batch([blocks.block(widest, each) for each in chunks])),
        text_tokens=tuple(counter.count_batch(texts)),
        budget=budget,
    )


def texts_like(chance: np.random.Generator, n: int, least: int, most: int) -> list[str]:
    """Passages of English words in the frequencies of a text, in no order that means anything.

    Args:
        chance: draws.
        n: how many.
        least: words of the shortest.
        most: words that none has.
    """
    lines = FIXTURE.read_text("utf-8").splitlines()
    words = sorted({word for line in lines for word in json.loads(line)["text"].split()})
    vocabulary = np.array(words, dtype=object)[chance.permutation(len(words))]
    share = 1.0 / (np.arange(len(vocabulary)) + 2.7)  # Zipf and Mandelbrot's law of word counts
    return [
        " ".join(chance.choice(vocabulary, int(size), p=share / share.sum()))
        for size in chance.integers(least, most, n)
    ]


def _texts(chance: np.random.Generator, n: int) -> list[str]:
    """One in twenty is a copy with a few words more."""
    texts = texts_like(chance, n, 60, 280)
    for row in range(19, n, 20):
        texts[row] = f"{texts[row - 1]} and a few words more"
    return texts
