"""What the units of a conversation cost in a request to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.count import RuleCounter, count_request, request_counter
from packhorse.tokens.requests.turns import read_turns

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import MessageCost, RequestCount, Turn
    from packhorse.window.conversation import Conversation

__all__ = ["Costs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Counts for one model: units apart, and whole requests."""

    spec: ModelSpec
    counter: TokenCounter

    def of_units(self, conversation: Conversation) -> list[int]:
        """Tokens of each unit, framing included, all counted in one batch.

        By published rules they add up to the request. Where they do not (a chat template, items
        that join into one turn), the whole request is counted at the end.

        Raises:
            InputError: a message holds a part that cannot be counted.
        """
        if conversation.shape.field == "input":
            return self._of_runs(conversation)
        entries, items = conversation.entries, conversation.items
        counter = request_counter(self.spec, self.counter)
        costs = [0] * len(items)
        plain: Sequence[int] = ()
        if isinstance(counter, RuleCounter):
            plain = [at for at, entry in enumerate(entries) if entry.is_plain]
            roles = [items[at]["role"] for at in plain]
            known = counter.plain_costs(roles, [entries[at].text for at in plain])
            for at, cost in zip(plain, known, strict=True):
                costs[at] = cost
        if len(plain) < len(items):
            # Which thoughts still count depends on where the user spoke last: all are read.
            turns = self._turns(conversation, range(len(items)))
            is_known = set(plain)
            for at, message in enumerate(counter.message_costs(turns)):
                if at not in is_known:
                    costs[at] = message.total
        if len(conversation.units) == len(items):
            return costs
        return [
            costs[unit.places[0]] if len(unit.places) == 1 else sum(costs[at] for at in unit.places)
            for unit in conversation.units
        ]

    def _of_runs(self, conversation: Conversation) -> list[int]:
        """Of items of which several make one turn: each unit is read by itself."""
        turns: list[Turn] = []
        ends: list[int] = []
        for unit in conversation.units:
            turns += self._turns(conversation, unit.places)
            ends.append(len(turns))
        counter = request_counter(self.spec, self.counter)
        costs = [cost.total for cost in counter.message_costs(turns)]
        return [sum(costs[a:b]) for a, b in pairwise([0, *ends])]

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """What turns cost as parts of a conversation, in order."""
        return request_counter(self.spec, self.counter).message_costs(turns)

    def whole(self, body: Mapping[str, Any]) -> RequestCount:
        """The count of a request, on the lines of the ledger.

        Raises:
            InputError: a part of it cannot be counted.
        """
        return count_request(body, self.spec, self.counter)

    def _turns(self, conversation: Conversation, places: Sequence[int]) -> tuple[Turn, ...]:
        items = [conversation.items[at] for at in places]
        return read_turns(conversation.body, conversation.shape.field, items, places)
