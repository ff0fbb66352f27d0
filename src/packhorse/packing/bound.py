"""How much the best possible selection can be worth at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["fractional_bound"]


def fractional_bound(values: FloatArray, tokens: IntArray, capacity: int) -> float:
    """Upper bound of the value of any selection within `capacity` tokens (Dantzig, 1957).

    The best selection when the last chunk may be cut: by value per token, the chunk that does not
    fit counted in part. Rows that are worth nothing, or that do not fit even alone, are left out;
    rows without tokens cost nothing. O(n log n).

    Args:
        values: (n,) worth of each row; 0 or below counts as nothing.
        tokens: (n,) 0 or more.
        capacity: 0 or more.
    """
    usable = (values > 0) & (tokens <= capacity)
    worth, cost = values[usable].astype(np.float64), tokens[usable].astype(np.float64)
    density = np.divide(worth, cost, out=np.full_like(worth, np.inf), where=cost > 0)
    # Stable, so that the order of equal densities, and with it the last bit of the sum, is fixed.
    best_first = np.argsort(-density, kind="stable")
    worth, cost = worth[best_first], cost[best_first]
    filled = np.cumsum(cost)
    n_whole = int(np.searchsorted(filled, capacity, side="right"))
    bound = float(np.cumsum(worth)[n_whole - 1]) if n_whole else 0.0
    if n_whole < worth.size:
        left = capacity - (float(filled[n_whole - 1]) if n_whole else 0.0)
        bound += float(worth[n_whole]) * left / float(cost[n_whole])
    return bound
