"""The best set under the budget alone: dynamic programming over what the bound leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.bound import fractional_millionths

if TYPE_CHECKING:
    from packhorse.types.arrays import IntArray

__all__ = ["MAX_CELLS", "best_set"]

MAX_CELLS = 200_000_000
"""Size of the largest table that is filled in: units x tokens, a byte each."""

_CORE = 128
"""Units nearest to undecided, which are solved first."""

_SLACK = 1e-2
"""Far above what floating point does to sums of whole numbers, far below one of their units."""


def best_set(values: IntArray, tokens: IntArray, capacity: int) -> list[int] | None:
    """The units of the highest value that fit together, ascending; None where it is too large.

    A unit whose value lies `price` above or below its tokens at the going rate costs at least
    that much when it is decided otherwise than the fractional optimum decides it. Units for which
    that is more than the bound is above a set already known are decided for good; a set almost as
    good as the best comes from filling in a table for the units of the lowest price first. The
    table (Bellman, 1957) is exact, and takes time and space in the number of open units times
    the tokens they compete for.

    Args:
        values: (m,) whole numbers above 0.
        tokens: (m,) 0 or more.
        capacity: 0 or more; less than all tokens together.
    """
    rate, taken = _going_rate(values, tokens, capacity)
    prices = np.abs(values - rate * tokens)
    ceiling = fractional_millionths(values, tokens, capacity)
    core = np.zeros(values.size, dtype=np.bool_)
    core[np.argsort(prices, kind="stable")[:_CORE]] = True
    first = _filled(values, tokens, capacity, core, taken)
    if first is None or core.all():
        return first
    is_open = ceiling - prices >= int(values[first].sum()) + 1 - _SLACK
    better = _filled(values, tokens, capacity, is_open, taken)
    if better is None:
        return None
    return max((first, better), key=lambda chosen: int(values[chosen].sum()))


def _going_rate(
    values: IntArray, tokens: IntArray, capacity: int
) -> tuple[float, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Value per token at which the budget is full, and the units that are worth more than that."""
    density = values / np.maximum(tokens, 1e-9)
    best_first = np.argsort(-density, kind="stable")
    filled = np.cumsum(tokens[best_first])
    n_whole = int(np.searchsorted(filled, capacity, side="right"))
    taken = np.zeros(values.size, dtype=np.bool_)
    taken[best_first[:n_whole]] = True
    cut = int(best_first[n_whole])
    return float(values[cut]) / float(tokens[cut]), taken


def _filled(
    values: IntArray,
    tokens: IntArray,
    capacity: int,
    is_open: np.ndarray[tuple[int], np.dtype[np.bool_]],
    taken: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[int] | None:
    """The best set in which every unit that is not open is as in `taken`."""
    decided = taken & ~is_open
    units = np.flatnonzero(is_open).tolist()
    # What is decided fits: it is a part of what the fractional optimum takes whole.
    width = min(capacity - int(tokens[decided].sum()), int(tokens[is_open].sum()))
    if len(units) * (width + 1) > MAX_CELLS:
        return None
    best = np.zeros(width + 1, dtype=np.int64)
    choices = np.zeros((len(units), width + 1), dtype=np.bool_)
    for turn, unit in enumerate(units):
        cost, value = int(tokens[unit]), int(values[unit])
        if cost <= width:
            with_it = best[: width + 1 - cost] + value
            np.greater(with_it, best[cost:], out=choices[turn, cost:])
            np.maximum(with_it, best[cost:], out=best[cost:])
    left = width
    chosen = np.flatnonzero(decided).tolist()
    for turn in range(len(units) - 1, -1, -1):
        if choices[turn, left]:
            chosen.append(units[turn])
            left -= int(tokens[units[turn]])
    return sorted(chosen)
