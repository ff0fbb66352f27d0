"""Where the gold that is not packed was lost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["Losses", "losses"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """Shares of the gold, 0..1. What is packed and the four losses add up to 1."""

    retrieval: float
    """Not among the candidates."""
    size: float
    """Among them, and too large: not even the best choice of passages holds all of it."""
    filters: float
    """Taken out before ranking: a duplicate, too old, below a threshold."""
    ranking: float
    """It would have fitted; others were ranked before it and took its room."""


def losses(
    packed: Collection[str],
    gold: Collection[str],
    tokens: Mapping[str, int],
    filtered: Collection[str],
    room: int,
) -> Losses:
    """Splits what is missing by the stage that lost it.

    The most gold that `room` can hold is found by taking the smallest passages first, which is the
    best choice where each counts the same. What even that leaves out is lost for size; of the rest,
    what filters took out is lost there, and what remains is lost in ranking. NaN without gold.

    Args:
        packed: ids that are in.
        gold: ids that should be.
        tokens: candidate id -> what it costs.
        filtered: ids of candidates that never competed.
        room: tokens that could be spent.
    """
    if not gold:
        return Losses(retrieval=math.nan, size=math.nan, filters=math.nan, ranking=math.nan)
    found = [name for name in gold if name in tokens]
    at_best = 0
    for cost in sorted(tokens[name] for name in found):
        room -= cost
        at_best += room >= 0
    n_packed = len(set(gold) & set(packed))
    at_best = max(at_best, n_packed)  # one passage may hold two quotes, each with its whole cost
    n_filtered = min(len(set(found) & set(filtered)), at_best - n_packed)
    return Losses(
        retrieval=(len(gold) - len(found)) / len(gold),
        size=(len(found) - at_best) / len(gold),
        filters=n_filtered / len(gold),
        ranking=(at_best - n_packed - n_filtered) / len(gold),
    )
