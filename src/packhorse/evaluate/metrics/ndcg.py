"""nDCG@k with graded relevance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.ranked_list import first_places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ndcg"]


def ndcg(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k` passages, 0..1.

        DCG@k  = sum over ranks r = 1..k of  grade(r) / log2(r + 1)
        nDCG@k = DCG@k / DCG@k of the best possible order

    Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (2002), with the
    grade itself as the gain and the discount from rank 2 on, as trec_eval has it. A passage without
    a grade gains nothing; one that is listed twice counts at its first rank. The best order is that
    of all graded passages, found or not. NaN where no passage has a grade.
    """
    best = sorted(grades.values(), reverse=True)[:k]
    ideal = math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, start=1))
    if not ideal:
        return math.nan
    found = math.fsum(
        grades[name] / math.log2(rank + 1) for rank, name in first_places(ranked, grades, k)
    )
    return found / ideal
