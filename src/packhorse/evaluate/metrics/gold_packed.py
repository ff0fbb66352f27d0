"""How much of the gold is in the packed set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["all_gold", "gold_recall"]


def gold_recall(packed: Collection[str], gold: Collection[str]) -> float:
    """Share of the gold passages that are packed, 0..1; NaN without gold.

    The recall of a set, whose size is limited in tokens and not in passages.
    """
    return len(set(gold) & set(packed)) / len(gold) if gold else math.nan


def all_gold(packed: Collection[str], gold: Collection[str]) -> float:
    """1 where every gold passage is packed, else 0; NaN without gold.

    What a question that needs several passages depends on.
    """
    return float(set(gold) <= set(packed)) if gold else math.nan
