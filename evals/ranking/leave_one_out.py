"""Weights chosen on all sets but one, tested on that one: what the formula is worth elsewhere.

Coordinate ascent over a coarse grid: from no parts at all, each weight in turn takes the value that
is best for the others, until nothing moves. Best is the mean recall over sets and budgets, each set
counting the same. The constants of the parts (gates, decays, the grid itself) were set with all
sets in view, and are not fitted again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from evals.ranking.formula import NO_PARTS, Weights, relevance
from evals.ranking.recall import mean_recall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evals.ranking.data import Features
    from packhorse.types.arrays import FloatArray

__all__ = ["GRID", "LeftOut", "fit", "leave_one_out"]

GRID: Mapping[str, tuple[float, ...]] = {
    "named": (0.0, 0.2, 0.35, 0.5),
    "mention": (0.0, 0.4, 0.65, 0.9),
    "unnamed": (0.0, 0.2, 0.4),
    "length": (0.0, 0.0125, 0.025, 0.05),
    "alike_words": (0.0, 0.15, 0.25, 0.4),
    "alike_direction": (0.0, 0.15, 0.3),
}
ROUNDS = 3
_WORTH_MOVING = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One set, and the formula as fitted on all the others."""

    name: str
    weights: Weights
    recall: tuple[float, ...]
    """Over all questions of the set, for each budget."""


class Objective:
    """Mean recall of a sample of each set's questions; remembers what it has measured.

    Args:
        sets: features by name.
        n_questions: at most so many of each set.
        seed: of the sample.
    """

    def __init__(self, sets: Mapping[str, Features], *, n_questions: int, seed: int) -> None:
        self._sets = sets
        self._known: dict[tuple[str, Weights], float] = {}
        # A generator a set: what is left out does not change the sample of another.
        self._sample = {
            name: _sample(features.n_questions, n_questions, f"{seed} {name}")
            for name, features in sets.items()
        }

    def __call__(self, names: Sequence[str], weights: Weights) -> float:
        """Mean over the named sets, 0..1."""
        return sum(self._of(name, weights) for name in names) / len(names)

    def _of(self, name: str, weights: Weights) -> float:
        if (name, weights) not in self._known:
            features = self._sets[name]
            score = partial(_scored, features, weights)
            recalls = mean_recall(features, score, self._sample[name])
            self._known[name, weights] = sum(recalls) / len(recalls)
        return self._known[name, weights]


def _scored(features: Features, weights: Weights, question: int) -> FloatArray:
    return relevance(features, question, weights)


def _sample(n: int, wanted: int, seed: str) -> list[int]:
    return sorted(random.Random(seed).sample(range(n), min(n, wanted)))  # noqa: S311 - no secret


def fit(objective: Objective, names: Sequence[str]) -> Weights:
    """The weights that coordinate ascent comes to on the named sets; a tie moves nothing."""
    weights = NO_PARTS
    best = objective(names, weights)
    for _ in range(ROUNDS):
        before = weights
        for part, values in GRID.items():
            for value in values:
                tried = replace(weights, **{part: value})
                reached = objective(names, tried)
                if reached > best + _WORTH_MOVING:
                    best, weights = reached, tried
        if weights == before:
            break
    return weights


def leave_one_out(
    sets: Mapping[str, Features], *, n_questions: int, seed: int
) -> Iterator[LeftOut]:
    """Each set in turn, measured with the weights of all the others."""
    objective = Objective(sets, n_questions=n_questions, seed=seed)
    for name, features in sets.items():
        weights = fit(objective, [other for other in sets if other != name])
        score = partial(_scored, features, weights)
        yield LeftOut(name=name, weights=weights, recall=mean_recall(features, score))
