"""Recall@k of a ranked list."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.ranked_list import first_places

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["recall"]


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold passages among the first `k`, 0..1.

        recall@k = |gold in the first k| / |gold|

    As trec_eval has it: with more gold passages than `k`, 1 cannot be reached. NaN without gold.
    """
    if not gold:
        return math.nan
    return sum(1 for _ in first_places(ranked, gold, k)) / len(gold)
