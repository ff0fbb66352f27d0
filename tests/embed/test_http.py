"""The HTTP embedder, against a server in a thread that speaks the real protocol."""

import base64
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from packhorse.embed.http import KEY_VARIABLE, HttpEmbedder
from packhorse.errors import ConfigError, PackhorseError, RetrievalError
from packhorse.testing.embedder import WordEmbedder
from tests.posting.servers import KEY, MISBEHAVIOURS, QUICK, Reply, Served, ok, serving

Data = Callable[[list[dict[str, Any]]], Any]


def vectors(body: dict[str, Any]) -> list[dict[str, Any]]:
    rows = WordEmbedder(8).embed(body["input"]) * 3
    return [
        {"object": "embedding", "index": at, "embedding": row.tolist()}
        for at, row in enumerate(rows)
    ]


def good(_path: str, body: dict[str, Any]) -> Reply:
    return ok(object="list", data=vectors(body))


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(good) as served:
        yield served


def url_of(server: Served) -> str:
    return f"{server.url}/v1#test-model"


def test_vectors_come_back_in_order_and_of_length_one(server: Served) -> None:
    texts = [f"text number {n}" for n in range(150)]
    rows = HttpEmbedder(url_of(server)).embed(texts)
    assert np.allclose(rows, WordEmbedder(8).embed(texts), atol=1e-6)
    assert [len(body["input"]) for _, _, body in server.asked] == [1, 64, 64, 22]
    path, _, body = server.asked[-1]
    assert path == "/v1/embeddings"
    assert body["model"] == "test-model"


def test_an_answer_out_of_order_is_put_in_order(server: Served) -> None:
    server.answer = lambda _, body: ok(data=vectors(body)[::-1])
    texts = ["one", "two", "three"]
    assert np.allclose(
        HttpEmbedder(url_of(server)).embed(texts), WordEmbedder(8).embed(texts), atol=1e-6
    )


def test_blank_texts_are_not_sent_and_get_zeros(server: Served) -> None:
    rows = HttpEmbedder(url_of(server)).embed(["", "x", " \n"])
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert server.asked[-1][2]["input"] == ["x"]


def test_the_key_is_sent_as_a_bearer_token(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    HttpEmbedder(url_of(server)).embed(["x"])
    assert server.asked[-1][1]["Authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv(KEY_VARIABLE)
    HttpEmbedder(url_of(server)).embed(["x"])
    assert "Authorization" not in server.asked[-1][1]


def first(items: list[dict[str, Any]], **changed: Any) -> list[dict[str, Any]]:
    return [{**items[0], **changed}, *items[1:]]


UNUSABLE: dict[str, Data] = {
    "no list": lambda _: None,
    "too few": lambda items: items[:-1],
    "too many": lambda items: [*items, {**items[0], "index": 9}],
    "one twice": lambda items: [items[0], items[0]],
    "one twice besides": lambda items: [*items, items[0]],
    "out of range": lambda items: first(items, index=7),
    "below": lambda items: first(items, index=-1),
    "no index": lambda items: first(items, index=None),
    "index as text": lambda items: first(items, index="0"),
    "ragged": lambda items: first(items, embedding=[1.0]),
    "shorter": lambda items: [{**item, "embedding": [1.0, 2.0]} for item in items],
    "empty": lambda items: [{**item, "embedding": []} for item in items],
    "text": lambda items: first(items, embedding="x"),
    "not finite": lambda items: first(items, embedding=[float("nan")] * 8),
    "endless": lambda items: first(items, embedding=[10**400] * 8),
    "no numbers": lambda items: first(items, embedding=["1"] * 8),
    "null": lambda items: first(items, embedding=None),
    "zeros": lambda items: first(items, embedding=[0.0] * 8),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_answer_is_a_clear_error(server: Served, name: str) -> None:
    model = HttpEmbedder(url_of(server))
    assert model.dimension == 8
    server.answer = lambda _, body: ok(data=UNUSABLE[name](vectors(body)))
    with pytest.raises(RetrievalError, match=r"127\.0\.0\.1.* answered with ") as caught:
        model.embed(["x", "y"])
    assert "embeddings endpoint" in caught.value.hint


def test_vectors_of_several_lengths_are_told_by_their_lengths(server: Served) -> None:
    server.answer = lambda _, body: ok(data=UNUSABLE["ragged"](vectors(body)))
    with pytest.raises(RetrievalError, match=r"vectors of 1 and of 8 numbers"):
        HttpEmbedder(url_of(server)).embed(["x", "y"])


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_misbehaving_endpoint_is_one_error_without_the_key(
    server: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    reply, said = MISBEHAVIOURS[name]
    server.script = [reply] * 3
    limits = replace(QUICK, max_answer_bytes=20_000)
    with pytest.raises(RetrievalError, match=said) as caught:
        HttpEmbedder(url_of(server), limits=limits).embed(["x", "y"])
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_a_rate_limit_is_waited_out(server: Served) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "0"})]
    assert HttpEmbedder(url_of(server), limits=QUICK).embed(["x"]).any()


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_server_that_takes_less_at_a_time_is_asked_for_less(server: Served, status: int) -> None:
    def picky(path: str, body: dict[str, Any]) -> Reply:
        return Reply(status=status) if len(body["input"]) > 20 else good(path, body)

    server.answer = picky
    texts = [f"text number {n}" for n in range(70)]
    model = HttpEmbedder(url_of(server))
    assert np.allclose(model.embed(texts), WordEmbedder(8).embed(texts), atol=1e-6)
    sizes = [len(body["input"]) for body in server.bodies()]
    assert sizes == [1, 64, 32, 16, 16, 16, 16, 6]
    model.embed(texts)
    assert len(server.bodies()[len(sizes)]["input"]) == 16


def test_a_text_that_is_refused_alone_is_an_error(server: Served) -> None:
    model = HttpEmbedder(url_of(server))
    assert model.dimension == 8
    server.answer = lambda _path, _body: Reply(status=413, payload=b'{"error": "too long"}')
    with pytest.raises(RetrievalError, match=r"413 .*: too long"):
        model.embed(["x", "y"])


def test_of_a_long_text_the_beginning_is_sent(server: Served) -> None:
    HttpEmbedder(url_of(server)).embed(["x" * 1_000_000])
    assert server.bodies()[-1]["input"] == ["x" * 32_000]


def test_vectors_may_come_in_base64(server: Served) -> None:
    def encoded(_path: str, body: dict[str, Any]) -> Reply:
        rows = [np.array(item["embedding"], dtype="<f4").tobytes() for item in vectors(body)]
        return ok(
            data=[
                {"index": at, "embedding": base64.b64encode(row).decode()}
                for at, row in enumerate(rows)
            ]
        )

    server.answer = encoded
    rows = HttpEmbedder(url_of(server)).embed(["one", "two"])
    assert np.allclose(rows, WordEmbedder(8).embed(["one", "two"]), atol=1e-6)


def test_shorter_vectors_are_asked_for_and_must_come(server: Served) -> None:
    model = HttpEmbedder(f"{server.url}/v1#test-model,dimensions=8")
    assert model.embed(["x"]).shape == (1, 8)
    assert model.fingerprint == "openai-compatible test-model dim=8 normalised=l2"
    assert [(each["model"], each["dimensions"]) for each in server.bodies()] == [
        ("test-model", 8),
        ("test-model", 8),
    ]
    with pytest.raises(RetrievalError, match="vectors of 8 numbers, not the 4 asked"):
        HttpEmbedder(f"{server.url}/v1#test-model,dimensions=4").embed(["x"])
    with pytest.raises(ConfigError, match="dimensions=many is no number from 1"):
        HttpEmbedder(f"{server.url}/v1#test-model,dimensions=many")


def test_questions_and_passages_are_sent_with_their_prompts(server: Served) -> None:
    options = 'question="search_query: ",passage="search_document: "'
    model = HttpEmbedder(f"{server.url}/v1#test-model,dimensions=8,{options}")
    passages, questions = model.embed(["x", " "]), model.embed_questions(["x", " "])
    assert [body["input"] for body in server.bodies()][1:] == [
        ["search_document: x"],
        ["search_query: x"],
    ]
    assert {body["model"] for body in server.bodies()} == {"test-model"}
    assert (passages[0] != questions[0]).any()
    assert not passages[1].any()
    assert not questions[1].any()
    assert model.fingerprint == (
        "openai-compatible test-model dim=8 normalised=l2"
        ' question="search_query: " passage="search_document: "'
    )


def test_line_ends_and_spaces_of_a_prompt_are_kept(server: Served) -> None:
    model = HttpEmbedder(rf'{server.url}/v1#m,question="Instruct: find, please\nQuery: "')
    model.embed_questions(["x"])
    assert server.bodies()[-1]["input"] == ["Instruct: find, please\nQuery: x"]
    plain = HttpEmbedder(url_of(server))
    assert (plain.embed(["x"]) == plain.embed_questions(["x"])).all()
    with pytest.raises(ConfigError, match="Unknown option 'dimension'"):
        HttpEmbedder(f"{server.url}/v1#m,dimension=8")


def test_another_dimension_than_before_is_an_error(server: Served) -> None:
    model = HttpEmbedder(url_of(server))
    assert "dim=8" in model.fingerprint
    server.answer = lambda _path, _body: ok(data=[{"index": 0, "embedding": [1, 2, 3]}])
    with pytest.raises(RetrievalError, match="vectors of 3 numbers, not 8"):
        model.embed(["x"])


def test_an_endpoint_that_does_not_answer_is_given_up(server: Served) -> None:
    server.hold = threading.Event()
    with pytest.raises(RetrievalError, match=r"did not answer within 0\.05 s"):
        HttpEmbedder(url_of(server), limits=replace(QUICK, timeout_s=0.05, tries=1)).embed(["x"])


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_nobody_at_the_address_is_a_clear_error(scheme: str) -> None:
    with pytest.raises(RetrievalError, match=f"{scheme}://127.0.0.1:1/v1/embeddings cannot be"):
        HttpEmbedder(f"{scheme}://127.0.0.1:1/v1", limits=QUICK).embed(["x"])


@pytest.mark.parametrize(
    "url", ["http://", "http:///v1", f"http://user:{KEY}@host/v1", f"http://host?key={KEY}"]
)
def test_an_unusable_url_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpEmbedder(url)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_every_error_is_of_the_house() -> None:
    assert issubclass(RetrievalError, PackhorseError)
