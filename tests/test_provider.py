"""Packing counted by the provider: few questions, never over by its count, a true ledger."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packhorse.api import open_kb, pack
from packhorse.cli.transcript import transcript
from packhorse.errors import ConfigError, CountingError, MissingKeyError
from packhorse.packet.packet import Packet
from packhorse.provider import CorrectedCounter
from packhorse.tokens.registry import counter_named
from packhorse.types.ledger import FIXED_LINES
from tests.cli.command import invoke
from tests.posting.servers import KEY, Reply, Served, ok, serving
from tests.tokens.endpoints.servers import providers

QUERY = "Can I deduct home office expenses?"
CLAUDE = "claude-sonnet-4-6"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Served]:
    with serving(providers) as served:
        # Indexes come from the cache that all tests share; counts do not go there.
        monkeypatch.setattr("packhorse.tokens.store.COUNTS_FILE", str(tmp_path / "counts"))
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        monkeypatch.setenv("GEMINI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served.url}/v1")
        yield served


def packed(fixtures_dir: Path, **more: Any) -> Packet:
    with open_kb(fixtures_dir / "tax_kb") as kb:
        settings = {"model": CLAUDE, "budget": 2800, "counting": "provider", **more}
        return pack(QUERY, kb, **settings)


def counted(path: str, body: dict[str, Any]) -> int:
    """What the pretended provider says about a request, asked directly."""
    answer = json.loads(providers(path, body).payload)
    return int(answer.get("input_tokens", answer.get("totalTokens")))


@pytest.mark.parametrize("model", [CLAUDE, "gemini-2.5-pro", "gpt-4o"])
def test_the_packet_is_what_the_provider_counts_and_takes_few_questions(
    server: Served, fixtures_dir: Path, model: str
) -> None:
    packet = packed(fixtures_dir, model=model)
    path, _, last = server.asked[-1]
    document = packet.to_dict()
    budget = document["budget"]
    fixed = sum(budget[line] for line in FIXED_LINES)
    biggest = max(counted(path, body) for body in server.bodies())
    assert fixed + budget["packed_evidence"] in {counted(path, last), biggest}
    assert budget["packed_evidence"] <= 2800
    assert len(document["packed_chunks"]) >= 4
    blocks = sum(chunk["tokens"] for chunk in document["packed_chunks"])
    assert budget["evidence_preamble"] + blocks == budget["packed_evidence"]
    assert (
        fixed + budget["output_reservation"] + budget["available_evidence"]
        == (budget["total_window"])
    )
    assert len(server.asked) <= 6
    tokenizer = document["tokenizer"]
    assert (tokenizer["name"], tokenizer["exact"], tokenizer["margin_tokens"]) == (model, True, 0)


def test_a_closing_notice_is_counted_by_the_provider_too(
    server: Served, fixtures_dir: Path
) -> None:
    packet = packed(fixtures_dir, closing_notice=True)
    document = packet.to_dict()
    budget, rendered = document["budget"], document["rendered"]
    assert rendered["notice"].startswith(f"{len(packet.omitted(relevant=True))} more relevant")
    blocks = sum(chunk["tokens"] for chunk in document["packed_chunks"])
    pieces = budget["evidence_preamble"] + blocks + rendered["notice_tokens"]
    assert pieces == budget["packed_evidence"] <= 2800
    assert len(server.asked) <= 6
    assert Packet.from_json(packet.to_json()).text == packet.text


@pytest.mark.usefixtures("server")
def test_more_fits_than_by_the_estimate(fixtures_dir: Path) -> None:
    asked = packed(fixtures_dir).to_dict()
    estimated = packed(fixtures_dir, counting="offline").to_dict()
    assert len(asked["packed_chunks"]) > len(estimated["packed_chunks"])
    assert estimated["tokenizer"]["exact"] is False
    assert estimated["tokenizer"]["margin_tokens"] > 0


@pytest.mark.usefixtures("server")
def test_the_packet_says_who_counted_and_what_is_a_share(fixtures_dir: Path) -> None:
    packet = packed(fixtures_dir)
    lines = [text for _, text in transcript(packet, None)]
    assert any(f"Anthropic count_tokens ({CLAUDE})" in line for line in lines)
    (check,) = [check for check in packet.to_dict()["checks"] if check["name"] == "counting"]
    assert check["status"] == "pass"
    assert "shares" in check["detail"]
    assert packet.to_dict()["profile"]["counting"] == "provider"


def test_the_same_question_again_asks_nobody_and_gives_the_same_bytes(
    server: Served, fixtures_dir: Path
) -> None:
    first = packed(fixtures_dir, as_of="2026-01-01").to_json()
    n_asked = len(server.asked)
    assert packed(fixtures_dir, as_of="2026-01-01").to_json() == first
    assert len(server.asked) == n_asked


def test_nothing_of_the_key_is_in_the_packet(server: Served, fixtures_dir: Path) -> None:
    packet = packed(fixtures_dir)
    assert KEY not in packet.to_json()
    assert server.asked[0][1]["x-api-key"] == KEY


@pytest.mark.parametrize("budget", [900, 1100, 1999, 2800])
def test_a_provider_that_counts_oddly_is_never_overrun(
    server: Served, fixtures_dir: Path, budget: int
) -> None:
    def odd(path: str, body: dict[str, Any]) -> Reply:
        # Twice as many tokens for one subject: no single rate is right for every chunk.
        said = sum(m["content"].count("home") for m in body["messages"]) * 25
        return ok(input_tokens=counted(path, body) + said)

    server.answer = odd
    document = packed(fixtures_dir, budget=budget).to_dict()
    assert document["budget"]["packed_evidence"] <= budget
    assert document["checks"][0]["status"] == "pass"


@pytest.mark.usefixtures("server")
def test_all_that_the_window_leaves_may_be_used(fixtures_dir: Path) -> None:
    document = packed(fixtures_dir, budget=None).to_dict()
    assert document["budget"]["remaining_unused"] >= 0
    assert document["budget"]["evidence_budget"] == document["budget"]["available_evidence"]


def test_history_and_an_empty_budget_are_counted_too(server: Served, fixtures_dir: Path) -> None:
    history = [
        {"role": "user", "content": "I work from home."},
        {"role": "assistant", "content": "Noted."},
    ]
    document = packed(fixtures_dir, history=history).to_dict()
    assert document["budget"]["history"] > 0
    assert len(server.bodies()[0]["messages"]) == 3


def test_without_a_key_packing_names_the_variable(
    server: Served, fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(MissingKeyError, match="ANTHROPIC_API_KEY is not set") as caught:
        packed(fixtures_dir)
    assert isinstance(caught.value, ConfigError)
    assert server.asked == []


def test_a_failing_endpoint_gives_no_packet(server: Served, fixtures_dir: Path) -> None:
    server.answer = lambda _path, _body: Reply(status=401)
    with pytest.raises(CountingError, match="401"):
        packed(fixtures_dir)


class Pretended:
    """A provider that counts characters, and says what it was asked."""

    name = library = "pretended"

    def __init__(self) -> None:
        self.local = counter_named("o200k_base")
        self.asked: list[str] = []

    def evidence(self, text: str) -> int:
        self.asked.append(text)
        return len(text)


def test_a_sample_is_counted_once_and_is_not_everything() -> None:
    provider = Pretended()
    counter = CorrectedCounter(provider)  # type: ignore[arg-type]  # counts in its place
    assert counter.count_batch(["", ""]) == [0, 0]
    assert provider.asked == []
    texts = [" word" * 9000, " word" * 6000, " word" * 2000]
    assert counter.count_batch(texts) == [45_000, 30_000, 10_000]
    assert provider.asked == ["".join(texts[:2])]
    assert counter.count(" word") == 5
    assert len(provider.asked) == 1
    assert counter.exact is False


@pytest.mark.usefixtures("server")
def test_the_command_takes_the_setting_and_explains_it(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("pack", "--query", QUERY, "--kb", fixtures_dir / "tax_kb", "--budget", 2800)
    outcome = invoke(
        capsys, *arguments, "--model", CLAUDE, "--counting", "provider", "--out", tmp_path / "out"
    )
    assert outcome.code == 0, outcome.err
    assert "Counted by Anthropic count_tokens" in outcome.out
    assert KEY not in outcome.out + outcome.err
    written = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "out").iterdir())
    assert KEY not in written
    shown = invoke(capsys, *arguments, "--counting", "provider", "--show-config")
    assert any(
        line.split() == ["counting", '"provider"', "--counting"] for line in shown.out.splitlines()
    )


def test_an_unknown_way_of_counting_is_refused(fixtures_dir: Path) -> None:
    with pytest.raises(ConfigError, match="counting is 'guess'") as caught:
        packed(fixtures_dir, counting="guess")
    assert "offline or provider" in caught.value.hint


def test_nothing_is_asked_unless_the_profile_says_so(server: Served, fixtures_dir: Path) -> None:
    packed(fixtures_dir, counting=None)
    assert server.asked == []


@pytest.mark.usefixtures("server")
def test_a_packet_that_the_provider_counted_is_explained_and_not_replayed(
    fixtures_dir: Path,
) -> None:
    packet = packed(fixtures_dir)
    for entry in (packet.excluded_chunks[0], packet.packed_chunks[-1]):
        assert packet.explain(entry.chunk_id).counterfactuals
    with open_kb(fixtures_dir / "tax_kb") as kb:
        told = packet.replay(kb)
    assert not told.same
    assert "a replay asks no provider" in told.error


@pytest.mark.parametrize("model", [CLAUDE, "gemini-2.5-pro", "gpt-4o"])
def test_examples_and_tools_are_counted_by_the_provider_too(
    server: Served, fixtures_dir: Path, model: str
) -> None:
    examples = [{"id": "desk", "input": "Can I deduct a desk?", "output": "Yes, as equipment."}]
    tools = [{"name": "look_up", "description": "Looks a form up.", "input_schema": {}}]
    packet = packed(fixtures_dir, model=model, examples=examples, tools=tools)
    assert all("look_up" in json.dumps(body) for body in server.bodies())
    assert all("as equipment" in json.dumps(body) for body in server.bodies())
    path, _, last = server.asked[-1]
    budget = packet.budget
    biggest = max(counted(path, body) for body in server.bodies())
    assert budget.fixed + budget.packed_evidence in {counted(path, last), biggest}
    assert budget.few_shot > 0
    assert budget.tools > 0
