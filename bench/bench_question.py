"""Times one question after the other over a knowledge base of some thousand chunks.

Usage: python -m bench.bench_question FOLDER [--questions N] [--budget 2048] [--goal 25]

FOLDER is a data set as `packhorse eval` reads it. No question is asked twice, and the first of them
are not measured. Questions take turns: one goes through the stages apart, the next through `pack`.
Each row is p50 and p95 of the wall and p50 of the process, in milliseconds, and two of them as
ratios to a plain search of the same question in the same run: BM25 over posting lists in NumPy, one
product with all vectors, and a sort. It takes the terms and the vector of the question as given,
and reads no chunk.

The goal is p50 of the wall for embedding and searching a question, mentions included; it holds for
a machine of two cores that does nothing else. Exits with 1 when it is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

import packhorse
from packhorse.assemble import counting_for
from packhorse.compose import compose_pipeline
from packhorse.config import Profile
from packhorse.evaluate.corpus import open_corpus
from packhorse.evaluate.dataset import read_dataset
from packhorse.indexing.cache import cache_root
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.searchable import searchable_text
from packhorse.pipeline import Required
from packhorse.question import make_query
from packhorse.text.analysis import query_terms, terms
from packhorse.tokens.models.table import model_spec

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

AS_OF = "2026-01-15"
WARM_UP = 40
FOUND = 100

Floats = npt.NDArray[np.float64]
Spent = tuple[float, float]
"""Milliseconds of the wall, and of the process."""
ResultT = TypeVar("ResultT")


class PlainSearch:
    """What nobody can do without: both channels in NumPy, and the best by their mean."""

    def __init__(self, chunks: Sequence[Chunk], vectors: npt.NDArray[np.float32]) -> None:
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        counted = [Counter(terms(searchable_text(chunk))) for chunk in chunks]
        for row, held in enumerate(counted):
            for term, n in held.items():
                postings[term].append((row, n))
        lengths = np.array([held.total() for held in counted])
        norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
        self._scored: dict[str, tuple[npt.NDArray[np.int64], Floats]] = {}
        for term, held_by in postings.items():
            rows, tf = np.array(held_by).T
            idf = np.log1p((len(chunks) - len(rows) + 0.5) / (len(rows) + 0.5))
            self._scored[term] = rows, idf * 2.2 * tf / (tf + norm[rows])
        self._vectors = vectors

    def search(self, asked: Sequence[str], vector: npt.NDArray[np.float32]) -> list[int]:
        """Rows, best first."""
        lexical = np.zeros(len(self._vectors))
        for term in asked:
            rows, scores = self._scored.get(term, ([], 0.0))
            lexical[rows] += scores
        mixed = lexical / max(1.0, lexical.max()) + self._vectors @ vector
        best = np.argpartition(-mixed, FOUND)[:FOUND]
        found: list[int] = best[np.argsort(-mixed[best], kind="stable")].tolist()
        return found


class Stopwatch:
    """Keeps what each kind of call takes."""

    def __init__(self) -> None:
        self.spent: dict[str, list[Spent]] = defaultdict(list)

    def timed(self, name: str, call: Callable[..., ResultT]) -> Callable[..., ResultT]:
        """The same call, its time kept."""

        def timed_call(*args: Any, **options: Any) -> ResultT:
            wall, process = time.perf_counter(), time.process_time()
            result = call(*args, **options)
            spent = time.perf_counter() - wall, time.process_time() - process
            self.spent[name].append((spent[0] * 1_000, spent[1] * 1_000))
            return result

        return timed_call


class Timed:
    """A stage whose one method is timed."""

    def __init__(self, watch: Stopwatch, name: str, stage: object, method: str) -> None:
        setattr(self, method, watch.timed(name, getattr(stage, method)))


def ask(
    kb: LocalKnowledgeBase, plain: PlainSearch, texts: Sequence[str], budget: int, watch: Stopwatch
) -> None:
    """Asks each question once, in turn by stages and as a whole."""
    profile = Profile()
    pipeline: Any = compose_pipeline(profile, kb, counting_for(model_spec("gpt-4o")).counter)
    pipeline = replace(
        pipeline,
        retriever=Timed(watch, "search", pipeline.retriever, "retrieve"),
        reranker=Timed(watch, "rerank", pipeline.reranker, "rerank"),
        verifier=Timed(watch, "verify", pipeline.verifier, "verify"),
    )
    embed: Any = watch.timed("embed", getattr(kb.embedder(), "embed", None) or list)
    whole = watch.timed("pack, the whole call", packhorse.pack)
    plainly = watch.timed("plain search", plain.search)
    for number, text in enumerate(texts):
        if number % 2:
            whole(text, kb, budget=budget, profile=profile, as_of=AS_OF)
            continue
        vector = embed([text])[0]
        pipeline.run(
            replace(make_query(text, profile, AS_OF, ()), vector=vector),
            Required(codes={}),
            budget,
        )
        plainly(query_terms(text), vector)


def told(name: str, spent: Sequence[Spent], plain: Spent) -> str:
    """A row of the table."""
    wall, process = (sorted(column) for column in zip(*spent, strict=True))
    p50, p95 = statistics.median(wall), wall[int(0.95 * len(wall))]
    cpu = statistics.median(process)
    return (
        f"{name:22} {p50:8.1f} {p95:8.1f} {cpu:8.1f} {p50 / plain[0]:10.1f} {cpu / plain[1]:10.1f}"
    )


def main() -> int:
    """Prints the table; 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--budget", type=int, default=2_048)
    parser.add_argument("--goal", type=float, default=25.0)
    asked = parser.parse_args()
    dataset = read_dataset(asked.folder)
    texts = [question.text for question in dataset.questions[: asked.questions]]
    cached = open_corpus(dataset.name, dataset.passages, embedder_name="minilm", cache=cache_root())
    # Opened as users do: the one above looks vectors of questions up that were asked before.
    kb = LocalKnowledgeBase(cached.path, policy=cached.policy)
    ids = kb.chunk_ids()
    chunks, vectors = kb.get(ids), kb.vectors(ids)
    if vectors is None or len(texts) <= 2 * WARM_UP:
        parser.error(f"More than {2 * WARM_UP} questions and an index with vectors are needed")
    plain = PlainSearch([chunks[name] for name in ids], vectors)
    ask(kb, plain, texts[:WARM_UP], asked.budget, Stopwatch())
    watch = Stopwatch()
    ask(kb, plain, texts[WARM_UP:], asked.budget, watch)
    kb.close()
    spent = watch.spent
    spent["embed and search"] = [
        (one[0] + two[0], one[1] + two[1])
        for one, two in zip(spent["embed"], spent["search"], strict=True)
    ]
    unit = [statistics.median(column) for column in zip(*spent["plain search"], strict=True)]
    print(f"{len(ids)} chunks, {len(texts) - WARM_UP} questions into {asked.budget} tokens")
    print(f"{'':22} {'p50 ms':>8} {'p95 ms':>8} {'cpu ms':>8} {'p50 ratio':>10} {'cpu ratio':>10}")
    names = ("plain search", "embed", "search", "embed and search", "rerank", "verify")
    for name in (*names, "pack, the whole call"):
        print(told(name, spent[name], (unit[0], unit[1])))
    p50 = statistics.median(wall for wall, _ in spent["embed and search"])
    print(
        f"goal: embed and search in {asked.goal:g} ms: {'kept' if p50 <= asked.goal else 'missed'}"
    )
    return int(p50 > asked.goal)


if __name__ == "__main__":
    sys.exit(main())
