"""Engines that serve an open model and count with it: llama.cpp and vLLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from packhorse.errors import CountingError
from packhorse.posting.transport import Limits
from packhorse.tokens.endpoints.endpoint import (
    HttpEndpoint,
    kept_fields,
    no_counterpart,
    whole_tokens,
)

if TYPE_CHECKING:
    from packhorse.posting.transport import Transport
    from packhorse.tokens.endpoints.endpoint import Endpoint
    from packhorse.tokens.requests.request import ChatRequest

__all__ = ["ENGINE_LIMITS", "LlamaCppEndpoint", "VllmEndpoint", "engine_at"]

ENGINE_LIMITS = Limits(max_answer_bytes=64 * 1024 * 1024)
"""An engine answers with the tokens themselves, some seven bytes each."""

COUNTED = frozenset(
    {
        "messages", "tools", "chat_template_kwargs", "add_generation_prompt",
        "continue_final_message", "reasoning_effort", "tool_choice",
    }
)  # fmt: skip
UNCOUNTED = frozenset(
    {
        "model", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens",
        "max_tokens", "metadata", "min_p", "n", "n_predict", "cache_prompt", "presence_penalty",
        "seed", "stop", "store", "stream", "stream_options", "temperature", "top_k",
        "top_logprobs", "top_p", "user", "id_slot",
    }
)  # fmt: skip


class LlamaCppEndpoint(HttpEndpoint):
    """Asks llama.cpp's server.

    `POST /tokenize` {"content", "add_special", "parse_special"} answers {"tokens": [...]}, and
    `POST /apply-template` {"messages", ...} answers {"prompt"}: the README of tools/server in
    ggml-org/llama.cpp. A request is rendered by the server and then counted as the server counts
    a prompt: with the tokens that stand at its start, and control tokens recognised.
    """

    label = "llama.cpp tokenize"
    framed = False

    def text_total(self, text: str) -> int:
        """Tokens of the text alone; spellings of control tokens count as characters."""
        return self._tokens(text, is_prompt=False)

    def request_total(self, request: ChatRequest) -> int:
        """Tokens of the prompt that the server makes of the request."""
        answer = self._transport.post("/apply-template", _engine_body(request.body, "llama.cpp"))
        prompt = answer.get("prompt")
        if not isinstance(prompt, str):
            raise _odd(f"{self.where}/apply-template", "prompt")
        return self._tokens(prompt, is_prompt=True)

    def _tokens(self, text: str, *, is_prompt: bool) -> int:
        body = {"content": text, "add_special": is_prompt, "parse_special": is_prompt}
        tokens = self._transport.post("/tokenize", body).get("tokens")
        if not isinstance(tokens, list):
            raise _odd(f"{self.where}/tokenize", "tokens")
        return len(tokens)


class VllmEndpoint(HttpEndpoint):
    """Asks vLLM's server.

    `POST /tokenize` with {"prompt", "add_special_tokens"} or {"messages", "tools",
    "add_generation_prompt"} answers {"count", ...}: vllm/entrypoints/serve/tokenize/protocol.py
    in vllm-project/vllm. There is no way to switch off its control tokens: a text that spells one
    is counted as the engine would read it, which may be fewer tokens than its characters.
    """

    label = "vLLM tokenize"
    framed = False

    def text_total(self, text: str) -> int:
        """Tokens of the text alone."""
        return self._ask({"prompt": text, "add_special_tokens": False})

    def request_total(self, request: ChatRequest) -> int:
        """Tokens of the prompt that the server makes of the request, with the reply's opener."""
        return self._ask({"add_generation_prompt": True, **_engine_body(request.body, "vLLM")})

    def _ask(self, body: Mapping[str, Any]) -> int:
        named = {"model": self.model, **body} if self.model else body
        answer = self._transport.post("/tokenize", named)
        return whole_tokens(answer, "count", f"{self.where}/tokenize")


def engine_at(url: str, transport: Transport) -> Endpoint:
    """The engine that answers at a URL; the fragment of the URL names its model, for vLLM.

    One question in both protocols tells them apart: only vLLM answers with a `count`.

    Raises:
        CountingError: it speaks neither protocol, or cannot be reached.
    """
    model = urlsplit(url).fragment
    named = {"model": model} if model else {}
    answer = transport.post("/tokenize", {**named, "content": "a", "prompt": "a"})
    if "count" in answer:
        return VllmEndpoint(model, transport)
    if "tokens" in answer:
        return LlamaCppEndpoint(model, transport)
    raise _odd(f"{transport.where}/tokenize", "tokens")


def _engine_body(body: Mapping[str, Any], engine: str) -> dict[str, Any]:
    if "messages" not in body:
        raise no_counterpart("A request without `messages`", engine)
    return kept_fields(body, counted=COUNTED, uncounted=UNCOUNTED, taker=engine)


def _odd(where: str, field: str) -> CountingError:
    return CountingError(
        f"{where} answered without `{field}`",
        hint="Give --endpoint the address of a llama.cpp or vLLM server, without a path",
    )
