"""Whole requests to Mistral models, put together by mistral-common's own code.

`template: mistral-common` in the row of a model selects it, and `mistral-common:v13` names the
version of the format where the vocabulary does not. mistral-common validates the request, merges
neighbours, and says which control tokens stand where. The texts between them are counted by the
model's counter, which is exact and, unlike the tokenizer inside mistral-common, bounded in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.requests.mistral_format import (
    FORMAT,
    ExpressError,
    MistralFormat,
    mistral_format,
)
from packhorse.tokens.requests.request import (
    MessageCost,
    RequestCount,
    charge_contents,
    check_none_refused,
)
from packhorse.tokens.requests.values import typed
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import ChatRequest, RequestCounter, Turn

__all__ = ["MistralCounter", "is_mistral_format"]

MESSAGE_FIELDS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"content", "name"}),
    "developer": frozenset({"content", "name"}),
    "user": frozenset({"content", "name"}),
    "assistant": frozenset(
        {"content", "name", "tool_calls", "prefix", "reasoning", "reasoning_content"}
    ),
    "tool": frozenset({"content", "name", "tool_call_id"}),
}
"""Fields of a message that mistral-common reads, or that no Mistral model is shown (`name`)."""

BLOCKS = frozenset({"text", "image_url", "thinking"})
"""Content blocks that are counted; mistral-common has audio too, and needs it decoded."""

INLINE = "data:image/"
"""Only such images are read: an address would be fetched, and a path opened."""

FRAMES = {"user": 2, "assistant": 1, "system": 2, "developer": 2}
"""Control tokens around a message of text, from version 7 on."""


def is_mistral_format(template: str | None) -> bool:
    """Whether the `template` of a model asks for mistral-common."""
    return template is not None and template.partition(":")[0] == FORMAT


@dataclass(frozen=True, slots=True)
class MistralCounter:
    """Counts a request as mistral-common builds it; the total is the number of its tokens."""

    spec: ModelSpec
    counter: TokenCounter
    rules: RequestCounter
    """Prices single turns where no whole conversation is at hand."""

    @property
    def _format(self) -> MistralFormat:
        # A counter is told apart by what it is, not by what it holds.
        return mistral_format(self.spec, self.counter)  # type: ignore[arg-type]  # hashes by identity

    def count(self, request: ChatRequest) -> RequestCount:
        """The request on the lines of the ledger.

        What tools add to the request is `tools`; texts stand on the lines of their messages as
        they count by themselves, and all that is left, control tokens and joins, is
        `message_overhead`.

        Raises:
            MissingExtraError: the extra `mistral` is not installed.
            InputError: mistral-common cannot express the request; names the part.
        """
        body = _checked(request)
        alone = self.message_costs(request.turns)
        total = self._format.n_tokens(body)
        tools = 0
        if body.get("tools"):
            tools = total - self._format.n_tokens({**body, "tools": None})
        costs = _within(alone, total - tools)
        lines = dict.fromkeys(FIXED_LINES, 0)
        lines["tools"] = tools
        charge_contents(lines, request.turns, costs)
        lines["message_overhead"] = total - sum(lines.values())
        return RequestCount(
            lines=lines,
            messages=tuple(costs),
            exact=self.counter.exact,
            estimated=(),
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One cost a turn, in order: exact for turns of text from version 7 on.

        Other turns cost what the model table's rules say, which is an upper estimate.
        """
        texts = [text for turn in turns for text in (*turn.texts, *turn.thoughts)]
        counts = iter(self.counter.count_batch(texts))
        costs = []
        for turn in turns:
            content = sum(next(counts) for _ in (*turn.texts, *turn.thoughts))
            content += sum(self._format.image_tokens(image.data) for image in turn.images)
            frame = FRAMES.get(turn.role) if self._format.version >= FRAMED_FROM else None
            if frame is None or turn.n_calls:
                bare = replace(turn, images=(), texts=(), thoughts=())
                frame = self.rules.message_costs([bare])[0].overhead
            costs.append(MessageCost(content=content, overhead=frame, role=turn.role))
        return costs


FRAMED_FROM = 7
"""First version that gives every message of text control tokens of its own."""


def _within(costs: Sequence[MessageCost], total: int) -> list[MessageCost]:
    """The costs, cut where they would be above the total.

    Merged messages and turns that an old format leaves out take less than each by itself.
    """
    fitted, left = [], total
    for cost in costs:
        content = min(cost.content, left)
        left -= content
        fitted.append(replace(cost, content=content))
    for index, cost in enumerate(fitted):
        overhead = min(cost.overhead, left)
        left -= overhead
        fitted[index] = replace(cost, overhead=overhead)
    return fitted


def _checked(request: ChatRequest) -> dict[str, Any]:
    """The body, once every part of it is one that mistral-common can express.

    Raises:
        InputError: a part that it would drop without a word, fetch or open; names the part.
    """
    check_none_refused(request.refused)
    body: dict[str, Any] = _formed(request.body)
    messages = body.get("messages")
    for field in ("functions", "system", "contents", "input"):
        if body.get(field):
            raise ExpressError(field, "a field of another provider's requests")
    if not isinstance(messages, list):
        raise ExpressError("messages", "missing, or no list")
    for index, message in enumerate(messages):
        _check_message(message, f"messages[{index}]")
    return body


def _check_message(message: Any, where: str) -> None:
    role = message.get("role") if isinstance(message, Mapping) else None
    known = MESSAGE_FIELDS.get(role) if isinstance(role, str) else None
    if known is None:
        raise ExpressError(where, f"a message of role {role!r}")
    for field, value in message.items():
        if field not in known and field != "role" and value not in (None, [], ""):
            raise ExpressError(f"{where}.{field}", f"no field of a message of role {role!r}")
    content = message.get("content")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        kind = block.get("type") if isinstance(block, Mapping) else None
        place = f"{where}.content[{index}]"
        if not isinstance(kind, str) or kind not in BLOCKS:
            raise ExpressError(place, typed("a content block", block))
        if kind == "image_url":
            image = block.get("image_url")
            address = image.get("url") if isinstance(image, Mapping) else image
            if not isinstance(address, str) or not address.startswith(INLINE):
                raise InputError(
                    f"{place}: only an image inside the request can be counted",
                    hint="Put the image into the request as base64: data:image/png;base64,...",
                )


def _formed(value: Any) -> Any:
    """A JSON value with every text in the form that UTF-8 can hold."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {well_formed(key): _formed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_formed(item) for item in value]
    return value
