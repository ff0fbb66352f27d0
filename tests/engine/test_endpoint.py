"""Counting with a real llama.cpp server: what it says before is what it reports after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from packhorse.tokens.endpoints.counter import Asker, EndpointCounter, EndpointRequestCounter
from packhorse.tokens.endpoints.endpoint import Endpoint
from packhorse.tokens.endpoints.engines import LlamaCppEndpoint
from packhorse.tokens.endpoints.registry import engine_endpoint
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.count import RuleCounter
from packhorse.tokens.requests.turns import read_request
from packhorse.tokens.vocabularies.gguf import counter_from_gguf
from tests.engine.chats import chats
from tests.engine.server import Engine, model_file, serving

SENT_FOR_REAL = 20
COUNTED_ONLY = 100


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with serving(model_file()) as server:
        yield server


@pytest.fixture
def endpoint(engine: Engine) -> Iterator[Endpoint]:
    made = engine_endpoint(engine._address, {})
    yield made
    made.close()


def test_requests_cost_what_the_engine_reports(engine: Engine, endpoint: Endpoint) -> None:
    assert isinstance(endpoint, LlamaCppEndpoint)
    asker = Asker(endpoint)
    rules = RuleCounter(model_spec("gpt-4o"), EndpointCounter(asker))
    counter = EndpointRequestCounter(asker, rules, exact_contents=True)
    bodies = chats(seed=11, number=COUNTED_ONLY)
    for number, body in enumerate(bodies):
        counted = counter.count(read_request(body))
        assert counted.total_tokens == engine.input_tokens(body)
        assert sum(counted.lines.values()) == counted.total_tokens
        if number < SENT_FOR_REAL:
            assert counted.total_tokens == engine.prompt_tokens(body)


def test_texts_cost_what_the_same_vocabulary_says_here(endpoint: Endpoint) -> None:
    texts = ["", "hello world", "<|im_end|>", "日本語 ä\r\n", " \n ", "\x00", "\ud800", "x" * 5000]
    here = counter_from_gguf(model_file()).count_batch(texts)
    assert EndpointCounter(Asker(endpoint)).count_batch(texts) == here
