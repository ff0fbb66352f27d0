"""Block trimming: a window whose start stands still for many turns and then jumps.

A window that slides by a message with each request has another beginning each time, and a
provider's prefix cache holds nothing of it but the instructions. Here the start stays until the
limit is reached; then so much goes at once that the next jump is many requests away. The beginning
of the conversation, where the task is stated, stays for good: what goes comes after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from copy import copy

from packhorse.errors import ConfigError
from packhorse.window.policies.policy import LeftOut, Pieces

__all__ = ["KEEP_SHARE", "BlockReplay", "BlockTrimming"]

KEEP_SHARE = 0.5
"""Share of the limit that stays after a jump."""

HEAD_SHARE = 0.3
"""Share of the limit for the beginning of the conversation, which no jump touches."""


class BlockTrimming:
    """Replays the conversation from its beginning, and trims at the same places each time.

    Where the window starts depends on the messages up to each place alone, so a request that
    continues an earlier one starts at the same message unless the limit was reached in between.
    Costs O(messages).
    """

    name = "blocks"

    def __init__(self, keep_share: float = KEEP_SHARE, head_share: float = HEAD_SHARE) -> None:
        """Settings.

        Args:
            keep_share: what stays after a jump, as a share of the limit, above 0 and at most 1;
                1 goes on by as little as possible.
            head_share: what the messages at the beginning may take, as a share of the limit, 0 to
                1; instructions are not among them, they stay anyway.

        Raises:
            ConfigError: a share is not in its range.
        """
        if not 0 < keep_share <= 1:
            raise ConfigError(
                f"keep_share is {keep_share}", hint="Give a share above 0 and at most 1"
            )
        if not 0 <= head_share <= 1:
            raise ConfigError(f"head_share is {head_share}", hint="Give a share from 0 to 1")
        self.keep_share = keep_share
        self.head_share = head_share

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        """Pieces before the start of the window, and later ones that are larger than the limit."""
        asking = sorted(piece for piece in pieces.required if pieces.asks(piece))
        limit = room + sum(pieces.costs[piece] for piece in pieces.required)
        replay = self.replay(pieces.costs, limit, pieces.required.difference(asking[-1:]))
        for piece in range(len(pieces.members)):
            if piece not in pieces.banned:
                replay.add(piece, asks=pieces.asks(piece))
        return replay.out

    def replay(self, costs: Sequence[int], limit: int, fixed: frozenset[int]) -> BlockReplay:
        """The window before the first piece.

        Args:
            costs: tokens of each piece; may grow behind.
            limit: tokens for all pieces.
            fixed: pieces that are in whatever happens, the user's last word not among them.
        """
        low, head = int(limit * self.keep_share), int(limit * self.head_share)
        return BlockReplay(costs, limit, low, head, fixed)


class BlockReplay:
    """The window as it was after each piece."""

    def __init__(
        self, costs: Sequence[int], limit: int, low: int, head: int, fixed: frozenset[int]
    ) -> None:
        self.out: dict[int, LeftOut] = {}
        self._costs = costs
        self._limit = limit
        self._low = low
        self.head: list[int] = []
        self._head_room = head
        self.window: deque[int] = deque()
        self._word: int | None = None
        """The user's last word so far."""
        self._held: int | None = None
        """The user's last word at the latest jump, where it stayed though the window has left it
        behind; it goes with the next jump, since taking it out earlier would change the prefix."""
        self._fixed = fixed
        self._used = sum(costs[piece] for piece in fixed)

    def copy(self) -> BlockReplay:
        """The same window, to go on with apart; what it drops is told apart too."""
        same = copy(self)
        same.out, same.head, same.window = {}, self.head.copy(), self.window.copy()
        return same

    def kept(self) -> list[int]:
        """Pieces that are in, ascending."""
        held = () if self._held is None else (self._held,)
        return sorted({*self._fixed, *self.head, *held, *self.window})

    def add(self, piece: int, *, asks: bool) -> None:
        """Takes the next piece; `asks` says whether the user says something in it."""
        if piece in self._fixed:
            return
        if asks:
            self._word = piece
        cost = self._costs[piece]
        self._used += cost
        if cost <= self._head_room:
            self.head.append(piece)
            self._head_room -= cost
        else:
            self.window.append(piece)
            self._head_room = 0
        if self._used > self._limit:
            self._jump()
        if self._used > self._limit and self._newest() not in (None, self._word):
            had = self._limit - self._used + cost
            self._drop(
                self.window.pop(),
                LeftOut("exceeded_remaining_budget", f"needed {cost}, had {had}"),
            )

    def _jump(self) -> None:
        trimmed = LeftOut("trimmed_block")
        if self._held is not None and self._held != self._word:
            self._drop(self._held, trimmed)
            self._held = None
        while self._used > self._low and len(self.window) > 1:
            first = self.window.popleft()
            if first == self._word:
                self._held = first
            else:
                self._drop(first, trimmed)
        while self._used > self._limit and self._newest() in (None, self._word):
            last = next((piece for piece in reversed(self.head) if piece != self._word), None)
            if last is None:
                return
            self.head.remove(last)
            self._drop(last, trimmed)

    def _newest(self) -> int | None:
        return self.window[-1] if self.window else None

    def _drop(self, piece: int, why: LeftOut) -> None:
        self._used -= self._costs[piece]
        self.out[piece] = why
