"""Reciprocal rank; its mean over questions is the MRR."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.ranked_list import first_places

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["reciprocal_rank"]


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 / rank of the first gold passage among the first `k`, 0 where there is none.

    Voorhees, "The TREC-8 Question Answering Track Report" (1999). NaN without gold.
    """
    if not gold:
        return math.nan
    return next((1 / rank for rank, _ in first_places(ranked, gold, k)), 0.0)
