"""Anthropic's token counting: `POST /v1/messages/count_tokens`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.tokens.endpoints.chat_texts import split_instructions
from packhorse.tokens.endpoints.endpoint import (
    HttpEndpoint,
    kept_fields,
    no_counterpart,
    whole_tokens,
)

if TYPE_CHECKING:
    from packhorse.tokens.requests.request import ChatRequest

__all__ = ["VERSION", "AnthropicEndpoint"]

PATH = "/v1/messages/count_tokens"
VERSION = "2023-06-01"
"""Of the API, sent in the header `anthropic-version`."""
TAKER = "Anthropic's count_tokens"
COUNTED = frozenset(
    {"messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"}
)
UNCOUNTED = frozenset(
    {
        "model", "max_tokens", "max_completion_tokens", "metadata", "service_tier",
        "stop_sequences", "stop", "stream", "temperature", "top_k", "top_p",
    }
)  # fmt: skip


class AnthropicEndpoint(HttpEndpoint):
    """Asks what a Messages request takes; the body is that request without its limits.

    Request and answer as in the API reference, "Count tokens in a Message"
    (platform.claude.com/docs/en/api/messages/count_tokens): headers `x-api-key` and
    `anthropic-version`; the answer is `{"input_tokens": n}`. The guide "Token counting" says
    that the number is to be taken as an estimate that may differ from a real call by a small
    amount, that thinking of earlier turns is not counted, and that server tools and images by
    URL are refused.
    """

    label = "Anthropic count_tokens"
    framed = True

    def text_total(self, text: str) -> int:
        """Input tokens of a request with one user message."""
        return self._ask({"messages": [{"role": "user", "content": text}]})

    def request_total(self, request: ChatRequest) -> int:
        """Input tokens of the request.

        Raises:
            InputError: a field or message that Anthropic's shape has no place for.
        """
        return self._ask(anthropic_body(request.body))

    def _ask(self, body: Mapping[str, Any]) -> int:
        answer = self._transport.post(PATH, {"model": self.model, **body})
        return whole_tokens(answer, "input_tokens", f"{self.where}{PATH}")


def anthropic_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The counted fields, with instructions among the messages moved to `system`."""
    kept = kept_fields(body, counted=COUNTED, uncounted=UNCOUNTED, taker=TAKER)
    if "messages" not in kept:
        raise no_counterpart("A request without `messages`", TAKER)
    instructions, messages = split_instructions(kept["messages"], TAKER)
    if instructions:
        kept["system"] = _with_own(kept.get("system"), instructions)
    for index, message in enumerate(messages):
        _check(message, f"messages[{index}]")
    return {**kept, "messages": messages}


def _with_own(own: Any, instructions: Sequence[str]) -> Any:
    if isinstance(own, list):
        return [*own, *({"type": "text", "text": text} for text in instructions)]
    return "\n\n".join([own, *instructions] if own else instructions)


def _check(message: Any, where: str) -> None:
    if message.get("role") not in {"user", "assistant"}:
        raise no_counterpart(f"{where} with the role {message.get('role')!r}", TAKER)
    for field in message:
        if field not in {"role", "content"} and message[field] is not None:
            raise no_counterpart(f"{where}.{field}", TAKER)
    for block in message["content"] if isinstance(message.get("content"), list) else ():
        if isinstance(block, Mapping) and str(block.get("type")) in {"image_url", "input_text"}:
            raise no_counterpart(f"{where}: a block of type {block['type']!r}", TAKER)
