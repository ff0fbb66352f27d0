"""Signals of the first retrieval that were tried: `python -m evals.ranking.tried --data DIR`.

Each changes one channel's column of the candidates, and the product's sum with its shipped weights
does the rest, likeness left out. A row of the table is a signal; each set's cell is the change of
recall at 256, 512 and 1024 tokens, in thousandths, with the setting that is best on the seven other
sets (no change is one of them).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evals.ranking import data, neighbours
from evals.ranking.__main__ import ROOT, SETS
from evals.ranking.features import features_of_folder
from evals.ranking.lexical import Lexicon
from evals.ranking.proximity import SIGNALS, Proximity
from packhorse.config import RetrievalConfig
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.indexing.cache import cache_root
from packhorse.kb.bm25 import K1, B
from tools.train_ranker import recall

if TYPE_CHECKING:
    from evals.ranking.data import Collection, Features
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["VARIANTS", "Tried", "left_out_rows", "main"]

CONFIG = RetrievalConfig(alike_weight=0.0)
WEIGHTS = (0.05, 0.15, 0.4)
_NO_CHANGE = (0.0, 0.0, 0.0)

Recall = tuple[float, ...]
PerQuestion = Callable[[int, slice], "FloatArray"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tried:
    """A set, and what its candidates' signals come to."""

    collection: Collection
    features: Features
    lexicon: Lexicon
    signals: Mapping[str, FloatArray]
    """Of `SIGNALS`."""

    @property
    def first(self) -> FloatArray:
        """Relevance before mentions and length, of every candidate of every question."""
        features = self.features
        mean = (features.words + features.direction) / 2
        return mean + CONFIG.named_weight * features.named

    def of_questions(self, change: PerQuestion) -> FloatArray:
        """A column, made question by question."""
        column = np.zeros(len(self.features.costs))
        for question in range(self.features.n_questions):
            rows = slice(*self.features.ends[question : question + 2].tolist())
            column[rows] = change(question, rows)
        return column

    def adding(self, part: FloatArray) -> Features:
        """The features with something added to the mean of words and meaning."""
        return replace(self.features, words=self.features.words + 2 * part)

    def at(self, rows: slice) -> IntArray:
        """Rows of the collection."""
        return self.features.rows[rows]


def tried(collection: Collection, features: Features) -> Tried:
    """Works out the signals of every candidate. Some 10 ms a question."""
    lexicon = Lexicon(collection.passage_terms)
    proximity = Proximity(collection.passage_terms, lexicon)
    signals = {name: np.zeros(len(features.costs)) for name in SIGNALS}
    for question, asked in enumerate(collection.question_terms):
        rows = slice(*features.ends[question : question + 2].tolist())
        for name, found in proximity.signals(asked, features.rows[rows].tolist()).items():
            signals[name][rows] = found
    return Tried(collection=collection, features=features, lexicon=lexicon, signals=signals)


def _signal(name: str, weight: float) -> Callable[[Tried], Features]:
    return lambda one: one.adding(weight * one.signals[name])


def _bm25(title: float, b: float, k1: float) -> Callable[[Tried], Features]:
    """BM25F: the title as a field of its own, with a length of its own (its b is 0.5).

    Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple Weighted Fields" (2004).
    A title weight of 0 counts it as text, as the product does.
    """

    def changed(one: Tried) -> Features:
        collection = one.collection
        heads = [Counter(terms) for terms in collection.title_terms]
        wholes = [Counter(terms) for terms in collection.passage_terms]
        of_head = np.array([len(terms) for terms in collection.title_terms], dtype=np.float64)
        of_body = one.lexicon.lengths - (of_head if title else 0.0)
        scale_head = 0.5 + 0.5 * of_head / (of_head.mean() or 1.0)
        scale_body = 1 - b + b * of_body / (of_body.mean() or 1.0)

        def share(question: int, rows: slice) -> FloatArray:
            score, at = np.zeros(rows.stop - rows.start), one.at(rows).tolist()
            asked = sorted(set(collection.question_terms[question]))
            for term in asked:
                head = np.array([heads[row][term] for row in at]) if title else np.zeros(len(at))
                body = np.array([wholes[row][term] for row in at]) - head
                tf = body / scale_body[at] + title * head / scale_head[at]
                score += one.lexicon.idf(term) * tf / (tf + k1)
            return score / (sum(map(one.lexicon.idf, asked)) or 1.0)

        return replace(one.features, words=one.of_questions(share))

    return changed


def _rocchio(n: int, share: float) -> Callable[[Tried], Features]:
    def changed(one: Tried) -> Features:
        first, vectors = one.first, one.collection.vectors

        def moved(question: int, rows: slice) -> FloatArray:
            asked = one.collection.question_vectors[question].astype(np.float64)
            near = vectors[one.at(rows)].astype(np.float64)
            return neighbours.rocchio(asked, near, first[rows], n=n, share=share)

        return replace(one.features, direction=one.of_questions(moved))

    return changed


def _smoothed(n: int, share: float) -> Callable[[Tried], Features]:
    def changed(one: Tried) -> Features:
        first, vectors = one.first, one.collection.vectors

        def gain(_: int, rows: slice) -> FloatArray:
            near = vectors[one.at(rows)].astype(np.float64)
            alike = np.clip(near @ near.T, 0.0, 1.0)
            return neighbours.smoothed(first[rows], alike, n=n, share=share) - first[rows]

        return one.adding(one.of_questions(gain))

    return changed


def _expanded(n: int, weight: float) -> Callable[[Tried], Features]:
    def changed(one: Tried) -> Features:
        first, lexicon = one.first, one.lexicon
        counts = [Counter(terms) for terms in one.collection.passage_terms]
        norms = K1 * (1 - B + B * lexicon.lengths / lexicon.lengths.mean())

        def gain(question: int, rows: slice) -> FloatArray:
            best, at = neighbours.best_of(first[rows], n), one.at(rows)
            added = neighbours.expansion(
                one.collection.question_terms[question],
                [counts[row] for row in at[best].tolist()],
                first[rows][best].tolist(),
                lexicon,
                n_terms=10,
            )
            found = np.zeros(len(at))
            for term, worth in added.items():
                tf = np.array([counts[row][term] for row in at.tolist()])
                found += worth * tf / (tf + norms[at])
            return weight * found

        return one.adding(one.of_questions(gain))

    return changed


VARIANTS: Mapping[str, tuple[Callable[[Tried], Features], ...]] = {
    **{name: tuple(_signal(name, weight) for weight in WEIGHTS) for name in SIGNALS},
    "b and k1": tuple(_bm25(0, b, k) for b, k in ((0.5, K1), (0.9, K1), (B, 0.8), (B, 2.0))),
    "title as a field": tuple(_bm25(title, B, K1) for title in (3, 5, 8)),
    "rocchio": tuple(_rocchio(n, share) for n in (3, 5) for share in (0.1, 0.3, 0.5)),
    "smooth": tuple(_smoothed(n, share) for n in (3, 5) for share in (0.1, 0.2, 0.3)),
    "expand": tuple(_expanded(3, weight) for weight in (0.05, 0.1, 0.2)),
}


def left_out_rows(sets: Mapping[str, Tried]) -> Iterator[tuple[str, dict[str, Recall]]]:
    """Signal, and each set's change of recall with the setting that is best on the others."""
    before = {name: recall(one.features, CONFIG) for name, one in sets.items()}
    for signal, settings in VARIANTS.items():
        changes: list[dict[str, Recall]] = [dict.fromkeys(sets, _NO_CHANGE)]
        for setting in settings:
            now = {name: recall(setting(one), CONFIG) for name, one in sets.items()}
            changes.append(
                {
                    name: tuple(b - a for a, b in zip(before[name], now[name], strict=True))
                    for name in sets
                }
            )
        yield signal, {name: max(changes, key=_elsewhere(name))[name] for name in sets}


def _elsewhere(left_out: str) -> Callable[[dict[str, Recall]], float]:
    def mean(change: dict[str, Recall]) -> float:
        return round(sum(sum(each) for name, each in change.items() if name != left_out), 6)

    return mean


def main(arguments: list[str] | None = None) -> int:
    """Prints the table as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="two or more, by commas")
    asked = parser.parse_args(arguments)
    embedder, cache = MiniLmEmbedder(), cache_root()
    sets = {}
    for name in asked.sets.split(","):
        folder = asked.data / name
        collection = data.read_collection(folder, embedder, cache)
        sets[name] = tried(collection, features_of_folder(folder, embedder, cache))
        print(f"{name}: {sets[name].features.n_questions} questions", file=sys.stderr, flush=True)
    print(f"| signal | {' | '.join(sets)} |\n|---|{'---|' * len(sets)}")
    for signal, changes in left_out_rows(sets):
        cells = (" ".join(f"{1000 * each:+.0f}" for each in changes[name]) for name in sets)
        print(f"| {signal} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
