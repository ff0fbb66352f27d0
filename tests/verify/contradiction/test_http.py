"""The /predict endpoint, against a server in a thread that speaks the real protocol."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from packhorse.errors import ConfigError, VerificationError
from packhorse.verify.contradiction.http import KEY_VARIABLE, HttpContradictionModel
from packhorse.verify.contradiction.registry import contradiction_model

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]
PAIRS = [("It is open.", "It is not open."), ("It is open.", "It is open.")]


def predicted(body: dict[str, Any]) -> list[list[dict[str, Any]]]:
    scores = (
        0.9 if ("not" in first) != ("not" in second) else 0.1 for first, second in body["inputs"]
    )
    return [
        [{"label": "entailment", "score": 1 - score}, {"label": "CONTRADICTION", "score": score}]
        for score in scores
    ]


def good(body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps(predicted(body)).encode()


class Server:
    """Answers with `answer`, and remembers what was asked."""

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
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


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


def test_pairs_go_in_batches_and_scores_come_back_in_order(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    model = HttpContradictionModel(server.url)
    assert model.contradictions(PAIRS * 20) == (0.9, 0.1) * 20
    assert [len(body["inputs"]) for _, _, body in server.requests] == [32, 8]
    path, headers, body = server.requests[0]
    assert path == "/predict"
    assert headers["Authorization"] == "Bearer secret"
    assert (body["inputs"][0], body["raw_scores"], body["truncate"]) == (
        list(PAIRS[0]),
        False,
        True,
    )
    assert "secret" not in model.name


def test_another_label_and_a_whole_path_are_taken(server: Server) -> None:
    model = contradiction_model(f"{server.url}/v1/predict#entailment")
    assert model is not None
    assert [round(each, 6) for each in model.contradictions(PAIRS)] == [0.1, 0.9]
    assert server.requests[0][0] == "/v1/predict"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda _: (500, b"oops"), "answered 500"),
        (lambda _: (200, b"<html>"), "no JSON"),
        (lambda _: (200, b"{}"), "no list of predictions for 2 pairs"),
        (lambda body: (200, json.dumps(predicted(body)[:1]).encode()), "1 predictions for 2 pairs"),
        (lambda _: (200, b'[[{"label": "x"}], []]'), "without labels and scores"),
        (lambda _: (200, b'[[{"label": "x", "score": 1}], []]'), "no label 'contradiction', but x"),
        (lambda _: (200, b'[[{"label": "contradiction", "score": 7}], []]'), "outside 0..1"),
        (lambda _: (200, b'[[{"label": "contradiction", "score": NaN}], []]'), "outside 0..1"),
        (lambda _: (200, b" " * (4 * 1024 * 1024 + 1)), "more than 4194304 bytes"),
    ],
)
def test_an_unusable_answer_is_one_error_of_ours(
    server: Server, answer: Answer, message: str
) -> None:
    server.answer = answer
    with pytest.raises(VerificationError, match=message):
        HttpContradictionModel(server.url).contradictions(PAIRS)


def test_a_slow_endpoint_is_given_up(server: Server) -> None:
    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        server.hold.wait(10)
        return good(body)

    server.answer = slow
    with pytest.raises(VerificationError, match=r"did not answer within 0\.05 s"):
        HttpContradictionModel(server.url, timeout_s=0.05).contradictions(PAIRS)


def test_an_endpoint_that_is_not_there_is_named() -> None:
    with pytest.raises(VerificationError, match="Cannot reach http"):
        HttpContradictionModel("http://127.0.0.1:1").contradictions(PAIRS)


@pytest.mark.parametrize("url", ["http://", "http://me:pw@localhost"])
def test_a_url_without_host_or_with_a_password_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpContradictionModel(url)
    assert "pw" not in str(caught.value)
