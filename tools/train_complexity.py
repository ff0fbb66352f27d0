"""Trains the points of complexity: `python tools/train_complexity.py DATA [--check]`.

DATA is a folder with the question sets `hotpotqa` and `2wiki` (whose answers take two passages),
`nq` and `squad` (one). Prints how well points that were trained on one set of each kind tell the
other two apart, then writes the points from all four. The result depends on the data alone.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from packhorse.window.complexity import DATA as POINTS
from packhorse.window.complexity import LEVELS, level_of
from packhorse.window.cues import CUES, found_cues, read_question

__all__ = ["area_under_curve", "cross_tested", "main", "train"]

MANY, ONE = ("hotpotqa", "2wiki"), ("nq", "squad")
SHRINK = 1.0
"""How strongly the weights of standardised cues are drawn to their common mean."""
LEAST_SCALE = 0.35
"""A rare cue varies little, and would be worth too many points where weights are alike."""
STEPS, STEP = 3000, 0.25
PLACES = 4

Rows = np.ndarray
Model = tuple[np.ndarray, float]


def rows_of(questions: Sequence[str]) -> Rows:
    """One row a question, one column a cue."""
    counts = [{each.name: each.count for each in found_cues(read_question(q))} for q in questions]
    return np.array([[float(row.get(name, 0)) for name in CUES] for row in counts])


def train(sets: Sequence[tuple[Rows, int]]) -> Model:
    """Points of each cue and the intercept: a logistic regression whose weights are never negative.

    Each set weighs the same. Weights of standardised cues are drawn to their mean instead of to
    zero: what one set happens to be full of then counts little more than what it lacks, and the
    points carry over to questions of another style. Projected gradient descent from equal weights.
    """
    rows = np.vstack([own for own, _ in sets])
    labels = np.concatenate([np.full(len(own), float(label)) for own, label in sets])
    share = np.concatenate([np.full(len(own), 1 / len(own) / len(sets)) for own, _ in sets])
    mean, scale = rows.mean(0), np.maximum(rows.std(0), LEAST_SCALE)
    standard = (rows - mean) / scale
    weights, bias = np.full(rows.shape[1], 0.3), 0.0
    for _ in range(STEPS):
        error = share * (1 / (1 + np.exp(-(standard @ weights + bias))) - labels)
        slope = standard.T @ error + SHRINK * (weights - weights.mean())
        weights = np.maximum(weights - STEP * slope, 0.0)
        bias -= STEP * 4 * error.sum()
    points = weights / scale
    return points, float(bias - points @ mean)


def area_under_curve(many: np.ndarray, one: np.ndarray) -> float:
    """Chance that a question of `many` scores above one of `one`; a tie is half."""
    _, place, count = np.unique(
        np.round(np.concatenate([many, one]), 9), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    above = ranks[: len(many)].sum() - len(many) * (len(many) + 1) / 2
    return float(above / (len(many) * len(one)))


CrossTested = tuple[str, str, float, float]


def cross_tested(rows: Mapping[str, Rows], lowered: Mapping[str, Rows]) -> list[CrossTested]:
    """For each pair of sets: trained on it, how well the other two are told apart.

    The last figure is for questions in lower case: no help from capitals, which one of the sets
    does not have.
    """
    found: list[CrossTested] = []
    for many, one in product(MANY, ONE):
        other = MANY[many == MANY[0]], ONE[one == ONE[0]]
        points, _ = train([(rows[many], 1), (rows[one], 0)])
        areas = [
            area_under_curve(given[other[0]] @ points, given[other[1]] @ points)
            for given in (rows, lowered)
        ]
        found.append((f"{many} + {one}", f"{other[0]}, {other[1]}", areas[0], areas[1]))
    return found


def _levels(rows: Rows, model: Model) -> str:
    scores = 1 / (1 + np.exp(-(rows @ model[0] + model[1])))
    levels = [level_of(float(score)) for score in scores]
    return ", ".join(f"{name} {levels.count(name) / len(levels):.0%}" for name in LEVELS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables and writes the points; with --check, 1 when they would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    questions = {
        name: [
            json.loads(line)["query"]
            for line in (given.data / name / "queries.jsonl").read_text("utf-8").splitlines()
        ]
        for name in (*MANY, *ONE)
    }
    rows = {name: rows_of(own) for name, own in questions.items()}
    lowered = {name: rows_of([q.lower() for q in own]) for name, own in questions.items()}
    found = cross_tested(rows, lowered)
    for trained, tested, *areas in found:
        sets = f"trained on {trained:16} tested on {tested:15}"
        print(f"{sets} AUC {areas[0]:.3f}, lower case {areas[1]:.3f}")
    written, lower = (float(np.mean([each[at] for each in found])) for at in (2, 3))
    print(f"{'mean':53} AUC {written:.3f}, lower case {lower:.3f}")
    model = train([(rows[name], int(name in MANY)) for name in questions])
    for name in questions:
        print(f"{name:10} {_levels(rows[name], model)}")
    document = {
        "intercept": round(model[1], PLACES),
        "points": {
            name: round(float(each), PLACES) for name, each in zip(CUES, model[0], strict=True)
        },
    }
    text = json.dumps(document, indent=2) + "\n"
    if given.check:
        return int(POINTS.read_text("utf-8") != text)
    POINTS.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
