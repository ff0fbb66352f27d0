"""Both rerank forms against a server that speaks them, and against one that misbehaves."""

import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from packhorse.errors import ConfigError, RerankError
from packhorse.posting.transport import Limits
from packhorse.rerank.cross_encoder import http
from packhorse.rerank.cross_encoder.http import KEY_VARIABLE, HttpCrossEncoder, TeiCrossEncoder
from packhorse.testing.cross_encoder import CrossEncoderContract
from tests.posting.servers import KEY, MISBEHAVIOURS, QUICK, Reply, Served, ok, serving
from tests.rerank.cross_encoder.endpoints import cohere, judged, tei

Items = list[dict[str, Any]]
QUESTION = "Which zebra eats porridge?"
TEXTS = ["Nothing.", "The zebra eats porridge.", "A zebra."]


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(cohere) as served:
        yield served


class TestCohere(CrossEncoderContract):
    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        with serving(cohere) as self.server:
            yield

    def cross_encoder(self) -> HttpCrossEncoder:
        return HttpCrossEncoder(f"{self.server.url}#model")


class TestTei(CrossEncoderContract):
    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        with serving(tei) as self.server:
            yield

    def cross_encoder(self) -> TeiCrossEncoder:
        return TeiCrossEncoder(self.server.url)


def test_scores_are_put_where_their_index_says(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    model = HttpCrossEncoder(f"{server.url}#some/model")
    assert model.scores(QUESTION, TEXTS) == tuple(judged(QUESTION, TEXTS))
    path, headers, body = server.asked[0]
    assert path == "/v1/rerank"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "some/model", "query": QUESTION, "documents": TEXTS, "top_n": 3}
    assert model.name == f"{server.url}/v1/rerank#some/model"


def test_the_form_of_text_embeddings_inference_is_spoken(server: Served) -> None:
    server.answer = tei
    texts = [f"text {n}" for n in range(70)]
    assert TeiCrossEncoder(server.url).scores("text 7", texts) == tuple(judged("text 7", texts))
    assert [len(body["texts"]) for body in server.bodies()] == [32, 32, 6]
    path, _, body = server.asked[-1]
    assert path == "/rerank"
    assert (body["raw_scores"], body["truncate"]) == (False, True)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("", "/v1/rerank"),
        ("/", "/v1/rerank"),
        ("/v1", "/v1/rerank"),
        ("/v2/", "/v2/rerank"),
        ("/v2/rerank", "/v2/rerank"),
        ("/rerank", "/rerank"),
        ("/some/where", "/some/where/v1/rerank"),
    ],
)
def test_only_what_is_missing_of_the_path_is_added(server: Served, given: str, path: str) -> None:
    HttpCrossEncoder(f"{server.url}{given}").scores("q", ["a"])
    assert server.asked[0][0] == path
    assert "model" not in server.bodies()[0]


def test_a_hundred_passages_are_one_request(server: Served) -> None:
    HttpCrossEncoder(server.url).scores("q", ["a"] * 201)
    assert [len(body["documents"]) for body in server.bodies()] == [100, 100, 1]


def test_a_long_passage_goes_in_parts_and_the_best_counts(server: Served) -> None:
    late = f"{'x ' * 9_000}{TEXTS[1]}{' x' * 9_000}"
    scores = HttpCrossEncoder(server.url).scores(QUESTION, ["Nothing.", late, "A zebra."])
    assert scores == tuple(judged(QUESTION, TEXTS))
    assert max(len(text) for text in server.bodies()[0]["documents"]) == 8_000


def test_no_request_is_without_bound(server: Served) -> None:
    HttpCrossEncoder(server.url).scores("q" * 100_000, ["x" * 1_000_000] * 20)
    sizes = [sum(len(text) for text in body["documents"]) for body in server.bodies()]
    assert max(sizes) <= 400_000
    assert sum(sizes) == 20 * 8 * 8_000
    assert all(len(body["query"]) == 8_000 for body in server.bodies())


UNUSABLE: dict[str, Callable[[Items], Any]] = {
    "no list": lambda _: {"0": 1.0},
    "missing": lambda items: items[1:],
    "one twice": lambda items: [items[0], items[0], items[1]],
    "one twice besides": lambda items: [*items, items[0]],
    "out of range": lambda items: [{**items[0], "index": 3}, *items[1:]],
    "below": lambda items: [{**items[0], "index": -1}, *items[1:]],
    "no index": lambda items: [{"relevance_score": 1.0}, *items[1:]],
    "true": lambda items: [{**items[0], "index": True}, *items[1:]],
    "no score": lambda items: [{"index": items[0]["index"]}, *items[1:]],
    "null": lambda items: [{**items[0], "relevance_score": None}, *items[1:]],
    "text": lambda items: [{**items[0], "relevance_score": "0.5"}, *items[1:]],
    "NaN": lambda items: [{**items[0], "relevance_score": float("nan")}, *items[1:]],
    "endless": lambda items: [{**items[0], "relevance_score": 10**400}, *items[1:]],
    "no objects": lambda _: [1, 2, 3],
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_answer_is_a_clear_error(server: Served, name: str) -> None:
    def broken(path: str, body: dict[str, Any]) -> Reply:
        import json

        return ok(results=UNUSABLE[name](json.loads(cohere(path, body).payload)["results"]))

    server.answer = broken
    with pytest.raises(RerankError, match=r"127\.0\.0\.1.*/v1/rerank answered with ") as caught:
        HttpCrossEncoder(server.url).scores(QUESTION, TEXTS)
    assert "rerank endpoint" in caught.value.hint


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_misbehaving_endpoint_is_one_error_without_the_key(
    server: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.setattr(http, "_MAX_ANSWER_BYTES", 20_000)
    monkeypatch.setattr(
        http, "Limits", lambda **given: replace(Limits(**given), first_delay_s=0.001)
    )
    reply, said = MISBEHAVIOURS[name]
    server.script = [reply] * 3
    with pytest.raises(RerankError, match=said) as caught:
        HttpCrossEncoder(server.url, timeout_s=QUICK.deadline_s).scores(QUESTION, TEXTS)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_a_slow_endpoint_is_given_up(server: Served) -> None:
    server.hold = threading.Event()
    with pytest.raises(RerankError, match="did not answer within"):
        HttpCrossEncoder(server.url, timeout_s=0.05).scores(QUESTION, TEXTS)


def test_the_time_is_that_of_all_requests_together(server: Served) -> None:
    ticks = itertools.count()
    model = HttpCrossEncoder(server.url, timeout_s=3.0, clock=lambda: float(next(ticks)))
    with pytest.raises(RerankError, match="did not judge all passages in 3 s"):
        model.scores("q", ["a"] * 500)
    assert len(server.asked) == 2


@pytest.mark.parametrize("url", ["http://", f"http://me:{KEY}@host", f"http://host/?key={KEY}"])
def test_a_url_that_cannot_be_written_down_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpCrossEncoder(url)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"
