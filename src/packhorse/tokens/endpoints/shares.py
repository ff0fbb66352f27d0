"""A whole number shared out over parts, so that the shares add up to it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["shared_out"]


def shared_out(total: int, weights: Sequence[int]) -> list[int]:
    """Whole shares of a total in proportion to weights; they add up to the total.

    By largest remainder: each share is rounded down, and what is left goes, one by one, to the
    parts that lost most by it, the first of equals first. All weights 0: all goes to the last.

    Args:
        total: 0 or more.
        weights: 0 or more each, at least one of them.
    """
    whole = sum(weights)
    if whole == 0:
        return [0] * (len(weights) - 1) + [total]
    shares = [total * weight // whole for weight in weights]
    lost = sorted(range(len(weights)), key=lambda part: (-(total * weights[part] % whole), part))
    for part in lost[: total - sum(shares)]:
        shares[part] += 1
    return shares
