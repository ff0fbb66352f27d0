"""What policies keep of a conversation that grows, without looking at all of it each time.

A follower says which units stay, and nothing else: why the others go is asked for seldom, and the
policy itself says it then. Both say the same of every conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from packhorse.window.policies.blocks import BlockTrimming
from packhorse.window.policies.sliding import SlidingWindow

if TYPE_CHECKING:
    from packhorse.window.policies.blocks import BlockReplay
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.units import Unit

__all__ = ["Follower", "Grown", "follower_of"]


class Grown(NamedTuple):
    """A conversation as it is after its latest message."""

    units: Sequence[Unit]
    costs: Sequence[int]
    """Tokens of each unit."""
    least: Sequence[int]
    """The cheapest unit up to each of them."""
    first_open: int
    """The units before it will never be others."""


class Follower(Protocol):
    """Follows one conversation."""

    def kept(self, grown: Grown, required: frozenset[int], room: int) -> list[int]:
        """Units that stay, ascending; none that is broken is required.

        Args:
            grown: the conversation of the time before, with more behind.
            required: units that are in whatever happens.
            room: tokens for the others.
        """
        ...


class SlidingFollower:
    """Walks back from the latest unit for as long as anything older may fit: O(window)."""

    def kept(self, grown: Grown, required: frozenset[int], room: int) -> list[int]:
        """The most recent units, and required ones."""
        units, costs, least, _ = grown
        window: list[int] = []
        left, at = room, len(units) - 1
        while at >= 0:
            if at in required:
                window.append(at)
            elif not units[at].is_broken:
                if least[at] > left:
                    break
                if costs[at] <= left:
                    left -= costs[at]
                    window.append(at)
                elif not units[at].is_call:
                    break
            at -= 1
        window.reverse()
        return [*sorted(each for each in required if each < at), *window]


class BlocksFollower:
    """Goes on with the replay where it stood: O(new units), and O(window) to list what stays.

    The replay begins anew when what has to stay changes, as by a further instruction: the window
    would then have been another one from the beginning.
    """

    def __init__(self, policy: BlockTrimming) -> None:
        self._policy = policy
        self._replay: BlockReplay | None = None
        self._key: tuple[int, frozenset[int]] | None = None
        self._done = 0

    def kept(self, grown: Grown, required: frozenset[int], room: int) -> list[int]:
        """The first units and those of the window, and required ones."""
        units, costs, _, first_open = grown
        asking = sorted(at for at in required if units[at].is_users_word)
        limit = room + sum(costs[at] for at in required)
        key = limit, required.difference(asking[-1:])
        if self._replay is None or key != self._key or self._done > first_open:
            self._replay = self._policy.replay(costs, *key)
            self._key, self._done = key, 0
        _replayed(self._replay, units, range(self._done, first_open))
        self._done = first_open
        if first_open == len(units):
            return self._replay.kept()
        tried = self._replay.copy()
        _replayed(tried, units, range(first_open, len(units)))
        return tried.kept()


def _replayed(replay: BlockReplay, units: Sequence[Unit], some: range) -> None:
    for at in some:
        if not units[at].is_broken:
            replay.add(at, asks=units[at].is_users_word)


FOLLOWERS: Mapping[type, Callable[[Any], Follower]] = {
    SlidingWindow: lambda _: SlidingFollower(),
    BlockTrimming: BlocksFollower,
}


def follower_of(policy: HistoryPolicy) -> Follower | None:
    """What follows a conversation as the policy would choose; None where it has to look at all."""
    make = FOLLOWERS.get(type(policy))
    return None if make is None else make(policy)
