"""The smallest budget at which a skipped piece gets in, everything before it competing again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

__all__ = ["MAX_STRETCHES", "FoundLater", "smallest_budgets"]

Stretch = tuple[int, int, int]
"""First budget, what is left there, and what would be left at the budget after its last."""

MAX_STRETCHES = 512
"""Stretches of budgets that are kept apart; where there would be more, the answer is given up."""


class FoundLater(Mapping[int, int]):
    """Row -> budget, worked out when somebody first looks.

    Packing is run again and again to find out what would change it, and then nobody asks.
    """

    def __init__(self, find: Callable[[], Mapping[int, int]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> Mapping[int, int]:
        return self._find()

    def __getitem__(self, row: int) -> int:
        return self._found[row]

    def __iter__(self) -> Iterator[int]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return repr(dict(self._found))


def smallest_budgets(walk: Sequence[int], asked: Collection[int], budget: int) -> dict[int, int]:
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
    if not places:
        return found
    cheapest = _cheapest_from([walk[place] for place in places])
    stretches: list[Stretch] = []
    # The last stretch has no end.
    first = left = budget
    turn = 0
    for place, cost in enumerate(walk[: places[-1] + 1]):
        floor = cheapest[turn]
        stretches, lowest = _taken(stretches, cost, floor)
        if left < cost:
            if cost > floor:
                stretches.append((first, left, cost))
            first, left = first + cost - left, cost
        left -= cost
        if place == places[turn]:
            found[place] = first if lowest is None else min(lowest, first)
            turn += 1
            if turn < len(places) and cheapest[turn] > floor:
                stretches = [each for each in stretches if each[2] > cheapest[turn]]
        if len(stretches) > MAX_STRETCHES:
            break
    return found


def _cheapest_from(costs: Sequence[int]) -> list[int]:
    """For each piece that is asked about, the lowest cost of it and those after it."""
    return list(accumulate(reversed(costs), min))[::-1]


def _taken(stretches: Sequence[Stretch], cost: int, floor: int) -> tuple[list[Stretch], int | None]:
    """The stretches once a piece had its turn, and the first budget of them that takes it.

    What ends at `floor` or below is of no interest any more.
    """
    split: list[Stretch] = []
    lowest: int | None = None
    for stretch in stretches:
        first, left, end = stretch
        if end <= cost:
            split.append(stretch)
            continue
        if left < cost:
            if cost > floor:
                split.append((first, left, cost))
            first, left = first + cost - left, cost
        if lowest is None or first < lowest:
            lowest = first
        if end - cost > floor:
            split.append((first, left - cost, end - cost))
    return split, lowest
