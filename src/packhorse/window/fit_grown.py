"""Fits a conversation that grew by a little: what was read, counted and chosen stays so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from packhorse.window.fit import Fitted, chosen_within, user_opens
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.counted import CountedConversation
    from packhorse.window.policies.following import Follower
    from packhorse.window.policies.policy import HistoryPolicy

__all__ = ["fit_grown"]


class LeftOutLater(Mapping[int, LeftOut]):
    """Why units are out, asked of the policy when somebody reads it."""

    def __init__(self, ask: Callable[[], Mapping[int, LeftOut]]) -> None:
        self._ask = ask

    @cached_property
    def _known(self) -> Mapping[int, LeftOut]:
        return self._ask()

    def __getitem__(self, at: int) -> LeftOut:
        return self._known[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def fit_grown(
    counted: CountedConversation,
    conversation: Conversation,
    limit: int,
    policy: HistoryPolicy,
    follower: Follower,
    *,
    pinned: frozenset[int],
    elides: bool,
) -> Fitted | None:
    """What `fit_conversation` gives, in O(new + window); None where it has to be asked itself.

    It has to be where what must stay is over the limit, where a summary stands in the conversation,
    where results of the latest call would be elided, and where the whole is more than its parts.

    Args:
        counted: the conversation.
        conversation: the same, as it is now.
        limit: tokens of the whole request.
        policy: says why units are out, when it is asked.
        follower: of that policy; says which stay.
        pinned: further units that stay.
        elides: whether results may be replaced.
    """
    if counted.reading.summaries:
        # Which of them is a word of the user's changes with what is said later.
        return None
    units, totals = counted.units, counted.totals
    opens = user_opens(conversation, counted.spec)
    required = counted.required(pinned, opens_with_user=opens)
    least = sorted(required)
    if any(units[at].is_broken for at in least):
        return None
    room = limit - counted.tokens(least)
    if room < 0 or (elides and _would_elide(counted, room, required)):
        return None
    kept = follower.kept(counted.grown, required, room)
    if opens:
        kept = _opened(counted, kept, required)
    items = counted.items_of(kept)
    body = counted.body_with(items)
    count = counted.count(kept, body)
    if count.total_tokens > limit:
        return None
    costs = tuple(totals)
    ask = partial(chosen_within, conversation, costs, room, policy, required, opens_with_user=opens)
    return Fitted(
        conversation=conversation,
        kept=tuple(kept),
        left_out=LeftOutLater(ask),
        required=required,
        pinned=pinned,
        costs=costs,
        items=tuple(items),
        body=body,
        count=count,
        limit=limit,
        opens_with_user=opens,
    )


def _would_elide(counted: CountedConversation, room: int, required: frozenset[int]) -> bool:
    """Whether the latest unit is a call that is larger than the room for it."""
    units, totals = counted.units, counted.totals
    latest = len(units) - 1
    while latest >= 0 and units[latest].is_broken:
        latest -= 1
    if latest < 0 or not units[latest].is_call:
        return False
    return totals[latest] > room + (totals[latest] if latest in required else 0)


def _opened(
    counted: CountedConversation, kept: Sequence[int], required: frozenset[int]
) -> list[int]:
    """What stays without the units that may not come first."""
    units, entries = counted.units, counted.reading.entries
    opening: list[int] = []
    for n, at in enumerate(kept):
        if units[at].is_instruction:
            opening.append(at)
            continue
        first = entries[units[at].places[0]]
        if at in required or (first.is_users_word and not first.results):
            return [*opening, *kept[n:]]
    return opening
