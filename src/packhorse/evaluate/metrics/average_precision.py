"""Average precision; its mean over questions is the MAP."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.ranked_list import first_places

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["average_precision"]


def average_precision(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Mean of the precision at each gold passage among the first `k`, 0..1.

        AP@k = sum over gold ranks r <= k of (gold in the first r) / r, divided by |gold|

    Buckley and Voorhees, "Evaluating Evaluation Measure Stability" (2000), cut at `k` as trec_eval
    cuts it: divided by all gold passages, not by those that `k` can hold. NaN without gold.
    """
    if not gold:
        return math.nan
    ranks = [rank for rank, _ in first_places(ranked, gold, k)]
    return math.fsum(nth / rank for nth, rank in enumerate(ranks, start=1)) / len(gold)
