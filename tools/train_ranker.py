"""Fits the weights of relevance, and measures them on sets that they were not fitted on.

Usage: python -m tools.train_ranker --data DIR [--write FILE]

DIR holds the public sets that `evals/ranking` reads. The sum is that of `packhorse.retrieve`, over
the features of `evals/ranking`; length is that of title and text in tokens beside the mean of what
both channels found. Coordinate ascent over a coarse grid: from no parts at all, each weight in turn
takes the value that is best for the others, until nothing moves. Best is the mean recall of a
sample of each set's questions at 256, 512 and 1024 tokens, each set counting the same.

`--write` writes the weights that are fitted on all sets, with the seed and the table of what
weights fitted without a set do on that set: `src/packhorse/data/relevance.json` ships.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.ranking.__main__ import ROOT, SETS, read_sets
from evals.ranking.data import Features
from evals.ranking.formula import edges_of, floors
from evals.ranking.recall import BUDGETS, mean_recall
from packhorse.config import RetrievalConfig, shipped_relevance
from packhorse.errors import PackhorseError
from packhorse.indexing.cache import cache_root
from packhorse.protocols import Reference
from packhorse.retrieve.alike import Nearest, alike_part
from packhorse.retrieve.follow import gains, seeds, weight_of_mentions

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray


__all__ = ["GRID", "fit", "main", "relevance"]

GRID: Mapping[str, tuple[float, ...]] = {
    "named_weight": (0.0, 0.2, 0.35, 0.5),
    "mention_weight": (0.0, 0.4, 0.65, 0.9),
    "unnamed_share": (0.0, 0.2, 0.4),
    "mention_limit": (0.8, 0.9, 1.0),
    "length_weight": (0.0, 0.0125, 0.025, 0.05),
    "alike_weight": (0.0, 0.1, 0.2, 0.3, 0.4),
}
NO_PARTS = RetrievalConfig(
    named_weight=0.0,
    mention_weight=0.0,
    unnamed_share=0.0,
    mention_limit=0.9,
    length_weight=0.0,
    alike_weight=0.0,
)
ROUNDS = 3
_WORTH_MOVING = 1e-6

Sets = Mapping[str, Features]
Recall = tuple[float, ...]


def relevance(features: Features, question: int, config: RetrievalConfig) -> FloatArray:
    """Relevance of each candidate of a question by the product's sum, 0..1, six decimals."""
    rows = slice(int(features.ends[question]), int(features.ends[question + 1]))
    named = features.named[rows]
    mean = (features.words[rows] + features.direction[rows]) / 2
    found = (features.by_words[rows] > 0) | (features.by_direction[rows] > 0)
    costs = np.maximum(features.costs[rows], 1)
    length = np.clip(np.log(costs / costs[found].mean()), -1.0, 1.0) if found.any() else 0.0
    own = mean + config.named_weight * named
    near = Nearest(rows=features.nearest[rows], cosines=features.nearest_cosines[rows])
    alike = alike_part(own, near, config.alike_weight)
    first = own - config.length_weight * length + alike
    edges, ids = edges_of(features, question), [str(row) for row in range(len(first))]
    mentioned: dict[str, list[Reference]] = {
        ids[row]: [] for row in seeds(first, found | (named > 0))
    }
    for source, target, strength in zip(*map(np.ndarray.tolist, _columns(edges)), strict=True):
        if ids[source] in mentioned:
            reference = Reference(chunk_id=ids[target], name="", strength=strength)
            mentioned[ids[source]].append(reference)
    surest = Reference(chunk_id="", name="", strength=float(named.max(initial=0.0)))
    gained = gains(
        first,
        mentioned,
        {name: row for row, name in enumerate(ids)},
        weight=weight_of_mentions(config, {"": surest}),
        limit=config.mention_limit,
    )
    scores: FloatArray = np.round(np.clip(first + gained.values, 0.0, 1.0), 6)
    return scores


def _columns(edges: Any) -> tuple[Any, Any, Any]:
    return edges.sources, edges.targets, edges.strengths


class Objective:
    """Mean recall of a sample of each set's questions; remembers what it has measured."""

    def __init__(self, sets: Sets, *, n_questions: int, seed: int) -> None:
        self._sets = sets
        self._known: dict[tuple[str, RetrievalConfig], float] = {}
        # A generator a set: what is left out does not change the sample of another.
        self._sample = {
            name: _sample(features.n_questions, n_questions, f"{seed} {name}")
            for name, features in sets.items()
        }

    def __call__(self, names: Sequence[str], config: RetrievalConfig) -> float:
        """Mean over the named sets and the budgets, 0..1."""
        return sum(self._of(name, config) for name in names) / len(names)

    def _of(self, name: str, config: RetrievalConfig) -> float:
        if (name, config) not in self._known:
            recalls = recall(self._sets[name], config, self._sample[name])
            self._known[name, config] = sum(recalls) / len(recalls)
        return self._known[name, config]


def _sample(n: int, wanted: int, seed: str) -> list[int]:
    return sorted(random.Random(seed).sample(range(n), min(n, wanted)))  # noqa: S311 - no secret


def recall(
    features: Features, config: RetrievalConfig, questions: Sequence[int] | None = None
) -> Recall:
    """Of the gold passages of a set, at each of `BUDGETS`."""
    return mean_recall(features, lambda place: relevance(features, place, config), questions)


def fit(objective: Objective, names: Sequence[str]) -> RetrievalConfig:
    """The weights that coordinate ascent comes to on the named sets; a tie moves nothing."""
    config, best = NO_PARTS, objective(names, NO_PARTS)
    for _ in range(ROUNDS):
        before = config
        for part, values in GRID.items():
            for value in values:
                tried = replace(config, **{part: value})  # type: ignore[arg-type]  # all are floats
                reached = objective(names, tried)
                if reached > best + _WORTH_MOVING:
                    best, config = reached, tried
        if config == before:
            break
    return config


def weights_of(config: RetrievalConfig) -> dict[str, float]:
    """The fitted settings by name."""
    return {name: getattr(config, name) for name in GRID}


def rows(sets: Sets, objective: Objective, fitted: RetrievalConfig) -> Iterator[dict[str, Any]]:
    """For each set: the mean of both channels, the weights of all sets, and those of the others."""
    for name, features in sets.items():
        without = fit(objective, [other for other in sets if other != name])
        yield {
            "set": name,
            "questions": features.n_questions,
            "mean_of_channels": _rounded(
                mean_recall(features, lambda place, of=features: floors(of, place)["today"])  # type: ignore[misc]  # a default binds the set
            ),
            "in_sample": _rounded(recall(features, fitted)),
            "left_out": _rounded(recall(features, without)),
            "left_out_weights": weights_of(without),
        }


def _rounded(recalls: Recall) -> list[float]:
    return [round(each, 3) for each in recalls]


def readable(document: Mapping[str, Any]) -> str:
    """JSON with a line for each row of the table."""
    table = ",\n".join(f"    {json.dumps(row)}" for row in document["recall"])
    text = json.dumps({**document, "recall": "TABLE"}, indent=2)
    return text.replace('"TABLE"', f"[\n{table}\n  ]") + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Fits, prints the document, and writes it where asked; the exit code is 2 without data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--cache", type=Path, help="where vectors and features are kept")
    parser.add_argument("--questions", type=int, default=100, help="of each set, to fit on")
    parser.add_argument("--seed", type=int, default=0, help="of that sample")
    parser.add_argument("--write", type=Path, help="file for the weights")
    asked = parser.parse_args(arguments)
    try:
        sets = read_sets(asked.data, asked.sets.split(","), cache_root(asked.cache))
    except PackhorseError as error:
        print(f"[ERROR] {error.message}\n[HINT] {error.hint}", file=sys.stderr)
        return 2
    objective = Objective(sets, n_questions=asked.questions, seed=asked.seed)
    fitted = fit(objective, list(sets))
    document = {
        "weights": weights_of(fitted),
        "trained_by": "tools/train_ranker.py",
        "seed": asked.seed,
        "questions_of_each_set": asked.questions,
        "budgets_tokens": list(BUDGETS),
        "recall": list(rows(sets, objective, fitted)),
    }
    text = readable(document)
    print(text, end="")
    before = dict(shipped_relevance())
    if document["weights"] != before:
        print(f"the weights in the package are others: {before}", file=sys.stderr)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
