"""Alikeness to what ranks first: passages that resemble the best ones are likely about the same.

It helps where the best ones are alike among themselves (one subject, many passages) and harms where
they are not, so a gate looks at that first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evals.ranking import dense

if TYPE_CHECKING:
    from evals.ranking.lexical import Lexicon
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Feedback", "feedback", "gate"]

N_LIKE = 10
"""Passages that others are compared with."""
BASELINE = 20
"""A passage counts by how far it is above the one at this place."""
N_AGREEING = 5
_GATE_FROM = 0.4
_GATE_TO = 0.6
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Feedback:
    """Of every row of a pool, and of the pool as a whole."""

    words: FloatArray
    """Mean cosine of term vectors to the best ten, 0..1; a row is not compared with itself."""
    direction: FloatArray
    """The same of the embeddings."""
    agreement: float
    """Mean of `direction` over the best five."""


def feedback(first: FloatArray, rows: IntArray, lexicon: Lexicon, vectors: FloatArray) -> Feedback:
    """Compares each row of a pool with the ten best by `first`.

        alike(d) = sum over t in best, t != d of  w(t) * cos(d, t), divided by the sum of those w
        w(t) = first(t) - first(the 20th)

    Args:
        first: relevance of each row of the pool, before feedback.
        rows: of the pool, within the set.
        lexicon: of the set.
        vectors: of the set, rows of length 1.
    """
    order = np.argsort(-np.round(first, 6), kind="stable")
    best = order[:N_LIKE]
    base = first[order[min(BASELINE, len(order) - 1)]]
    weights = np.maximum(first[best] - base, _LEAST)
    own = np.zeros(len(first))
    own[best] = weights
    rest = weights.sum() - own
    chosen = rows[best].tolist()

    def others(summed: FloatArray) -> FloatArray:
        # A vector of length 1 has cosine 1 with itself: its own part is its weight.
        mean: FloatArray = np.where(rest > 0, (summed - own) / np.maximum(rest, _LEAST), 0.0)
        return np.clip(mean, 0.0, 1.0)

    words = others(lexicon.alikeness(chosen, weights)[rows])
    direction = others(dense.alikeness(vectors, chosen, weights, rows))
    return Feedback(words, direction, float(direction[order[:N_AGREEING]].mean()))


def gate(agreement: float, named_gate: float) -> float:
    """0..1: opens from an agreement of 0.4 to 0.6, and closes where the question names passages."""
    opened = (agreement - _GATE_FROM) / (_GATE_TO - _GATE_FROM)
    return min(1.0, max(0.0, opened)) * (1 - named_gate)
