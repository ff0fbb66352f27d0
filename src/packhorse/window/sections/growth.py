"""Shares of what is left over, in whole tokens."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["shared_by_growth"]


def shared_by_growth(room: int, weights: Sequence[int], limits: Sequence[int]) -> list[int]:
    """How many of `room` tokens each of several sections gets.

    The method of Webster (1832), also called Sainte-Lague: the k-th token of a section with the
    weight g is due at (2k - 1) / 2g, and tokens go out in that order, ties to the earlier section.
    A section at its limit takes no more, so that the others share what it leaves. Rounding shares
    by their largest remainders would come as near to the weights, but there one more token of room
    can cost a section one of its own (the Alabama paradox); here it never does.

    Args:
        room: tokens to be shared.
        weights: above 0, in the order that ties are broken in.
        limits: what each can take.

    Returns:
        Tokens of each, in all the smaller of `room` and the sum of the limits. Costs O(log room)
        for each section.
    """
    room = min(room, sum(limits))
    if room <= 0:
        return [0] * len(weights)
    common = lcm(*weights)
    steps = [common // weight for weight in weights]

    def due(moment: int) -> list[int]:
        """What has gone out at a moment, counted in halves of 1 / `common`."""
        return [
            min(limit, (moment // step + 1) // 2) for step, limit in zip(steps, limits, strict=True)
        ]

    low, high = 0, 2 * max(limits) * max(steps)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(due(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    shares, following = due(low), due(low + 1)
    for at, share in enumerate(shares):
        if sum(shares) < room and following[at] > share:
            shares[at] += 1
    return shares
