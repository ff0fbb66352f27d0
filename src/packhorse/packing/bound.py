"""How much the best possible selection can be worth at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import IntArray

__all__ = ["MILLIONTHS", "fractional_millionths"]

MILLIONTHS = 1_000_000
"""Units a whole: what has six decimals is a whole number of them, and sums are exact."""


def fractional_millionths(values: IntArray, tokens: IntArray, capacity: int) -> int:
    """Upper bound of the value of any selection within `capacity` tokens (Dantzig, 1957).

    The best selection when the last chunk may be cut: by value per token, the chunk that does not
    fit counted in part. Rows that are worth nothing, or that do not fit even alone, are left out;
    rows without tokens cost nothing. Sums are of whole numbers and the cut chunk's part is rounded
    up, so the bound holds to the last digit. O(n log n).

    Args:
        values: (n,) worth of each row in whole units; 0 or below counts as nothing.
        tokens: (n,) 0 or more.
        capacity: 0 or more.
    """
    usable = (values > 0) & (tokens <= capacity)
    worth, cost = values[usable], tokens[usable]
    if int(cost.sum()) <= capacity:
        return int(worth.sum())
    # A free row is denser than any other: a cost below 1 in the place of 0 keeps it so.
    best_first = np.argsort(-worth / np.maximum(cost, 1e-9), kind="stable")
    worth, cost = worth[best_first], cost[best_first]
    filled = np.cumsum(cost)
    n_whole = int(np.searchsorted(filled, capacity, side="right"))
    whole = int(worth[:n_whole].sum())
    left = capacity - (int(filled[n_whole - 1]) if n_whole else 0)
    return whole + -(-int(worth[n_whole]) * left // int(cost[n_whole]))
