"""How much room passages give up so that a notice can say what was left out.

The notice depends on what is out, that on the room, and the room on the notice. The circle is cut
by keeping room for the longest notice that the question could end with, whatever will be out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.decision import ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = [
    "LARGEST_SHARE",
    "did_not_fit",
    "least_room",
    "room_to_keep",
    "room_with_notice",
    "rows_without_room",
]

LARGEST_SHARE = 8
"""A notice takes at most one part in this many of the room that passages compete for."""


def did_not_fit(code: str, tokens: int, left: float) -> bool:
    """Whether a candidate is out for want of room and for no other reason.

    Skipped for size, or not in the best set and larger than what that set left. A chunk that is
    out because one it is linked with is out does not count: its own size had no part in it.

    Args:
        code: why it is out.
        tokens: of its block.
        left: room that the selection did not use.
    """
    return code == ExclusionCode.EXCEEDED_BUDGET or (
        code == ExclusionCode.NOT_IN_BEST_SET and tokens > left
    )


def rows_without_room(
    ranking: Ranking, packing: Packing, costs: Sequence[int] | IntArray, room: int
) -> tuple[int, ...]:
    """Rows that `did_not_fit`, by rank."""
    left = room - packing.used_tokens
    excluded = packing.excluded
    return tuple(
        row
        for row in ranking.order
        if row in excluded and did_not_fit(excluded[row].code, int(costs[row]), left)
    )


def room_to_keep(
    ranking: Ranking, packing: Packing, costs: Sequence[int] | IntArray, room: int, longest: int
) -> int:
    """`longest`, or 0 where a notice gets no room of its own.

    It gets none where everything that competes fits; where it would take more than its share of
    the room; and where no passage would have room beside it.

    Args:
        ranking: the candidates.
        packing: what packing them into all of `room` gave.
        costs: (n,) tokens of each row's block.
        room: tokens for blocks.
        longest: tokens of the longest notice.
    """
    if not rows_without_room(ranking, packing, costs, room):
        return 0
    return longest if room >= least_room(ranking, costs, longest) else 0


def least_room(ranking: Ranking, costs: Sequence[int] | IntArray, longest: int) -> int:
    """Tokens for blocks from which a notice may have room of its own."""
    required = sum(int(costs[row]) for row, _code in ranking.reserved)
    smallest = min((int(costs[row]) for row in ranking.order), default=0)
    return required + max(LARGEST_SHARE * longest, smallest + longest)


def room_with_notice(
    ranking: Ranking, costs: Sequence[int] | IntArray, at: int, *, longest: int, kept: int
) -> int:
    """The room, a notice's included, at which blocks get what packing into `at` tokens gives them.

    Where that is more than everything takes that competes, everything's room will do.

    Args:
        ranking: the candidates.
        costs: (n,) tokens of each row's block.
        at: tokens for blocks alone, more than they have now.
        longest: tokens of the longest notice.
        kept: how many of them are kept for one now.
    """
    is_without = not kept and at < least_room(ranking, costs, longest)
    rows = (*ranking.order, *(row for row, _code in ranking.reserved))
    return min(at if is_without else at + longest, sum(int(costs[row]) for row in rows))
