"""Recall of gold passages at token budgets: walk down the ranking, skip what does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evals.ranking.data import Features
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["BUDGETS", "mean_recall", "packed"]

BUDGETS = (256, 512, 1024)
"""Tokens."""

DEPTH = 100
"""Candidates that are tried."""


def packed(scores: FloatArray, costs: IntArray, budget: int) -> list[int]:
    """Rows that are packed, in the order of packing: best first, ties by row, none with score 0."""
    order = np.argsort(-scores, kind="stable")[:DEPTH]
    order = order[scores[order] > 0]
    left = budget
    kept = []
    for row, cost in zip(order.tolist(), costs[order].tolist(), strict=True):
        if cost <= left:
            left -= cost
            kept.append(row)
    return kept


def mean_recall(
    features: Features,
    score: Callable[[int], FloatArray],
    questions: Sequence[int] | None = None,
) -> tuple[float, ...]:
    """Mean share of the gold passages that are packed, 0..1, for each of `BUDGETS`.

    Args:
        features: of a set.
        score: the score of each candidate of a question.
        questions: places of those to measure; None is all.
    """
    chosen = range(features.n_questions) if questions is None else questions
    total = np.zeros(len(BUDGETS))
    for question in chosen:
        rows = slice(int(features.ends[question]), int(features.ends[question + 1]))
        scores, costs, is_gold = score(question), features.costs[rows], features.is_gold[rows]
        hits = [int(is_gold[packed(scores, costs, budget)].sum()) for budget in BUDGETS]
        total += np.array(hits) / features.n_gold[question]
    return tuple((total / len(chosen)).tolist())
