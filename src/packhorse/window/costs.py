"""What the units of a conversation cost in a request to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.count import count_request, request_counter
from packhorse.tokens.requests.turns import read_request

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCount, Turn
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
        turns: list[Turn] = []
        ends: list[int] = []
        if conversation.shape.field == "input":
            for unit in conversation.units:
                turns += self._turns(
                    conversation, [conversation.items[place] for place in unit.places]
                )
                ends.append(len(turns))
            costs = self._costs(turns)
            starts = [0, *ends[:-1]]
            return [sum(costs[a:b]) for a, b in zip(starts, ends, strict=True)]
        costs = self._costs(self._turns(conversation, conversation.items))
        return [sum(costs[place] for place in unit.places) for unit in conversation.units]

    def whole(self, body: Mapping[str, Any]) -> RequestCount:
        """The count of a request, on the lines of the ledger.

        Raises:
            InputError: a part of it cannot be counted.
        """
        return count_request(body, self.spec, self.counter)

    def _turns(self, conversation: Conversation, items: Sequence[Any]) -> tuple[Turn, ...]:
        request = read_request({conversation.shape.field: list(items)})
        request.check_countable()
        return request.turns

    def _costs(self, turns: Sequence[Turn]) -> list[int]:
        counted = request_counter(self.spec, self.counter).message_costs(turns)
        return [cost.total for cost in counted]
