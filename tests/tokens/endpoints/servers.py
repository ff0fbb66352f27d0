"""Servers on this machine that speak the counting protocols, and misbehave when asked to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from packhorse.tokens.endpoints.transport import Limits
from packhorse.tokens.registry import counter_named

__all__ = ["FRAME", "KEY", "QUICK", "Reply", "Served", "chat_tokens", "ok", "serving", "tokens_of"]

KEY = "sk-very-secret-0123456789abcdef"
FRAME = 7
"""What the pretended providers put around a request."""
QUICK = Limits(timeout_s=0.2, deadline_s=5.0, tries=3, first_delay_s=0.001)
"""No test waits longer than this."""


@dataclass(frozen=True)
class Reply:
    """One answer: bytes as they go over the wire."""

    status: int = 200
    payload: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    length: int | None = None
    """What Content-Length says; None is the truth."""


def ok(**fields: Any) -> Reply:
    """A good answer."""
    return Reply(payload=json.dumps(fields).encode())


def tokens_of(text: str) -> int:
    """How every pretended model counts."""
    return counter_named("o200k_base").count(text)


def chat_tokens(messages: list[dict[str, Any]], *others: str) -> int:
    """Frame and contents of messages that hold plain text."""
    texts = [*others, *(message["content"] for message in messages)]
    return FRAME * len(messages) + sum(tokens_of(text) for text in texts)


Answer = Callable[[str, dict[str, Any]], Reply]


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


class Served:
    """A running server: what it was asked, and what it answers next."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.script: list[Reply] = []
        """Answers that are given first, in order, before `answer` has its turn."""
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.hold: threading.Event | None = None
        """When set to an event, answers wait for it."""
        self._lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def bodies(self) -> list[dict[str, Any]]:
        """What was sent, in the order of arrival."""
        return [body for _, _, body in self.asked]

    def _next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        with self._lock:
            self.asked.append((path, headers, body))
            scripted = self.script.pop(0) if self.script else None
        return self.answer(path, body) if scripted is None else scripted

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = served._next(self.path, dict(self.headers), body)
                if served.hold is not None:
                    served.hold.wait(10)
                self.send_response_only(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                length = len(reply.payload) if reply.length is None else reply.length
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(reply.payload)
                if length != len(reply.payload):
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        return Handler


@contextmanager
def serving(answer: Answer = providers) -> Iterator[Served]:
    """A server for the length of a block."""
    served = Served(answer)
    thread = threading.Thread(target=served.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        if served.hold is not None:
            served.hold.set()
        served.http.shutdown()
        served.http.server_close()
        thread.join()
