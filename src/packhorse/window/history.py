"""Fits a conversation into a number of tokens: a sliding window over whole units.

A unit is one message, or a tool call with all its results. Instructions and the last user
message always stay; from there the window grows backward from the most recent unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from packhorse.errors import BudgetExceededError
from packhorse.tokens.requests.count import message_costs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.message import Message

__all__ = ["FittedHistory", "fit_history"]

INSTRUCTIONS = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedHistory:
    """A conversation that fits, and what was left out for it. Both keep their order."""

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    tokens: int
    """Of the kept messages, framing included, without the reply's priming."""
    dropped_tokens: int
    turns: int
    """Turns of the whole conversation; a turn opens with a user message."""
    dropped_turns: int
    """Turns of which at least one message was left out."""
    broken_calls: int = 0
    """Dropped messages that no provider would take: a result without its call, a call without
    all its results."""

    @property
    def reason(self) -> str:
        """What was left out, with the numbers; empty when nothing was."""
        if not self.dropped:
            return ""
        n_messages = len(self.dropped) + len(self.kept)
        reason = (
            f"{len(self.dropped)} of {n_messages} messages left out, from {self.dropped_turns} of"
            f" {self.turns} turns ({self.dropped_tokens} of"
            f" {self.dropped_tokens + self.tokens} tokens)"
        )
        if self.broken_calls:
            reason += f"; {self.broken_calls} of them are tool calls or results without the other"
        return reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """Messages that stay or go together."""

    places: tuple[int, ...]
    is_call: bool = False
    is_broken: bool = False


def fit_history(
    messages: Sequence[Message],
    counter: TokenCounter,
    spec: ModelSpec,
    max_tokens: int,
) -> FittedHistory:
    """The most recent whole units that fit, besides instructions and the last user message.

    The window stops at the first unit that does not fit, but passes over a tool call with its
    results: those answer for themselves. Half a tool call is dropped wherever it stands. Fitting
    what was kept changes nothing. All texts are counted in one batch.

    Args:
        messages: oldest first.
        counter: of the target model.
        spec: the target model, for what its provider adds to each message.
        max_tokens: for all kept messages, framing included.

    Raises:
        BudgetExceededError: instructions and the last user message alone are over `max_tokens`;
            carries both sizes.
    """
    costs = [cost.total for cost in message_costs(messages, spec, counter)]
    units = _units(messages)
    required = _required(messages, costs, max_tokens)
    kept = set(required)
    left = max_tokens - sum(costs[place] for place in required)
    for unit in reversed(units):
        if unit.is_broken or required.issuperset(unit.places):
            continue
        cost = sum(costs[place] for place in unit.places)
        if cost <= left:
            kept.update(unit.places)
            left -= cost
        elif not unit.is_call:
            break
    turns = _turns(messages)
    dropped = [place for place in range(len(messages)) if place not in kept]
    return FittedHistory(
        kept=tuple(messages[place] for place in sorted(kept)),
        dropped=tuple(messages[place] for place in dropped),
        tokens=max_tokens - left,
        dropped_tokens=sum(costs[place] for place in dropped),
        turns=len(set(turns)),
        dropped_turns=len({turns[place] for place in dropped}),
        broken_calls=sum(len(unit.places) for unit in units if unit.is_broken),
    )


def _units(messages: Sequence[Message]) -> list[_Unit]:
    """Messages grouped, in the order of the first of each group.

    A result belongs to the nearest earlier call of its id that has no result yet.
    """
    calls: dict[int, set[str]] = {}
    members: dict[int, list[int]] = {}
    waiting: dict[str, int] = {}
    for place, message in enumerate(messages):
        owner = waiting.pop(message.tool_call_id or "", None) if message.role == "tool" else None
        if owner is not None:
            members[owner].append(place)
            calls[owner].discard(message.tool_call_id or "")
            continue
        members[place] = [place]
        if message.tool_calls:
            calls[place] = {str(call.get("id", "")) for call in message.tool_calls}
            waiting.update(dict.fromkeys(calls[place], place))
    return [
        _Unit(
            places=tuple(places),
            is_call=first in calls,
            is_broken=bool(calls.get(first)) or messages[first].role == "tool",
        )
        for first, places in members.items()
    ]


def _required(messages: Sequence[Message], costs: Sequence[int], max_tokens: int) -> set[int]:
    """Places of the instructions and of the last user message, once they fit."""
    instructions = {place for place, message in enumerate(messages) if message.role in INSTRUCTIONS}
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    last = users[-1:]
    system_tokens = sum(costs[place] for place in sorted(instructions))
    user_tokens = sum(costs[place] for place in last)
    needed = system_tokens + user_tokens
    if needed > max_tokens:
        raise BudgetExceededError(
            f"System messages ({system_tokens} tokens) and the last user message ({user_tokens}"
            f" tokens) do not fit into {max_tokens} tokens of history",
            needed=needed,
            available=max_tokens,
            parts=[("system messages", system_tokens), ("last user message", user_tokens)],
            hint="Raise the history's limit, or shorten these messages",
        )
    return instructions.union(last)


def _turns(messages: Sequence[Message]) -> list[int]:
    """The number of the turn that each message is in; what precedes the first user is turn 0."""
    return list(accumulate(int(message.role == "user") for message in messages))
