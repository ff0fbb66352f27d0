"""A server on this machine that answers as a test says, and misbehaves when asked to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from packhorse.posting.transport import Limits

__all__ = ["KEY", "MISBEHAVIOURS", "QUICK", "Answer", "Reply", "Served", "ok", "serving"]

KEY = "sk-very-secret-0123456789abcdef"
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


Answer = Callable[[str, dict[str, Any]], Reply]

MISBEHAVIOURS: Mapping[str, tuple[Reply, str]] = {
    "500": (Reply(status=500, payload=f'{{"error": "{KEY}"}}'.encode()), "answered 500"),
    "429": (Reply(status=429, headers={"Retry-After": "60"}), "answered 429"),
    "401": (Reply(status=401, payload=f'{{"error": "{KEY}"}}'.encode()), "answered 401"),
    "elsewhere": (Reply(status=307, headers={"Location": "http://127.0.0.2/"}), "answered 307"),
    "a page": (Reply(payload=b"<html>", headers={"Content-Type": "text/html"}), "text/html"),
    "garbage": (Reply(payload=b"<html>"), "no JSON"),
    "cut short": (Reply(payload=b'{"data": [', length=1000), "cannot be reached"),
    "no end": (Reply(payload=b"[" * 40_000), "more than 20000 bytes"),
    "too deep": (Reply(payload=b"[" * 9_000), "no JSON"),
}
"""What any server may do, and what an error then says; with `QUICK` limits."""


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
def serving(answer: Answer) -> Iterator[Served]:
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
