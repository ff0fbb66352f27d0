"""What a chat request costs: contents, framing, tools and images, line by line.

OpenAI publishes a rule for messages (3 tokens a message, the name's tokens and 1 for a name, 3
for the reply) and one for flat tool schemas, both for named models and as an estimate that may
differ for later ones. Other providers publish examples and no rule; their figures in the model
table are upper estimates. `RequestCount.estimated` names every part without a published rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.images import image_tokens
from packhorse.tokens.requests.request import (
    ChatRequest,
    MessageCost,
    RequestCount,
    RequestCounter,
    Turn,
)
from packhorse.tokens.requests.tools import tool_charges
from packhorse.tokens.requests.turns import read_request, turn_of
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.message import Message

__all__ = ["RuleCounter", "count_request", "line_of", "message_costs", "request_counter"]


@dataclass(frozen=True, slots=True)
class RuleCounter:
    """Counts by the rules of the model table."""

    spec: ModelSpec
    counter: TokenCounter

    def count(self, request: ChatRequest) -> RequestCount:
        """The request on the lines of the ledger."""
        spec, counter = self.spec, self.counter
        costs = self.message_costs(request.turns)
        charges = tool_charges(request.tools, spec.tools)
        texts = [text for _, texts, _ in charges for text in texts]
        lines = dict.fromkeys(FIXED_LINES, 0)
        lines["tools"] = sum(fixed for fixed, _, _ in charges) + sum(counter.count_batch(texts))
        last = len(request.turns) - 1
        for index, (turn, cost) in enumerate(zip(request.turns, costs, strict=True)):
            lines[line_of(turn, is_last=index == last)] += cost.content
            lines["message_overhead"] += cost.overhead
        lines["message_overhead"] += spec.framing.reply
        estimated = _estimated(request.turns, spec, published=all(known for *_, known in charges))
        return RequestCount(
            lines=lines,
            messages=tuple(costs),
            exact=counter.exact and not estimated,
            estimated=estimated,
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One cost a turn, in order, counted in one batch."""
        framing = self.spec.framing
        texts: list[str] = []
        for turn in turns:
            texts += [*turn.texts, turn.role if framing.role else "", turn.name or ""]
        counts = iter(self.counter.count_batch(texts))
        costs = []
        for turn in turns:
            content = sum(next(counts) for _ in turn.texts)
            content += sum(image_tokens(image, self.spec) for image in turn.images)
            overhead = framing.per_message + next(counts)
            name_tokens = next(counts)
            if turn.name is not None:
                overhead += name_tokens + framing.per_name
            costs.append(
                MessageCost(content=content, overhead=overhead + turn.n_calls * framing.per_call)
            )
        return costs


def request_counter(spec: ModelSpec, counter: TokenCounter) -> RequestCounter:
    """What counts whole requests for a model."""
    return RuleCounter(spec, counter)


def count_request(
    body: Mapping[str, Any] | Sequence[Any], spec: ModelSpec, counter: TokenCounter
) -> RequestCount:
    """Counts a request body in any of the known shapes, or a bare list of messages.

    Raises:
        InputError: not a request, or a part of it that no rule can count.
    """
    return request_counter(spec, counter).count(read_request(body))


def message_costs(
    messages: Sequence[Message], spec: ModelSpec, counter: TokenCounter
) -> list[MessageCost]:
    """One cost a message, in order, counted in one batch."""
    return request_counter(spec, counter).message_costs([turn_of(message) for message in messages])


def line_of(turn: Turn, *, is_last: bool) -> str:
    """The ledger line that a turn's content belongs to."""
    if turn.is_system:
        return "system_prompt"
    return "query" if is_last and turn.role == "user" else "history"


def _estimated(turns: Sequence[Turn], spec: ModelSpec, *, published: bool) -> tuple[str, ...]:
    """Names of the parts that are present and have no published rule."""
    parts = {
        "message framing": not spec.framing.published,
        "tool definitions": not published,
        "tool calls": any(turn.n_calls for turn in turns),
        "images": any(turn.images for turn in turns)
        and spec.images is not None
        and not spec.images.published,
    }
    return tuple(part for part, is_estimated in parts.items() if is_estimated)
