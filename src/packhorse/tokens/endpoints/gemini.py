"""Gemini's token counting: `POST /v1beta/models/{model}:countTokens`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from packhorse.tokens.endpoints.chat_texts import plain_text, split_instructions
from packhorse.tokens.endpoints.endpoint import (
    HttpEndpoint,
    kept_fields,
    no_counterpart,
    whole_tokens,
)

if TYPE_CHECKING:
    from packhorse.tokens.requests.request import ChatRequest

__all__ = ["GeminiEndpoint"]

TAKER = "Gemini's countTokens"
COUNTED = frozenset(
    {
        "contents", "messages", "systemInstruction", "system_instruction", "tools", "toolConfig",
        "tool_config", "cachedContent", "cached_content", "generationConfig", "generation_config",
    }
)  # fmt: skip
UNCOUNTED = frozenset(
    {
        "model", "safetySettings", "safety_settings", "store", "stream", "temperature",
        "max_tokens", "max_completion_tokens", "top_p",
    }
)  # fmt: skip
NOT_BESIDE_MESSAGES = ("contents", "systemInstruction", "system_instruction", "tools")
"""Fields that what is made of `messages` would replace, or that have another shape there."""
ROLES: Mapping[str, str] = {"user": "user", "assistant": "model", "model": "model"}


class GeminiEndpoint(HttpEndpoint):
    """Asks what a generateContent request takes, sent whole as `generateContentRequest`.

    Request and answer as in the API reference, "Counting tokens" (ai.google.dev/api/tokens):
    the key in the header `x-goog-api-key`; `contents` and `generateContentRequest` exclude each
    other; the answer is `{"totalTokens": n}`. In that page's own example the count is 10 and the
    call then reports 11.
    """

    label = "Gemini countTokens"
    framed = True

    def text_total(self, text: str) -> int:
        """Tokens of a request with one user message."""
        return self._ask({"contents": [{"role": "user", "parts": [{"text": text}]}]})

    def request_total(self, request: ChatRequest) -> int:
        """Input tokens of the request.

        Raises:
            InputError: a field or message that Gemini's shape has no place for.
        """
        return self._ask(gemini_body(request.body))

    def _ask(self, body: Mapping[str, Any]) -> int:
        name = self.model.removeprefix("models/")
        path = f"/v1beta/models/{quote(name, safe='')}:countTokens"
        whole = {"model": f"models/{name}", **body}
        answer = self._transport.post(path, {"generateContentRequest": whole})
        return whole_tokens(answer, "totalTokens", f"{self.where}{path}")


def gemini_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The counted fields; messages of plain text become `contents`."""
    kept = kept_fields(body, counted=COUNTED, uncounted=UNCOUNTED, taker=TAKER)
    if "messages" not in kept:
        contents = kept.get("contents", [])
        if isinstance(contents, str):
            kept["contents"] = [{"role": "user", "parts": [{"text": contents}]}]
        return kept
    for field in NOT_BESIDE_MESSAGES:
        if field in kept:
            raise no_counterpart(f"`{field}` beside `messages`", TAKER)
    instructions, messages = split_instructions(kept.pop("messages"), TAKER)
    if instructions:
        kept["systemInstruction"] = {"parts": [{"text": "\n\n".join(instructions)}]}
    kept["contents"] = [_content(message, f"messages[{n}]") for n, message in enumerate(messages)]
    return kept


def _content(message: Mapping[str, Any], where: str) -> dict[str, Any]:
    role = ROLES.get(str(message.get("role")))
    if role is None:
        raise no_counterpart(f"{where} with the role {message.get('role')!r}", TAKER)
    for field in message:
        if field not in {"role", "content"} and message[field] is not None:
            raise no_counterpart(f"{where}.{field}", TAKER)
    return {"role": role, "parts": [{"text": plain_text(message.get("content"), where, TAKER)}]}
