"""The smallest budget at which a skipped piece gets in, everything before it competing again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["MAX_STRETCHES", "smallest_budgets"]

MAX_STRETCHES = 512
"""Stretches of budgets that are kept apart; where there would be more, the answer is given up."""


def smallest_budgets(
    walk: Sequence[int], asked: Collection[int], budget: int
) -> dict[int, int]:
    """Place -> the smallest budget from `budget` up at which skip-and-continue takes its piece.

    More budget does not always help: a larger piece before it may now fit and take the room. So
    all budgets from `budget` up are walked at once. They fall into stretches that every piece so
    far is taken in, or skipped in, throughout; over a stretch, what is left grows by one with
    each token of budget. A piece splits a stretch where what is left reaches its cost. A stretch
    in which nothing that is asked about can fit any more is dropped.

    Args:
        walk: costs of the pieces in the order of the walk.
        asked: places in `walk` of the pieces in question; at `budget` they do not get in.
        budget: where the search begins.

    Returns:
        An answer for every place asked about, up to the first piece at which there are more than
        `MAX_STRETCHES` stretches.
    """
    places = sorted(asked)
    found: dict[int, int] = {}
    # The cheapest piece that is still asked about, for the pieces from a place on.
    cheapest: list[int] = []
    least = -1
    for place in reversed(places):
        least = walk[place] if least < 0 else min(least, walk[place])
        cheapest.append(least)
    cheapest.reverse()
    # (first budget, what is left there, what is left at the end); the last one has no end.
    stretches: list[tuple[int, int, int]] = []
    endless = (budget, budget)
    turn = 0
    for place, cost in enumerate(walk[: places[-1] + 1] if places else ()):
        floor = cheapest[turn]
        is_asked = place == places[turn]
        lowest = -1
        split: list[tuple[int, int, int]] = []
        for stretch in stretches:
            first, left, end = stretch
            if end <= cost:
                split.append(stretch)
                continue
            short = cost - left
            if short > 0:
                if cost > floor:
                    split.append((first, left, cost))
                first += short
                left = cost
            if is_asked and (lowest < 0 or first < lowest):
                lowest = first
            if end - cost > floor:
                split.append((first, left - cost, end - cost))
        first, left = endless
        if left < cost:
            if cost > floor:
                split.append((first, left, cost))
            first, left = first + cost - left, cost
        endless = (first, left - cost)
        if is_asked:
            found[place] = first if lowest < 0 else min(lowest, first)
            turn += 1
            if turn < len(places) and cheapest[turn] > floor:
                split = [stretch for stretch in split if stretch[2] > cheapest[turn]]
        if len(split) > MAX_STRETCHES:
            return found
        stretches = split
    return found
