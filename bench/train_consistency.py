"""Trains the classifier of conflict detection, and measures it on sets it was not trained on.

Usage: python bench/train_consistency.py DATA_DIR [--write FILE]

DATA_DIR holds `fever_symmetric`, `ramdocs` and `scifact` with labelled pairs, and the corpora `nq`,
`hotpotqa`, `2wiki`, `squad`, `cranfield` and `mtrag_un`. The corpora give the pairs that people
would be warned about in vain: what the best 100 chunks for each of their questions state alike.
Their titles are taken away first, which makes the pairs harder. They count as agreeing; the few
that do contradict each other are noise.

Each labelled set is measured with weights that were trained without it. `--write` trains on all
of them and writes the weights that ship. No part is random, so there is no seed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import packhorse
from packhorse.config import RetrievalConfig
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from packhorse.verify.consistency.classifier import Classifier
from packhorse.verify.consistency.conflicts import compared, find_conflicts
from packhorse.verify.consistency.features import FEATURES

LABELLED = ("fever_symmetric", "ramdocs", "scifact")
CORPORA = ("nq", "hotpotqa", "2wiki", "squad", "cranfield", "mtrag_un")
N_QUERIES = 34
SHORTEST_SOURCE_ID = 9
AS_OF = datetime(2026, 1, 1, tzinfo=UTC)
RIDGE = 2.0
"""Strength of the penalty on squared weights; the intercept has none."""
STEPS = 100
THRESHOLD = -0.3
"""Log odds; both classes weigh the same in training, so 0 would be even odds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One pair of statements, labelled as the pair of texts that it is from."""

    features: tuple[float, ...]
    is_conflict: bool
    weight: float


def read_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The pairs of one data set."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def chunks_of(pair: Mapping[str, Any]) -> list[Chunk]:
    """Both texts of a pair, from two sources and without titles."""
    return [
        Chunk(chunk_id=side, source_id=side, text=str(pair[side]["text"])) for side in ("a", "b")
    ]


def labelled_examples(path: Path) -> Iterator[Example]:
    """What the rules leave open in labelled pairs; the statements of one pair share its weight."""
    for pair in read_pairs(path):
        if pair["kind"] == "passage_other_source":
            continue  # two texts that disagree somewhere: no pair of statements is known to
        left = [each.features for each in compared(chunks_of(pair)) if each.candidate]
        for features in left:
            yield Example(
                features=features, is_conflict=pair["label"] == "conflict", weight=1 / len(left)
            )


def practice_examples(folder: Path, cache: Path) -> Iterator[Example]:
    """What the rules leave open in the chunks that one question brings together."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    chunks = {
        row["id"]: Chunk(chunk_id=row["id"], source_id=source_of(row["id"]), text=row["text"])
        for row in rows
        if row["text"].strip()
    }
    kb_dir = cache / folder.name
    kb_dir.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps(
            {"chunk_id": key, "source_id": chunk.source_id, "section_id": "", "text": chunk.text}
        )
        for key, chunk in chunks.items()
    )
    (kb_dir / "chunks.jsonl").write_text("\n".join(lines), encoding="utf-8")
    kb = packhorse.open_kb(kb_dir, embedder="none")
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    retriever = HybridRetriever(kb, RetrievalConfig())
    seen: set[tuple[str, str]] = set()
    for query in queries[:: max(1, len(queries) // N_QUERIES)][:N_QUERIES]:
        pool = retriever.retrieve(Query(text=query["query"], as_of=AS_OF), ())
        for each in compared(pool.chunks):
            key = (each.a.sentence.text, each.b.sentence.text)
            if each.candidate and key not in seen:
                seen.add(key)
                yield Example(features=each.features, is_conflict=False, weight=1.0)


def source_of(chunk_id: str) -> str:
    """The document of a chunk: the ids of `mtrag_un` say it, elsewhere each text is one."""
    stem = chunk_id.split("-", maxsplit=1)[0].split("_", maxsplit=1)[0]
    return chunk_id if len(stem) < SHORTEST_SOURCE_ID else stem


def fit(examples: Sequence[Example]) -> Classifier:
    """Logistic regression by Newton's steps; conflicts and agreement weigh the same in all."""
    x = np.array([each.features for each in examples])
    y = np.array([each.is_conflict for each in examples], dtype=np.float64)
    weight = np.array([each.weight for each in examples])
    for label in (0.0, 1.0):
        weight[y == label] *= y.sum() / weight[y == label].sum()
    z = np.hstack([np.ones((len(x), 1)), x])
    ridge = np.diag([1e-6, *[RIDGE] * x.shape[1]])
    beta = np.zeros(z.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-z @ beta))
        slope = z.T @ (weight * (p - y)) + ridge @ beta
        step = np.linalg.solve((z * (weight * p * (1 - p))[:, None]).T @ z + ridge, slope)
        beta -= step
        if np.abs(step).max() < 1e-9:  # noqa: PLR2004 - far below the six decimals that are kept
            break
    rounded = [round(float(value), 6) for value in beta]
    return Classifier(intercept=rounded[0], weights=tuple(rounded[1:]), threshold=THRESHOLD)


def measured(path: Path, classifier: Classifier) -> dict[str, str]:
    """Share of pairs of each label and kind in which a conflict is found, by rules and weights."""
    totals: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for pair in read_pairs(path):
        group = f"{pair['label']} {pair['kind']}"
        totals[group] += 1
        found[group] += bool(find_conflicts(chunks_of(pair), classifier))
    return {
        group: f"{found[group]} of {totals[group]} ({found[group] / totals[group]:.1%})"
        for group in sorted(totals)
    }


def main() -> None:
    """Prints what each set gives with weights from the others; writes the weights on request."""
    parser = argparse.ArgumentParser(description="Trains the classifier of conflict detection")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    pairs = {name: arguments.data_dir / name / "pairs.jsonl" for name in LABELLED}
    by_set = {name: list(labelled_examples(pairs[name])) for name in LABELLED}
    with tempfile.TemporaryDirectory() as cache:
        for name in CORPORA:
            by_set[name] = list(practice_examples(arguments.data_dir / name, Path(cache)))
    report = {}
    for left_out in LABELLED:
        rest = [each for name, some in by_set.items() if name != left_out for each in some]
        report[left_out] = measured(pairs[left_out], fit(rest))
    trained = fit([each for some in by_set.values() for each in some])
    document = {
        "trained_on": {
            name: {
                "conflict": sum(each.is_conflict for each in some),
                "agree": sum(not each.is_conflict for each in some),
            }
            for name, some in by_set.items()
        },
        "left_out_results": report,
        "intercept": trained.intercept,
        "threshold": trained.threshold,
        "weights": dict(zip(FEATURES, trained.weights, strict=True)),
    }
    text = json.dumps(document, indent=2) + "\n"
    print(text, end="")
    if arguments.write:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
