"""Texts and requests counted with an endpoint: order, memory, lines that add up."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import CountingError, InputError
from packhorse.protocols import TokenCounter
from packhorse.tokens.endpoints.counter import (
    Asker,
    EndpointCounter,
    EndpointRequestCounter,
    balanced_lines,
)
from packhorse.tokens.endpoints.registry import engine_endpoint, provider_endpoint
from packhorse.tokens.endpoints.shares import shared_out
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import RuleCounter
from packhorse.tokens.requests.request import ChatRequest
from packhorse.tokens.requests.turns import read_request
from packhorse.tokens.store import CountStore
from packhorse.types.ledger import FIXED_LINES
from tests.posting.servers import KEY, Reply, Served, serving
from tests.tokens.endpoints.servers import llama_cpp, providers, tokens_of

TEXTS = [f"text number {n} " * (n % 7 + 1) for n in range(40)]


class Slow:
    """An endpoint that answers in the wrong order: the first question waits for the others."""

    label = "slow"
    model = "m"
    where = "here"
    framed = False

    def __init__(self, n_before: int) -> None:
        self.asked: list[str] = []
        self._left = n_before
        self._done = threading.Event()
        self._lock = threading.Lock()

    def text_total(self, text: str) -> int:
        with self._lock:
            first = not self.asked
            self.asked.append(text)
        if first:
            assert self._done.wait(10)
        else:
            with self._lock:
                self._left -= 1
                if self._left == 0:
                    self._done.set()
        return len(text)

    def request_total(self, request: ChatRequest) -> int:
        return len(json.dumps(request.body))

    def close(self) -> None:
        """Nothing is open."""


def asker_of(server: Served, model: str = "claude-sonnet-4-6", **more: Any) -> Asker:
    environ = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
    return Asker(provider_endpoint(model_spec(model), environ), **more)


def test_counts_come_back_in_order_whatever_answers_first() -> None:
    texts = ["x" * n for n in range(1, 9)]
    endpoint = Slow(n_before=7)
    assert EndpointCounter(Asker(endpoint)).count_batch(texts) == list(range(1, 9))
    assert sorted(endpoint.asked) == texts


def test_no_more_than_the_allowed_number_is_asked_at_once() -> None:
    now, most = 0, 0
    lock = threading.Lock()
    barrier = threading.Barrier(4)

    class Busy(Slow):
        def text_total(self, text: str) -> int:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            barrier.wait(10)
            with lock:
                now -= 1
            return len(text)

    EndpointCounter(Asker(Busy(0))).count_batch(["x" * n for n in range(1, 13)])
    assert most == 4


def test_each_text_is_asked_once_and_nothing_for_the_empty_one(server: Served) -> None:
    asker = asker_of(server)
    counter = EndpointCounter(asker)
    assert counter.count_batch([]) == []
    assert counter.count_batch(["", ""]) == [0, 0]
    assert server.asked == []
    assert counter.count_batch(["hello", "", "hello", "world"]) == [1, 0, 1, 1]
    assert asker.n_asked == len(server.asked) == 3  # the frame and two texts
    assert counter.count("hello") == 1
    assert len(server.asked) == 3
    asker.endpoint.close()


def test_it_is_a_token_counter_that_says_who_counted(server: Served) -> None:
    counter = EndpointCounter(asker_of(server))
    assert isinstance(counter, TokenCounter)
    assert (counter.name, counter.library) == ("claude-sonnet-4-6", "Anthropic count_tokens")
    assert counter.exact
    assert counter.margin == 0.0


def test_a_text_costs_what_it_costs_alone(server: Served) -> None:
    asker = asker_of(server)
    texts = ["hello world", "<chunk>\nä\n</chunk>\n", "\ud800", "Once more.", "日本語", "x  ", "{}"]
    alone = [tokens_of(text) for text in texts]
    assert EndpointCounter(asker).count_batch(texts) == alone
    assert EndpointCounter(asker).count_batch([" \n"]) == [tokens_of("x\n \n x") - 3]
    asker.endpoint.close()


def test_an_engine_counts_the_text_alone() -> None:
    with serving(llama_cpp) as server:
        endpoint = engine_endpoint(server.url, {})
        counter = EndpointCounter(Asker(endpoint))
        assert counter.count_batch(TEXTS) == [tokens_of(text) for text in TEXTS]
        assert counter.name == "model of the server"
        endpoint.close()


def test_counts_are_found_again_on_disk_by_another_counter(server: Served, tmp_path: Path) -> None:
    path = tmp_path / "sub" / "counts.sqlite3"
    counts = []
    for _ in range(2):
        store = CountStore(path)
        asker = asker_of(server, store=store)
        counts.append(EndpointCounter(asker).count_batch(TEXTS))
        counts.append([asker.request(read_request([{"role": "user", "content": "Hi"}]))])
        asker.endpoint.close()
        store.close()
    assert counts[:2] == counts[2:]
    assert len(server.asked) == 1 + len(TEXTS) + 1


def test_what_was_answered_before_a_failure_is_not_asked_again(
    server: Served, tmp_path: Path
) -> None:
    answer = server.answer

    def failing(path: str, body: dict[str, Any]) -> Reply:
        is_last = body["messages"][0]["content"] == f"x\n{TEXTS[-1]} x"
        return Reply(status=400) if is_last else answer(path, body)

    store = CountStore(tmp_path / "c")
    asker = asker_of(server, store=store)
    server.answer = failing
    with pytest.raises(CountingError, match="400"):
        EndpointCounter(asker).count_batch(TEXTS)
    n_asked = len(server.asked)
    asker.endpoint.close()
    server.answer = answer
    again = asker_of(server, store=store)
    assert EndpointCounter(again).count_batch(TEXTS) == [tokens_of(text) for text in TEXTS]
    assert len(server.asked) == n_asked + 1
    again.endpoint.close()
    store.close()


def test_another_model_or_server_has_its_own_counts(server: Served, tmp_path: Path) -> None:
    store = CountStore(tmp_path / "c")
    for model in ("claude-sonnet-4-6", "claude-opus-4-1"):
        asker = asker_of(server, model, store=store)
        EndpointCounter(asker).count("hello")
        assert asker.n_asked == 2
        asker.endpoint.close()
    with serving(providers) as other:
        asker = asker_of(other, store=store)
        EndpointCounter(asker).count("hello")
        assert asker.n_asked == 2
        asker.endpoint.close()
    store.close()


def test_the_store_holds_neither_a_text_nor_the_key(server: Served, tmp_path: Path) -> None:
    store = CountStore(tmp_path / "c")
    asker = asker_of(server, store=store)
    EndpointCounter(asker).count("a text that nobody else may read")
    asker.endpoint.close()
    store.close()
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"nobody" not in held
    assert KEY.encode() not in held
    assert KEY not in f"{asker.endpoint!r}{vars(asker)}{asker.endpoint.where}"


@pytest.mark.parametrize("kind", ["damaged", "folder", "nowhere"])
def test_a_store_that_cannot_be_used_stands_in_nobodys_way(
    server: Served, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "c"
    if kind == "damaged":
        path.write_bytes(b"no database" * 100)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"")
        path = path / "below a file"
    store = CountStore(path)
    asker = asker_of(server, store=store)
    assert EndpointCounter(asker).count("hello") == 1
    asker.endpoint.close()
    store.close()


WRITER = """
import sys
from pathlib import Path
from packhorse.tokens.endpoints.counter import Asker, EndpointCounter
from packhorse.tokens.endpoints.registry import engine_endpoint
from packhorse.tokens.store import CountStore
store = CountStore(Path(sys.argv[2]))
asker = Asker(engine_endpoint(sys.argv[1], {}), store)
texts = [f"text number {n} " for n in range(30)]
print(EndpointCounter(asker).count_batch(texts), asker.n_asked)
asker.endpoint.close()
store.close()
"""


def counted_elsewhere(url: str, path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_share_what_they_counted(tmp_path: Path) -> None:
    path = tmp_path / "c"
    right = [tokens_of(f"text number {n} ") for n in range(30)]
    with serving(llama_cpp) as server:
        together = [counted_elsewhere(server.url, path) for _ in range(2)]
        said = [process.communicate(timeout=60)[0] for process in together]
        assert all(line.startswith(f"{right} ") for line in said)
        later = counted_elsewhere(server.url, path).communicate(timeout=60)[0]
    assert later == f"{right} 0\n"


TALK: dict[str, Any] = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "What is a long German word? Donaudampfschifffahrt."},
        {"role": "assistant", "content": "That is one."},
        {"role": "user", "content": "Another one, please."},
    ],
}


def test_a_request_costs_what_the_endpoint_says_line_by_line(server: Served) -> None:
    spec = model_spec("claude-sonnet-4-6")
    rules = RuleCounter(spec, counter_of(spec))
    asker = asker_of(server)
    counter = EndpointRequestCounter(asker, rules, exact_contents=False)
    request = read_request(TALK)
    counted = counter.count(request)
    said = 3 * 7 + sum(tokens_of(m["content"]) for m in TALK["messages"]) + tokens_of("Be brief.")
    assert counted.total_tokens == said
    assert counted.exact
    assert counted.estimated == ()
    assert set(counted.lines) == set(FIXED_LINES)
    assert min(counted.lines.values()) >= 0
    assert counter.message_costs(request.turns) == rules.message_costs(request.turns)
    assert counter.count(request) == counted
    assert asker.n_asked == 1
    asker.endpoint.close()


def test_a_request_with_half_a_character_is_one_question(server: Served) -> None:
    asker = asker_of(server)
    for text in ("half \ud800", "half \ufffd"):
        body = {"messages": [{"role": "user", "content": text}]}
        assert asker.request(read_request(body)) == 7 + tokens_of("half \ufffd")
    assert asker.n_asked == 1
    asker.endpoint.close()


def test_the_order_of_keys_is_part_of_a_question(server: Served) -> None:
    asker = asker_of(server)
    talk = [{"role": "user", "content": "Hi"}]
    orders: list[dict[str, Any]] = [{"a": {}, "b": {}}, {"b": {}, "a": {}}]
    for properties in orders:
        tool = {"name": "f", "input_schema": {"properties": properties}}
        asker.request(read_request({"messages": talk, "tools": [tool]}))
    assert asker.n_asked == 2
    asker.endpoint.close()


def test_a_deep_request_is_asked_and_one_too_deep_is_refused(server: Served) -> None:
    asker = asker_of(server)
    for depth in (500, 100_000):
        schema: dict[str, Any] = {}
        for _ in range(depth):
            schema = {"items": schema}
        tools = [{"name": "f", "input_schema": schema}]
        body = {"messages": [{"role": "user", "content": "Hi"}], "tools": tools}
        request = ChatRequest(turns=(), body=body)
        if depth == 500:
            assert asker.request(request) == 7 + tokens_of("Hi")
        else:
            with pytest.raises(InputError, match="nested too deep"):
                asker.request(request)
    asker.endpoint.close()


LINES = st.fixed_dictionaries({name: st.integers(0, 10_000) for name in FIXED_LINES})


@given(lines=LINES, total=st.integers(0, 100_000), exact=st.booleans())
def test_lines_add_up_to_the_total_and_none_is_below_zero(
    lines: dict[str, int], total: int, exact: bool
) -> None:
    balanced = balanced_lines(lines, total, exact_contents=exact)
    assert list(balanced) == list(lines)
    assert sum(balanced.values()) == total
    assert min(balanced.values()) >= 0


def test_exact_contents_stay_and_the_rest_is_overhead() -> None:
    lines = {**dict.fromkeys(FIXED_LINES, 0), "query": 10, "history": 20, "message_overhead": 5}
    exact = balanced_lines(lines, 37, exact_contents=True)
    assert (exact["query"], exact["history"], exact["message_overhead"]) == (10, 20, 7)
    estimated = balanced_lines(lines, 26, exact_contents=False)
    assert (estimated["query"], estimated["history"], estimated["message_overhead"]) == (7, 14, 5)
    short = balanced_lines(lines, 26, exact_contents=True)
    assert short == estimated
    tiny = balanced_lines(lines, 3, exact_contents=True)
    assert (tiny["query"], tiny["message_overhead"]) == (0, 3)
    bare = balanced_lines(dict.fromkeys(FIXED_LINES, 0), 9, exact_contents=False)
    assert bare["message_overhead"] == 9


@given(total=st.integers(0, 10**6), weights=st.lists(st.integers(0, 10**6), min_size=1))
def test_shares_add_up_and_are_off_by_less_than_one(total: int, weights: list[int]) -> None:
    shares = shared_out(total, weights)
    assert sum(shares) == total
    assert min(shares) >= 0
    whole = sum(weights)
    if whole:
        for share, weight in zip(shares, weights, strict=True):
            assert abs(share * whole - total * weight) < whole
