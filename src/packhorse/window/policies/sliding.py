"""Sliding window: the most recent pieces."""

from __future__ import annotations

from collections.abc import Mapping

from packhorse.window.policies.policy import LeftOut, Pieces

__all__ = ["SlidingWindow"]

OLDER = LeftOut("older_than_window")


class SlidingWindow:
    """Grows backward from the most recent piece and stops at the first that does not fit.

    A tool call with its results is passed over instead: it answers for itself, and what was said
    around it may still be worth its place.
    """

    name = "sliding"

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        """Pieces older than the window, and calls that do not fit into it."""
        out: dict[int, LeftOut] = {}
        left, stopped = room, False
        for piece in range(len(pieces.members) - 1, -1, -1):
            if piece in pieces.required or piece in pieces.banned:
                continue
            cost = pieces.costs[piece]
            if stopped:
                out[piece] = OLDER
            elif cost <= left:
                left -= cost
            else:
                stopped = not pieces.is_call(piece)
                out[piece] = LeftOut("exceeded_remaining_budget", f"needed {cost}, had {left}")
        return out
