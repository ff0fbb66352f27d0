"""The HTTP embedder, against a server in a thread that speaks the real protocol."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from packhorse.embed.http import KEY_VARIABLE, HttpEmbedder
from packhorse.errors import ConfigError, PackhorseError, RetrievalError
from packhorse.testing.embedder import WordEmbedder

KEY = "sk-very-secret"
Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


def vectors(body: dict[str, Any]) -> list[dict[str, Any]]:
    rows = WordEmbedder(8).embed(body["input"]) * 3
    return [
        {"object": "embedding", "index": at, "embedding": row.tolist()}
        for at, row in enumerate(rows)
    ]


def good(body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps({"object": "list", "data": vectors(body)}).encode()


class Server:
    """Answers embedding requests with `answer`, and remembers them."""

    def __init__(self) -> None:
        self.answer: Answer = good
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.hold = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                status, payload = outer.answer(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1#test-model"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever)
    thread.start()
    yield made
    made.hold.set()
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def test_vectors_come_back_in_order_and_of_length_one(server: Server) -> None:
    texts = [f"text number {n}" for n in range(150)]
    rows = HttpEmbedder(server.url).embed(texts)
    assert np.allclose(rows, WordEmbedder(8).embed(texts), atol=1e-6)
    assert [len(body["input"]) for _, _, body in server.requests] == [1, 64, 64, 22]
    path, _, body = server.requests[-1]
    assert path == "/v1/embeddings"
    assert body["model"] == "test-model"


def test_an_answer_out_of_order_is_put_in_order(server: Server) -> None:
    server.answer = lambda body: (200, json.dumps({"data": vectors(body)[::-1]}).encode())
    texts = ["one", "two", "three"]
    assert np.allclose(
        HttpEmbedder(server.url).embed(texts), WordEmbedder(8).embed(texts), atol=1e-6
    )


def test_blank_texts_are_not_sent_and_get_zeros(server: Server) -> None:
    rows = HttpEmbedder(server.url).embed(["", "x", " \n"])
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert server.requests[-1][2]["input"] == ["x"]


def test_the_key_is_sent_as_a_bearer_token(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    HttpEmbedder(server.url).embed(["x"])
    assert server.requests[-1][1]["Authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv(KEY_VARIABLE)
    HttpEmbedder(server.url).embed(["x"])
    assert "Authorization" not in server.requests[-1][1]


BROKEN: dict[str, Answer] = {
    "500": lambda _: (500, f'{{"error": "bad key {KEY}"}}'.encode()),
    "401": lambda _: (401, b"{}"),
    "no JSON": lambda _: (200, b"<html>"),
    "no object": lambda _: (200, b"[]"),
    "no data": lambda _: (200, b"{}"),
    "too few": lambda body: (200, json.dumps({"data": vectors(body)[:-1]}).encode()),
    "too many": lambda body: (
        200,
        json.dumps({"data": [*vectors(body), {"index": 9, "embedding": [1.0] * 8}]}).encode(),
    ),
    "ragged": lambda _: (
        200,
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}',
    ),
    "text": lambda _: (
        200,
        b'{"data": [{"index": 0, "embedding": "x"}, {"index": 1, "embedding": "y"}]}',
    ),
    "not finite": lambda _: (
        200,
        b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}',
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_a_clear_error_without_the_key(
    server: Server, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    model = HttpEmbedder(server.url)
    assert model.dimension == 8
    server.answer = BROKEN[name]
    with pytest.raises(RetrievalError) as caught:
        model.embed(["x", "y"])
    assert "127.0.0.1" in caught.value.message
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_another_dimension_than_before_is_an_error(server: Server) -> None:
    model = HttpEmbedder(server.url)
    assert "dim=8" in model.fingerprint
    server.answer = lambda _: (200, b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}')
    with pytest.raises(RetrievalError, match="vectors of 3 numbers, not 8"):
        model.embed(["x"])


def test_an_endpoint_that_does_not_answer_is_given_up(server: Server) -> None:
    def wait(body: dict[str, Any]) -> tuple[int, bytes]:
        server.hold.wait(30)
        return good(body)

    server.answer = wait
    with pytest.raises(RetrievalError, match=r"did not answer within 0\.2 s"):
        HttpEmbedder(server.url, timeout_s=0.2).embed(["x"])


def test_nobody_at_the_address_is_a_clear_error() -> None:
    with pytest.raises(RetrievalError, match="Cannot reach"):
        HttpEmbedder("http://127.0.0.1:1/v1").embed(["x"])


def test_nobody_at_a_secure_address_is_a_clear_error() -> None:
    with pytest.raises(RetrievalError, match="Cannot reach https://"):
        HttpEmbedder("https://127.0.0.1:1/v1").embed(["x"])


def test_an_answer_without_end_is_not_read_to_its_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("packhorse.embed.http._MAX_ANSWER_BYTES", 100)
    server.answer = lambda _: (200, b"[" * 10_000)
    with pytest.raises(RetrievalError, match="more than 100 bytes"):
        HttpEmbedder(server.url).embed(["x"])


@pytest.mark.parametrize("url", ["http://", "http:///v1", f"http://user:{KEY}@host/v1"])
def test_an_unusable_url_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpEmbedder(url)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_every_error_is_of_the_house() -> None:
    assert issubclass(RetrievalError, PackhorseError)
