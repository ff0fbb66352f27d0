"""What a chat request costs: contents, framing, tools and images, line by line.

OpenAI publishes a rule for messages (3 tokens a message, the name's tokens and 1 for a name, 3
for the reply) and one for flat tool schemas, both for named models and as an estimate that may
differ for later ones. Other providers publish examples and no rule; their figures in the model
table are upper estimates. `RequestCount.estimated` names every part without a published rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.tokens.images import image_tokens
from packhorse.tokens.tools import tool_charges
from packhorse.tokens.turns import Turn, read_request, turn_of
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.spec import ModelSpec
    from packhorse.types.message import Message

__all__ = ["MessageCost", "RequestCount", "count_request", "message_costs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCost:
    """One message: what it says, and what the provider puts around it."""

    content: int
    """Texts, images, tool calls."""
    overhead: int
    """Framing, role and name; the reply's priming belongs to the request."""

    @property
    def total(self) -> int:
        """Content and overhead."""
        return self.content + self.overhead


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """A whole request, on the lines of the ledger."""

    lines: Mapping[str, int]
    """Tokens of every fixed ledger line; the last user message is `query`, earlier ones
    `history`."""
    messages: tuple[MessageCost, ...]
    """One cost a message, in the order of the request, a separate system text first."""
    exact: bool
    """Whether the tokenizer is the model's own and every part follows a published rule."""
    estimated: tuple[str, ...]
    """Parts that no published rule covers: their figures are upper estimates."""

    @property
    def total_tokens(self) -> int:
        """Sum of the lines."""
        return sum(self.lines.values())


def count_request(
    body: Mapping[str, Any] | Sequence[Any], spec: ModelSpec, counter: TokenCounter
) -> RequestCount:
    """Counts a request body in any of the three shapes, or a bare list of messages.

    Raises:
        InputError: not a request, or a part of it that no rule can count.
    """
    request = read_request(body)
    costs = _turn_costs(request.turns, spec, counter)
    charges = tool_charges(request.tools, spec.tools)
    texts = [text for _, texts, _ in charges for text in texts]
    lines = dict.fromkeys(FIXED_LINES, 0)
    lines["tools"] = sum(fixed for fixed, _, _ in charges) + sum(counter.count_batch(texts))
    last = len(request.turns) - 1
    for index, (turn, cost) in enumerate(zip(request.turns, costs, strict=True)):
        lines[_line_of(turn, is_last=index == last)] += cost.content
        lines["message_overhead"] += cost.overhead
    lines["message_overhead"] += spec.framing.reply
    estimated = _estimated(request.turns, spec, published=all(known for *_, known in charges))
    return RequestCount(
        lines=lines,
        messages=tuple(costs),
        exact=counter.exact and not estimated,
        estimated=estimated,
    )


def message_costs(
    messages: Sequence[Message], spec: ModelSpec, counter: TokenCounter
) -> list[MessageCost]:
    """One cost a message, in order, counted in one batch."""
    return _turn_costs([turn_of(message) for message in messages], spec, counter)


def _turn_costs(turns: Sequence[Turn], spec: ModelSpec, counter: TokenCounter) -> list[MessageCost]:
    framing = spec.framing
    texts: list[str] = []
    for turn in turns:
        texts += [*turn.texts, turn.role if framing.role else "", turn.name or ""]
    counts = iter(counter.count_batch(texts))
    costs = []
    for turn in turns:
        content = sum(next(counts) for _ in turn.texts)
        content += sum(image_tokens(image, spec) for image in turn.images)
        overhead = framing.per_message + next(counts)
        name_tokens = next(counts)
        if turn.name is not None:
            overhead += name_tokens + framing.per_name
        costs.append(
            MessageCost(content=content, overhead=overhead + turn.n_calls * framing.per_call)
        )
    return costs


def _line_of(turn: Turn, *, is_last: bool) -> str:
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
