"""Gemini's token counting: `POST /v1beta/models/{model}:countTokens`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from packhorse.tokens.endpoints.chat_texts import plain_text, split_instructions
from packhorse.tokens.endpoints.endpoint import kept_fields, no_counterpart, whole_tokens

if TYPE_CHECKING:
    from packhorse.tokens.endpoints.transport import Transport
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
ROLES: Mapping[str, str] = {"user": "user", "assistant": "model", "model": "model"}


class GeminiEndpoint:
    """Asks what a generateContent request takes, sent whole as `generateContentRequest`.

    Request and answer as in the API reference, "Counting tokens" (ai.google.dev/api/tokens):
    the key in the header `x-goog-api-key`; `contents` and `generateContentRequest` exclude each
    other; the answer is `{"totalTokens": n}`. In that page's own example the count is 10 and the
    call then reports 11.
    """

    label = "Gemini countTokens"
    framed = True
    parses_control_tokens = False

    def __init__(self, model: str, transport: Transport) -> None:
        self.model = model
        self.where = transport.where
        self._transport = transport
        self._path = f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:countTokens"

    def text_total(self, text: str) -> int:
        """Tokens of a request with one user message."""
        return self._ask({"contents": [{"role": "user", "parts": [{"text": text}]}]})

    def request_total(self, request: ChatRequest) -> int:
        """Input tokens of the request.

        Raises:
            InputError: a field or message that Gemini's shape has no place for.
        """
        return self._ask(gemini_body(request.body))

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def _ask(self, body: Mapping[str, Any]) -> int:
        whole = {"model": f"models/{self.model.removeprefix('models/')}", **body}
        answer = self._transport.post(self._path, {"generateContentRequest": whole})
        return whole_tokens(answer, "totalTokens", f"{self.where}{self._path}")


def gemini_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The counted fields; messages of plain text become `contents`."""
    kept = kept_fields(body, counted=COUNTED, uncounted=UNCOUNTED, taker=TAKER)
    if "messages" not in kept:
        contents = kept.get("contents", [])
        if isinstance(contents, str):
            kept["contents"] = [{"role": "user", "parts": [{"text": contents}]}]
        return kept
    if "tools" in kept:
        raise no_counterpart("`tools` beside `messages`", TAKER)
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
