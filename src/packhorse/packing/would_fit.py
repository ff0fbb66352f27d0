"""The smallest budget at which a skipped piece gets in, everything before it competing again."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MAX_STEPS", "smallest_budget"]

MAX_STEPS = 500
"""Budgets that are tried for one piece before the answer is given up."""


def smallest_budget(before: Sequence[int], cost: int, budget: int) -> int | None:
    """The smallest budget from `budget` up at which skip-and-continue takes a piece of `cost`.

    More budget does not always help: a larger piece before it may now fit and take the room. So
    the walk is redone at each budget at which it changes, and between two of those the answer is
    a sum. Each step costs O(len(before)); it ends at the latest where everything fits.

    Args:
        before: costs of the pieces that come first, in the order of the walk.
        cost: of the piece in question.
        budget: one at which it does not get in.

    Returns:
        The budget, or None when it is not found in `MAX_STEPS` steps.
    """
    for _ in range(MAX_STEPS):
        left, nearest = budget, None
        for piece in before:
            if piece <= left:
                left -= piece
            elif nearest is None or piece - left < nearest:
                nearest = piece - left
        short = max(0, cost - left)
        # Below `budget + nearest` every piece before is decided as it is now.
        if nearest is None or short < nearest:
            return budget + short
        budget += nearest
    return None
