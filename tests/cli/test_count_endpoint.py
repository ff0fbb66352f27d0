"""`packhorse count` with a provider's key, without one, and with a server of the user's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Outcome, invoke
from tests.posting.servers import KEY, Reply, Served, serving
from tests.tokens.endpoints.servers import llama_cpp, providers, tokens_of, vllm

CLAUDE = "claude-sonnet-4-6"
TALK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is that?"}]


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("PACKHORSE_ENDPOINT_KEY", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(providers) as served:
        yield served


@pytest.fixture
def keyed(server: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    return server


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("Donaudampfschifffahrt, once more.", encoding="utf-8")
    return path


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(TALK), encoding="utf-8")
    return path


def document(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def test_the_provider_counts_a_file_when_its_key_is_set(
    keyed: Served, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = document(invoke(capsys, "count", text, "--model", CLAUDE, "--json"))
    assert counted["total_tokens"] == tokens_of(text.read_text(encoding="utf-8"))
    assert counted["tokenizer"] == {
        "exact": True,
        "library": "Anthropic count_tokens",
        "margin": 0.0,
        "name": CLAUDE,
    }
    assert len(keyed.asked) == 2  # the text in its frame, and the frame
    invoke(capsys, "count", text, "--model", CLAUDE)
    assert len(keyed.asked) == 2  # remembered on disk


def test_one_question_is_asked_for_a_request(
    keyed: Served, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("count", "--messages", request_file, "--model", CLAUDE)
    counted = document(invoke(capsys, *arguments, "--json"))
    assert counted["total_tokens"] == 7 + tokens_of("Be brief.") + tokens_of("What is that?")
    assert counted["exact"] is True
    assert counted["estimated"] == []
    assert len(keyed.asked) == 1


def test_offline_asks_nobody(keyed: Served, text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counted = document(invoke(capsys, "count", text, "--model", CLAUDE, "--offline", "--json"))
    assert counted["exact"] is False
    assert keyed.asked == []


def test_what_is_exact_here_stays_here(
    keyed: Served, text: Path, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert document(invoke(capsys, "count", text, "--model", "gpt-4o", "--json"))["exact"]
    arguments = ("count", "--messages", request_file, "--model", "gpt-4o", "--json")
    assert document(invoke(capsys, *arguments))["exact"]
    assert keyed.asked == []


def test_what_would_be_an_estimate_here_is_asked(
    keyed: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tools.json"
    body = {"messages": TALK, "tools": [{"type": "function", "function": {"name": "f"}}]}
    body["response_format"] = {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}}
    path.write_text(json.dumps(body), encoding="utf-8")
    counted = document(invoke(capsys, "count", "--messages", path, "--model", "gpt-4o", "--json"))
    assert counted["exact"]
    assert len(keyed.asked) == 1
    assert counted["query"] == tokens_of("What is that?")
    assert keyed.bodies()[0]["tools"] == [{"type": "function", "name": "f"}]


def test_without_a_key_the_estimate_says_so_and_names_the_variable(
    text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "count", text, "--model", CLAUDE)
    assert outcome.code == 0
    assert "estimate, margin" in outcome.err
    assert "ANTHROPIC_API_KEY is not set" in outcome.err
    assert "is not set" not in invoke(capsys, "count", text).err


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401),
        Reply(status=404, payload=f'{{"error":"{KEY}"}}'.encode()),
        Reply(payload=b"{"),
    ],
)
def test_a_failing_endpoint_is_an_error_and_never_an_estimate(
    keyed: Served, text: Path, capsys: pytest.CaptureFixture[str], reply: Reply
) -> None:
    keyed.answer = lambda _path, _body: reply
    outcome = invoke(capsys, "count", text, "--model", CLAUDE)
    assert outcome.code == 2
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert [line.split()[0] for line in lines] == ["[ERROR]", "[HINT]"]
    assert KEY not in outcome.err


def test_a_key_that_is_none_is_an_error(
    keyed: Served, text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not a key")
    outcome = invoke(capsys, "count", text, "--model", CLAUDE)
    assert keyed.asked == []
    assert outcome.code == 2
    assert "ANTHROPIC_API_KEY" in outcome.err
    assert "not a key" not in outcome.err


@pytest.mark.parametrize("engine", [llama_cpp, vllm])
def test_a_server_of_the_users_counts(
    engine: Any, text: Path, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(engine) as server:
        counted = document(invoke(capsys, "count", text, "--endpoint", server.url, "--json"))
        assert counted["total_tokens"] == tokens_of(text.read_text(encoding="utf-8"))
        assert counted["exact"] is True
        arguments = ("count", "--messages", request_file, "--endpoint", server.url)
        asked = document(invoke(capsys, *arguments, "--json"))
        assert asked["exact"] is True
        assert asked["query"] == tokens_of("What is that?")
        assert asked["system_prompt"] == tokens_of("Be brief.")


@pytest.mark.parametrize("other", [["--offline"], ["--tokenizer", "o200k_base"]])
def test_flags_that_exclude_each_other_are_refused(
    text: Path, capsys: pytest.CaptureFixture[str], other: list[str]
) -> None:
    outcome = invoke(capsys, "count", text, "--endpoint", "http://127.0.0.1:1", *other)
    assert outcome.code == 2
    assert f"--endpoint or {other[0]}" in outcome.err
