"""What a chunk is worth to a packing: the better it scores, the likelier it is evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.bound import MILLIONTHS

if TYPE_CHECKING:
    from packhorse.types.arrays import IntArray
    from packhorse.types.ranking import Ranking

__all__ = ["HALVED_BY", "worths"]

HALVED_BY = 0.02
"""Score below the best at which a chunk is worth half; twice as far below, a quarter."""


def worths(ranking: Ranking) -> IntArray:
    """(n,) int64 worth of each row in millionths: 1 to a million.

    2 ** ((score - best) / HALVED_BY), where `best` is the highest score that competes. Scores
    cannot be added up themselves: most of each is what every candidate has, such as the neutral
    trust of documents that nobody rated, so that many short chunks would outweigh the one that
    answers. Here whatever all scores have in common drops out, and the sum over a set is
    proportional to the number of evidence passages expected in it, where the chance of being one
    doubles with each `HALVED_BY` of score (a conditional logit, fitted in decision 12).

    What scores far below the best counts a millionth and not nothing, so that room is filled.
    A required row may score above the best that competes, and is worth a million then.
    """
    score = ranking.signals.score
    if not ranking.order:
        return np.full(score.size, MILLIONTHS, dtype=np.int64)
    best = score[list(ranking.order)].max()
    # What has no score does not compete, and counts as what scores far below.
    below = np.maximum(best - np.where(np.isfinite(score), score, -np.inf), 0.0)
    # Six decimals as everywhere, before the power: equal scores are worth the same.
    halvings = np.round(below, 6) / HALVED_BY
    millionths: IntArray = np.rint(np.power(0.5, halvings) * MILLIONTHS).astype(np.int64)
    return np.maximum(millionths, 1)
