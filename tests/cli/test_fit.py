"""`packhorse fit` in this process."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import invoke

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello " * 50},
    {"role": "user", "content": "And now?"},
]


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": TALK}), encoding="utf-8")
    return path


def test_the_fitted_request_goes_to_stdout_and_the_reasons_to_stderr(
    request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "fit", request_file, "--max-tokens", 40)
    assert outcome.code == 0
    assert json.loads(outcome.out) == {"model": "gpt-4o", "messages": [TALK[0], TALK[3]]}
    assert "[FIT] 2 of 4 messages, 18/40 tokens" in outcome.err
    assert (
        "[OUT] message 2: exceeded_remaining_budget (needed 55, had 22), 55 tokens" in outcome.err
    )
    quiet = invoke(capsys, "fit", request_file, "--max-tokens", 40, "-q")
    assert (quiet.out, quiet.err) == (outcome.out, "")


def test_json_is_one_document_with_a_decision_for_each_message(
    request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(
        capsys, "fit", request_file, "--max-tokens", 40, "--json", "--policy", "blocks"
    )
    told = json.loads(outcome.out)
    assert outcome.err == ""
    assert [decision["kept"] for decision in told["decisions"]] == [True, True, False, True]
    assert told["request"]["messages"] == [TALK[0], TALK[1], TALK[3]]
    assert sum(told["ledger"].values()) == told["total_tokens"] == 23
    assert (told["kept"], told["left_out"], told["max_tokens"]) == (3, 1, 40)


def test_without_a_limit_the_window_less_the_answer_is_the_limit(
    request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(invoke(capsys, "fit", request_file, "--json").out)
    assert told["max_tokens"] == 128_000 - 4096
    body = {"max_tokens": 1000, "messages": TALK}
    request_file.write_text(json.dumps(body), encoding="utf-8")
    told = json.loads(invoke(capsys, "fit", request_file, "--json", "--model", "gpt-4o").out)
    assert told["max_tokens"] == 127_000


def test_pinned_messages_stay(request_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, "fit", request_file, "--max-tokens", 80, "--pin", 2, "--json")
    told = json.loads(outcome.out)
    assert told["decisions"][2]["reason_code"] == "pinned"
    assert invoke(capsys, "fit", request_file, "--pin", 9).code == 2


def test_a_summary_is_in_the_document_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, earlier = tmp_path / "request.json", tmp_path / "earlier.json"
    said = [
        {"role": role, "content": f"We agreed on room {n} for {n * 10} EUR. " * 3}
        for n in range(1, 9)
        for role in ("user", "assistant")
    ]
    talk = [*said, {"role": "user", "content": "And now?"}]
    path.write_text(json.dumps(talk), encoding="utf-8")
    flags = ("fit", path, "--max-tokens", 300, "--policy", "summary", "--json")
    first = invoke(capsys, *flags)
    told = json.loads(first.out)
    assert first.code == 0
    assert told["summary"]["n_messages"] == len(told["summary"]["covered"]) > 0
    assert told["request"][0]["content"] == told["summary"]["text"]
    earlier.write_text(first.out, encoding="utf-8")
    again = json.loads(invoke(capsys, *flags, "--earlier", earlier).out)
    assert again["request"] == told["request"]
    earlier.write_text("{", encoding="utf-8")
    assert "is not JSON" in invoke(capsys, *flags, "--earlier", earlier).err
    earlier.write_text("3", encoding="utf-8")
    assert invoke(capsys, *flags, "--earlier", earlier).code == 2
    told = invoke(capsys, "fit", path, "--max-tokens", 300, "--summary-tokens", 5)
    assert told.code == 1
    assert "no room for a summary" in told.err


def test_results_go_to_the_directory_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "request.json"
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    once = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "word " * 300},
    ]
    path.write_text(json.dumps([TALK[1], *once, *once, TALK[3]]), encoding="utf-8")
    outcome = invoke(capsys, "fit", path, "--max-tokens", 500, "--offload", tmp_path / "files")
    assert outcome.code == 0
    assert "[OFFLOADED] message 2: " in outcome.err
    assert len(list((tmp_path / "files").iterdir())) == 1
    assert len(json.loads(outcome.out)) == len(once) * 2 + 2


def test_examples_and_tools_are_chosen_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, pool = tmp_path / "request.json", tmp_path / "examples.jsonl"
    tools = [
        {"type": "function", "function": {"name": name, "description": said}}
        for name, said in (("weather", "Tells the weather"), ("mail", "Sends a mail"))
    ]
    talk = [TALK[0], {"role": "user", "content": "What is the weather?"}]
    path.write_text(json.dumps({"messages": talk, "tools": tools}), encoding="utf-8")
    pool.write_text('{"input": "Will it rain?", "output": "weather"}', encoding="utf-8")
    flags = ("fit", path, "--examples", pool, "--max-tools", 1)
    told = json.loads(invoke(capsys, *flags, "--json").out)
    assert told["tools"]["kept"] == ["weather"]
    assert told["tools"]["left_out"]["mail"]["code"] == "over_the_number_asked_for"
    assert told["examples"]["kept"] == ["example-1"]
    assert told["ledger"]["few_shot"] == told["examples"]["tokens"]
    assert [each["function"]["name"] for each in told["request"]["tools"]] == ["weather"]
    said = invoke(capsys, *flags)
    assert said.code == 0
    assert "[IN] tool weather: chosen (score " in said.err
    assert "[OUT] tool mail: over_the_number_asked_for" in said.err
    assert "[IN] example example-1: chosen (choice 1: " in said.err
    assert "2 of 2 messages and 2 put in" in said.err
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({**told, "tools": {"kept": ["mail"]}}), encoding="utf-8")
    talk[1]["content"] = "Thanks!"
    path.write_text(json.dumps({"messages": talk, "tools": tools}), encoding="utf-8")
    again = json.loads(invoke(capsys, *flags, "--json", "--earlier", earlier).out)
    assert again["tools"]["kept"] == ["mail"]
    assert invoke(capsys, *flags, "--pin-tool", "x").code == 2
    assert invoke(capsys, *flags, "--examples-form", "poem").code == 2


def test_half_a_tool_call_is_a_warning_and_a_bare_list_comes_back_as_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = [{"role": "tool", "tool_call_id": "x", "content": "1"}, TALK[3]]
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(talk).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    outcome = invoke(capsys, "fit", "-")
    assert outcome.code == 1
    assert json.loads(outcome.out) == [TALK[3]]
    assert "[WARN]" in outcome.err
    assert "broken_call" in outcome.err


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"{", (), "is not JSON"),
        (b"\xff", (), "is not UTF-8"),
        (b"3", (), "holds a number, not a request"),
        (b"[]", ("--policy", "x"), "Unknown history policy 'x'"),
        (json.dumps(TALK).encode(), ("--max-tokens", "9"), "What must stay does not fit into 9"),
        (json.dumps(TALK).encode(), ("--model", "x"), "x"),
    ],
)
def test_errors_are_two_lines(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    outcome = invoke(capsys, "fit", path, *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err.splitlines()[0]
    assert outcome.err.splitlines()[1].startswith("[HINT]")
    assert invoke(capsys, "fit", tmp_path / "none.json").code == 2


def test_notes_and_rooms_are_told_and_written(
    request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes, sections = tmp_path / "notes.jsonl", tmp_path / "sections.yaml"
    notes.write_text(
        '{"id": "old", "text": "Likes \\u001b[31m tea.", "key": "drink", "timestamp": 0}\n'
        '{"id": "new", "text": "Likes mate.", "key": "drink", "timestamp": "2026-01-01"}\n',
        encoding="utf-8",
    )
    sections.write_text("rules: {text: 'Be kind.'}\n", encoding="utf-8")
    given = ("fit", request_file, "--max-tokens", 150, "--memory", notes, "--sections", sections)
    outcome = invoke(capsys, *given, "--as-of", "2026-01-15")
    assert outcome.code == 0
    said = json.loads(outcome.out)["messages"][-1]["content"]
    assert said.startswith('<section name="rules">\nBe kind.\n</section>\n<memory>\n')
    assert said.endswith('<note date="2026-01-01">Likes mate.</note>\n</memory>\nAnd now?')
    assert "[OUT] note old: superseded (by new: key drink)" in outcome.err
    assert "[NOTE] note new: in (rank 1 of 1: " in outcome.err
    assert "[ROOM] memory: asked " in outcome.err
    document = json.loads(invoke(capsys, *given, "--json").out)
    assert [note["note_id"] for note in document["memory"]] == ["new", "old"]
    assert {each["section"] for each in document["sections"]} >= {"memory", "rules", "history"}
    again = tmp_path / "again.json"
    again.write_text(outcome.out, encoding="utf-8")
    assert invoke(capsys, "fit", again, *given[2:], "-q").out == outcome.out


def test_a_bad_note_is_an_error_with_its_line(
    request_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"id": "a", "texts": "Tea."}\n', encoding="utf-8")
    outcome = invoke(capsys, "fit", request_file, "--memory", notes)
    assert outcome.code == 2
    assert outcome.err.splitlines() == [
        f"[ERROR] A note has the unknown field 'texts', {notes} line 1",
        "[HINT] Did you mean text?",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("null", "holds null, not a request"),
        ('"Hi"', "holds text, not a request"),
        (
            '{"messages": []}\n{"messages": []}\n',
            "is not JSON: it is JSON Lines, with one",
        ),
        ("[" * 100_000, "is not JSON: it is nested too deep"),
    ],
)
def test_a_file_that_holds_no_request_is_named(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "given.json"
    path.write_text(text, encoding="utf-8")
    outcome = invoke(capsys, "fit", path)
    assert outcome.code == 2
    assert outcome.err.startswith(f"[ERROR] {path} {said}")


def test_a_cap_of_tools_says_where_there_are_none(
    request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "[INFO] The request defines no tools to choose from"
    assert told in invoke(capsys, "fit", request_file, "--max-tools", 3).err
    assert told not in invoke(capsys, "fit", request_file).err


@pytest.mark.parametrize("asked", [128_000, 127_999])
def test_an_answer_that_takes_the_window_is_named_as_the_reason(
    asked: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "given.json"
    body = {"model": "gpt-4o", "max_tokens": asked, "messages": [{"role": "user", "content": "Hi"}]}
    path.write_text(json.dumps(body), encoding="utf-8")
    outcome = invoke(capsys, "fit", path)
    assert outcome.code == 2
    assert f"the window of gpt-4o, 128000 tokens, {asked} are kept for the answer" in outcome.err
    assert "[HINT] Lower the limit of the answer in the request" in outcome.err
    assert "kept for the answer" not in invoke(capsys, "fit", path, "--max-tokens", 1).err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--pin-tool", "zz"), "There is no tool 'zz' to pin"),
        (("--as-of", "never"), "as_of 'never' is not a date"),
        (("--model", ""), "Unknown model ''"),
    ],
)
def test_a_flag_that_cannot_be_used_is_refused(
    flags: tuple[str, ...],
    said: str,
    request_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = invoke(capsys, "fit", request_file, *flags)
    assert outcome.code == 2
    assert said in outcome.err
