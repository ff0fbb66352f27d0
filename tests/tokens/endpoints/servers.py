"""Servers on this machine that speak the counting protocols, and misbehave when asked to."""

from __future__ import annotations

from typing import Any

from packhorse.tokens.registry import counter_named
from tests.posting.servers import Reply, ok

__all__ = ["FRAME", "chat_tokens", "llama_cpp", "providers", "tokens_of", "vllm"]

FRAME = 7
"""What the pretended providers put around a request."""


def tokens_of(text: str) -> int:
    """How every pretended model counts."""
    return counter_named("o200k_base").count(text)


def chat_tokens(messages: list[dict[str, Any]], *others: str) -> int:
    """Frame and contents of messages that hold plain text."""
    texts = [*others, *(message["content"] for message in messages)]
    return FRAME * len(messages) + sum(tokens_of(text) for text in texts)


def providers(path: str, body: dict[str, Any]) -> Reply:
    """Answers as each of the providers does, by the path."""
    if path == "/v1/messages/count_tokens":
        return ok(input_tokens=chat_tokens(body["messages"], body.get("system", "")))
    if path.endswith(":countTokens"):
        request = body["generateContentRequest"]
        texts = [part["text"] for content in request["contents"] for part in content["parts"]]
        instruction = request.get("systemInstruction", {"parts": []})
        texts += [part["text"] for part in instruction["parts"]]
        tokens = FRAME * len(request["contents"]) + sum(tokens_of(text) for text in texts)
        return ok(totalTokens=tokens, promptTokensDetails=[{"modality": "TEXT"}])
    if path == "/v1/responses/input_tokens":
        tokens = chat_tokens(body["input"])
        return ok(object="response.input_tokens", input_tokens=tokens)
    return Reply(status=404, payload=b'{"error": {"message": "no such path"}}')


def llama_cpp(path: str, body: dict[str, Any]) -> Reply:
    """Answers as llama.cpp's server."""
    if path == "/apply-template":
        said = "".join(f"<|{m['role']}|>{m['content']}<|end|>\n" for m in body["messages"])
        return ok(prompt=f"{said}<|assistant|>")
    if path == "/tokenize":
        n_special = 1 if body.get("add_special") else 0
        return ok(tokens=list(range(n_special + tokens_of(body["content"]))))
    return Reply(status=404, payload=b'{"error": {"message": "File Not Found"}}')


def vllm(path: str, body: dict[str, Any]) -> Reply:
    """Answers as vLLM's server."""
    if path != "/tokenize":
        return Reply(status=404, payload=b'{"detail": "Not Found"}')
    if "messages" in body:
        count = chat_tokens(body["messages"]) + 3 * bool(body["add_generation_prompt"])
    else:
        count = tokens_of(body["prompt"])
    return ok(count=count, max_model_len=4096, tokens=list(range(count)))
