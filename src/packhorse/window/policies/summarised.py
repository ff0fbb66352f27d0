"""A window for a conversation whose older part is summed up: a start that jumps, without gaps."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from packhorse.errors import ConfigError
from packhorse.window.policies.blocks import KEEP_SHARE
from packhorse.window.policies.policy import LeftOut, Pieces

__all__ = ["SummarisedWindow"]


class SummarisedWindow:
    """Keeps everything from one place on, and moves that place seldom and far.

    The window grows until its room is full; then its start jumps until a share of the room is
    taken. So a summary is written once in many requests, and covers all that was said up to one
    place, but for what has to stay. Costs O(messages).
    """

    name = "summary"

    def __init__(self, keep_share: float = KEEP_SHARE) -> None:
        """Settings.

        Args:
            keep_share: what stays after a jump, as a share of the room, above 0 and at most 1.

        Raises:
            ConfigError: it is not in its range.
        """
        if not 0 < keep_share <= 1:
            raise ConfigError(
                f"keep_share is {keep_share}", hint="Give a share above 0 and at most 1"
            )
        self.keep_share = keep_share

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        """Pieces before the start of the window, as it is after the latest jump."""
        low = int(room * self.keep_share)
        window: deque[int] = deque()
        used = 0
        out: dict[int, LeftOut] = {}
        for piece, cost in enumerate(pieces.costs):
            if piece in pieces.required or piece in pieces.banned:
                continue
            window.append(piece)
            used += cost
            if used <= room:
                continue
            while window and (used > low if len(window) > 1 else used > room):
                first = window.popleft()
                used -= pieces.costs[first]
                out[first] = LeftOut("trimmed_block")
        return out
