"""Which way of mixing the two channels keeps most gold evidence inside a token budget.

    python bench/bench_retrieval.py DATA_FOLDER [SET ...] [--cache DIR] [--passages N]

DATA_FOLDER holds one folder a set, with `corpus.jsonl` {id, title, text} and `queries.jsonl`
{id, query, gold: [ids]}. Prints the mean share of gold passages inside 256, 512 and 1024 tokens of
title and text (o200k_base, skip and continue), and how well the domain check tells the queries of
one set from those of the others. Vectors are made once and kept in the cache directory.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.searchable import searchable_text
from packhorse.protocols import SearchResult
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.tokens.registry import counter_named
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query

BUDGETS = (256, 512, 1024)
SETS = ("mtrag_un", "cranfield", "nq", "hotpotqa", "2wiki", "scifact")
DEPTH = 100
AS_OF = datetime(2026, 1, 1, tzinfo=UTC)
Scores = dict[str, float]
Mixer = Callable[[SearchResult, Scores], Scores]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loaded:
    """One set, ready to be searched."""

    kb: MemoryKnowledgeBase
    queries: list[dict[str, Any]]
    vectors: Any
    tokens: Mapping[str, int]


def load(folder: Path, cache: Path, limit: int) -> Loaded:
    """Reads a set; passages beyond `limit` that are nobody's gold are left out."""
    queries = [q for q in read_lines(folder / "queries.jsonl") if q["gold"]]
    gold = {passage for query in queries for passage in query["gold"]}
    chunks = [
        Chunk(chunk_id=row["id"], source_id=row["id"], header=row["title"], text=row["text"])
        for number, row in enumerate(read_lines(folder / "corpus.jsonl"))
        if number < limit or row["id"] in gold
    ]
    texts = [searchable_text(chunk) for chunk in chunks]
    counts = counter_named("o200k_base").count_batch(texts)
    kb = MemoryKnowledgeBase(
        chunks,
        policy=KnowledgeBasePolicy(name=folder.name),
        vectors=embedded(cache / f"{folder.name}-{len(chunks)}-corpus.npy", texts),
    )
    return Loaded(
        kb=kb,
        queries=queries,
        vectors=embedded(
            cache / f"{folder.name}-{len(queries)}-queries.npy", [q["query"] for q in queries]
        ),
        tokens={chunk.chunk_id: n for chunk, n in zip(chunks, counts, strict=True)},
    )


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def embedded(path: Path, texts: Sequence[str]) -> Any:
    """Vectors of the texts, from the cache when it has them."""
    if not path.exists():
        print(f"embedding {len(texts)} texts for {path.name} ...", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, MiniLmEmbedder().embed(texts))
    return np.load(path)


def lexical(result: SearchResult) -> Scores:
    """BM25 scores by chunk id."""
    return {hit.chunk_id: hit.score for hit in result.lexical}


def lexical_only(result: SearchResult, _cosines: Scores) -> Scores:
    """The lexical channel alone."""
    return lexical(result)


def dense_only(result: SearchResult, _cosines: Scores) -> Scores:
    """The dense channel alone."""
    return {hit.chunk_id: hit.score for hit in result.dense}


def reciprocal_ranks(result: SearchResult, _cosines: Scores) -> Scores:
    """Reciprocal rank fusion, k = 60 (Cormack, Clarke and Buettcher, 2009)."""
    scores: Scores = {}
    for channel in (result.lexical, result.dense):
        for rank, hit in enumerate(channel, start=1):
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + 1 / (60 + rank)
    return scores


def share_of_best(weight: float) -> Mixer:
    """Both channels over their own best score of this query."""

    def mix(result: SearchResult, cosines: Scores) -> Scores:
        words = lexical(result)
        best_word = max(words.values(), default=0.0) or 1.0
        best_cosine = max(cosines.values(), default=0.0) or 1.0
        return {
            name: weight * words.get(name, 0.0) / best_word + (1 - weight) * cosine / best_cosine
            for name, cosine in cosines.items()
        }

    return mix


def share_of_ideal(weight: float) -> Mixer:
    """BM25 over the query's upper bound, and the cosine as it is: what the package does."""

    def mix(result: SearchResult, cosines: Scores) -> Scores:
        words = lexical(result)
        ideal = result.lexical_ideal or 1.0
        return {
            name: weight * words.get(name, 0.0) / ideal + (1 - weight) * max(0.0, cosine)
            for name, cosine in cosines.items()
        }

    return mix


WEIGHTS = (0.3, 0.4, 0.5, 0.6)
METHODS: Mapping[str, Mixer] = {
    "lexical alone": lexical_only,
    "dense alone": dense_only,
    "RRF k=60": reciprocal_ranks,
    **{f"share of best {w:.1f}": share_of_best(w) for w in WEIGHTS},
    **{f"share of ideal {w:.1f}": share_of_ideal(w) for w in WEIGHTS},
}


def gold_recall(
    ranking: Sequence[str], gold: set[str], tokens: Mapping[str, int]
) -> tuple[float, ...]:
    """Share of gold inside each budget when the ranking is packed, skipping what does not fit."""
    shares = []
    for budget in BUDGETS:
        left, found = budget, 0
        for name in ranking:
            if tokens[name] <= left:
                left -= tokens[name]
                found += name in gold
        shares.append(found / len(gold))
    return tuple(shares)


def measure(loaded: Loaded) -> dict[str, Any]:
    """Mean gold recall of every method, and of the package's own retriever."""
    found: dict[str, list[tuple[float, ...]]] = {}
    retriever = HybridRetriever(loaded.kb, RetrievalConfig(candidates=DEPTH))
    for query, vector in zip(loaded.queries, loaded.vectors, strict=True):
        gold = set(query["gold"])
        result = loaded.kb.search(query["query"], vector, DEPTH)
        names = sorted({h.chunk_id for h in (*result.lexical, *result.dense)})
        rows: Any = loaded.kb.vectors(names)
        cosines = dict(zip(names, rows.astype(np.float64) @ vector, strict=True))
        for method, mix in METHODS.items():
            scores = mix(result, cosines)
            ranking = sorted(scores, key=lambda name: (-round(scores[name], 6), name))
            found.setdefault(method, []).append(gold_recall(ranking, gold, loaded.tokens))
        pool = retriever.retrieve(Query(text=query["query"], as_of=AS_OF, vector=vector))
        ranking = [chunk.chunk_id for chunk in pool.chunks]
        found.setdefault("packhorse", []).append(gold_recall(ranking, gold, loaded.tokens))
    return {method: np.mean(rows, axis=0) for method, rows in found.items()}


def print_recall(loaded: Mapping[str, Loaded]) -> None:
    """The table of recalls, one row a method."""
    results = {name: measure(one) for name, one in loaded.items()}
    print("\ngold recall at", *BUDGETS, "tokens")
    print(f"{'':20}", *(f"{name:^15}" for name in results), "  mean")
    for method in (*METHODS, "packhorse"):
        rows = [results[name][method] for name in results]
        cells = ("  ".join(f"{value:.2f}"[-3:] for value in row) for row in rows)
        print(f"{method:20}", *(f"{cell:^15}" for cell in cells), f"  {np.mean(rows):.4f}")


def domain_figures(asked: Loaded, corpus: Loaded) -> Any:
    """(n, 3): highest cosine, word overlap, best relevance of each query against a corpus."""
    retriever = HybridRetriever(corpus.kb, RetrievalConfig(candidates=10))
    figures = []
    for query, vector in zip(asked.queries, asked.vectors, strict=True):
        pool = retriever.retrieve(Query(text=query["query"], as_of=AS_OF, vector=vector))
        evidence = dict(pool.domain_evidence)
        best = float(pool.relevance[0]) if len(pool) else 0.0
        figures.append((evidence["max_similarity"], evidence["lexical_overlap"], best))
    return np.array(figures)


def print_domain(loaded: Mapping[str, Loaded]) -> None:
    """How well queries of a corpus are told from those of other corpora."""
    inside = {name: domain_figures(one, one) for name, one in loaded.items()}
    print("\ndomain check: own queries against those of another set")
    for name, corpus in loaded.items():
        for other, asked in loaded.items():
            if other == name:
                continue
            own, foreign = inside[name], domain_figures(asked, corpus)
            areas = [roc_area(own[:, at], foreign[:, at]) for at in range(3)]
            print(
                f"{name:>10} corpus, {other:>10} queries: ROC area cosine {areas[0]:.3f}"
                f" overlap {areas[1]:.3f} relevance {areas[2]:.3f};"
                f" called outside: own {outside(own):.3f} foreign {outside(foreign):.3f}"
            )


def roc_area(own: Any, foreign: Any) -> float:
    """Chance that an own query scores above a foreign one; ties count half."""
    above = np.searchsorted(np.sort(foreign), own, side="left")
    level = np.searchsorted(np.sort(foreign), own, side="right")
    return float((above + level).mean() / 2 / len(foreign))


def outside(figures: Any) -> float:
    """Share of queries that the default thresholds call outside."""
    limits = RetrievalConfig()
    return float((figures[:, 2] < limits.min_domain_closeness).mean())


def main() -> None:
    """Loads the sets that are asked for and prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "packhorse-bench"
    )
    parser.add_argument("--passages", type=int, default=10_000)
    asked = parser.parse_args()
    loaded = {name: load(asked.data / name, asked.cache, asked.passages) for name in asked.sets}
    print_recall(loaded)
    print_domain(loaded)


if __name__ == "__main__":
    main()
