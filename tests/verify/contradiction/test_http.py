"""The /predict endpoint, against a server in a thread that speaks the real protocol."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from packhorse.errors import ConfigError, VerificationError
from packhorse.verify.contradiction.http import KEY_VARIABLE, HttpContradictionModel
from packhorse.verify.contradiction.registry import contradiction_model
from tests.posting.servers import KEY, MISBEHAVIOURS, QUICK, Reply, Served, serving

PAIRS = [("It is open.", "It is not open."), ("It is open.", "It is open.")]


def predicted(body: dict[str, Any]) -> list[list[dict[str, Any]]]:
    scores = (
        0.9 if ("not" in first) != ("not" in second) else 0.1 for first, second in body["inputs"]
    )
    return [
        [{"label": "entailment", "score": 1 - score}, {"label": "CONTRADICTION", "score": score}]
        for score in scores
    ]


def good(_path: str, body: dict[str, Any]) -> Reply:
    return Reply(payload=json.dumps(predicted(body)).encode())


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(good) as served:
        yield served


def test_pairs_go_in_batches_and_scores_come_back_in_order(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    model = HttpContradictionModel(server.url)
    assert model.contradictions(PAIRS * 20) == (0.9, 0.1) * 20
    assert [len(body["inputs"]) for _, _, body in server.asked] == [32, 8]
    path, headers, body = server.asked[0]
    assert path == "/predict"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["inputs"][0], body["raw_scores"], body["truncate"]) == (
        list(PAIRS[0]),
        False,
        True,
    )
    assert KEY not in model.name


def test_another_label_and_a_whole_path_are_taken(server: Served) -> None:
    model = contradiction_model(f"{server.url}/v1/predict#entailment")
    assert model is not None
    assert [round(each, 6) for each in model.contradictions(PAIRS)] == [0.1, 0.9]
    assert server.asked[0][0] == "/v1/predict"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"{}", "no list of predictions for 2 pairs"),
        (b"[[]]", "1 predictions for 2 pairs"),
        (b'[[{"label": "x"}], []]', "without labels and scores"),
        (b'[[{"label": "x", "score": 1}], []]', "no label 'contradiction', but x"),
        (b'[[{"label": "contradiction", "score": 7}], []]', r"outside 0\.\.1"),
        (b'[[{"label": "contradiction", "score": NaN}], []]', r"outside 0\.\.1"),
    ],
)
def test_an_unusable_answer_is_one_error_of_ours(
    server: Served, payload: bytes, message: str
) -> None:
    server.script = [Reply(payload=payload)]
    with pytest.raises(VerificationError, match=message):
        HttpContradictionModel(server.url).contradictions(PAIRS)


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_misbehaving_endpoint_is_one_error_without_the_key(
    server: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    reply, said = MISBEHAVIOURS[name]
    server.script = [reply] * 3
    limits = replace(QUICK, max_answer_bytes=20_000)
    with pytest.raises(VerificationError, match=said) as caught:
        HttpContradictionModel(server.url, limits=limits).contradictions(PAIRS)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_a_slow_endpoint_is_given_up(server: Served) -> None:
    server.hold = threading.Event()
    limits = replace(QUICK, timeout_s=0.05, tries=1)
    with pytest.raises(VerificationError, match=r"did not answer within 0\.05 s"):
        HttpContradictionModel(server.url, limits=limits).contradictions(PAIRS)


@pytest.mark.parametrize("url", ["http://", "http://me:pw@localhost"])
def test_a_url_without_host_or_with_a_password_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpContradictionModel(url)
    assert "pw" not in str(caught.value)
