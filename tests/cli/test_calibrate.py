"""`packhorse calibrate`: a table, a file, and counts that then equal what is reported."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from packhorse.errors import InputError
from packhorse.packet.packet import Packet
from packhorse.packet.schema import packet_schema
from packhorse.usage.fit import Correction
from tests.cli.command import invoke
from tests.usage.hidden import Provider, write_log

RULE = Correction(per_request=2, per_message=1, with_tools=9, per_tool=4)

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "requests.jsonl", Provider("gpt-4o", rule=RULE).lines(60))


def test_a_log_becomes_a_file_and_counts_equal_the_reported_usage(
    tmp_path: Path, log: Path, capsys: Capture
) -> None:
    out = tmp_path / "calibration.yaml"
    done = invoke(capsys, "calibrate", log, "--out", out)
    assert done.code == 0, done.err
    assert "[PASS] gpt-4o: +2 a request, +1 a message, +9 once with tools, +4 a tool" in done.err
    assert "none too low" in done.err
    later = Provider("gpt-4o", rule=RULE, seed=99)
    for _ in range(10):
        body = later.body()
        path = tmp_path / "r.json"
        path.write_text(json.dumps(body), encoding="utf-8")
        counted = invoke(capsys, "count", "--messages", path, "--models-file", out, "--json")
        document = json.loads(counted.out)
        assert document["total_tokens"] == later.tokens(body)
        before = json.loads(invoke(capsys, "count", "--messages", path, "--json").out)
        assert document["calibration"] == document["total_tokens"] - before["total_tokens"]
        assert "calibration" not in before


def test_count_shows_the_correction_inside_the_overhead(
    tmp_path: Path, log: Path, capsys: Capture
) -> None:
    out = tmp_path / "calibration.yaml"
    invoke(capsys, "calibrate", log, "--out", out, "-q")
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hi"}]), encoding="utf-8")
    counted = invoke(capsys, "count", "--messages", path, "--models-file", out)
    assert "message_overhead (of which calibration +3)" in counted.out
    assert "11  total" in " ".join(counted.out.split("\n"))


def test_a_packet_is_corrected_says_so_and_costs_what_the_provider_reports(
    tmp_path: Path, fixtures_dir: Path, capsys: Capture
) -> None:
    provider = Provider("gpt-4o", rule=RULE, with_system=0.5)
    corrections, out = tmp_path / "calibration.yaml", tmp_path / "packet"
    log = write_log(tmp_path / "l.jsonl", provider.lines(80))
    assert invoke(capsys, "calibrate", log, "--out", corrections).code == 0
    asked = ("pack", "--query", "Can I deduct home office expenses?", "--budget", 2800)
    kb = ("--kb", fixtures_dir / "tax_kb", "--out", out)
    done = invoke(capsys, *asked, *kb, "--models-file", corrections)
    assert done.code == 0
    line = "[INFO] Calibration: +4 in message_overhead=15, from 80 logged requests, 2026-10-01 to"
    assert line in done.out
    packet = Packet.from_json((out / "context_packet.json").read_bytes())
    budget = packet.budget
    assert (budget.calibration, budget.message_overhead) == (4, 15)
    assert (
        budget.fixed + budget.output_reservation + budget.available_evidence == budget.total_window
    )
    told = packet.document["tokenizer"]["calibration"]
    assert told["samples"] == 80
    assert told["spread"] == [0, 0]
    assert told["outside"] == []
    assert not list(Draft202012Validator(packet_schema()).iter_errors(packet.to_dict()))
    body = json.loads((out / "messages.json").read_text(encoding="utf-8"))
    assert provider.tokens(body) == budget.fixed + budget.packed_evidence
    plain = Packet.from_json(invoke(capsys, *asked, *kb[:2], "--json").out)
    assert plain.budget.available_evidence == budget.available_evidence + 4
    assert "calibration" not in plain.document["tokenizer"]
    assert "calibration" not in plain.document["budget"]


def test_a_packet_unlike_every_logged_request_is_a_warning(
    tmp_path: Path, fixtures_dir: Path, log: Path, capsys: Capture
) -> None:
    corrections = tmp_path / "calibration.yaml"
    invoke(capsys, "calibrate", log, "--out", corrections)
    done = invoke(
        capsys,
        *("pack", "--query", "Can I deduct home office expenses?", "--budget", 2800),
        *("--kb", fixtures_dir / "tax_kb", "--models-file", corrections, "--json"),
    )
    assert done.code == 1
    assert "[WARN] This request is unlike those of the calibration" in done.err
    assert "1 system message, seen 0" in done.err
    packet = Packet.from_json(done.out)
    assert packet.document["tokenizer"]["calibration"]["outside"] == ["1 system message, seen 0"]


def test_a_packet_whose_calibration_is_more_than_its_overhead_is_refused(
    tmp_path: Path, fixtures_dir: Path, log: Path, capsys: Capture
) -> None:
    corrections = tmp_path / "calibration.yaml"
    invoke(capsys, "calibrate", log, "--out", corrections)
    done = invoke(
        capsys,
        *("pack", "--query", "Can I deduct home office expenses?", "--budget", 2800),
        *("--kb", fixtures_dir / "tax_kb", "--models-file", corrections, "--json"),
    )
    document = json.loads(done.out)
    document["budget"]["calibration"] = document["budget"]["message_overhead"] + 1
    with pytest.raises(InputError, match="calibration beyond message_overhead"):
        Packet.from_json(json.dumps(document))


def test_models_shows_the_correction(tmp_path: Path, log: Path, capsys: Capture) -> None:
    out = tmp_path / "calibration.yaml"
    invoke(capsys, "calibrate", log, "--out", out, "-q")
    shown = invoke(capsys, "models", "gpt-4o", "--models-file", out).out
    assert "+2 a request, +1 a message" in shown
    assert "60 different requests" in shown
    as_json = json.loads(invoke(capsys, "models", "gpt-4o", "--models-file", out, "--json").out)
    assert as_json["models"][0]["calibration"]["samples"] == 60


def test_the_table_is_at_most_a_hundred_columns(tmp_path: Path, capsys: Capture) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(20)
    lines += Provider("claude-sonnet-4-5", factor=0.4, longest=3000).lines(12)
    done = invoke(capsys, "calibrate", write_log(tmp_path / "l.jsonl", lines))
    rows = done.out.splitlines()
    assert rows[0].split()[:3] == ["MODEL,", "FORMAT", "REQUESTS"]
    assert any(row.startswith("  with tools") for row in rows)
    assert max(map(len, (*rows, *done.err.splitlines()))) <= 100
    assert "\x1b" not in done.out + done.err


def test_a_refusal_writes_nothing_and_says_why(tmp_path: Path, capsys: Capture) -> None:
    log = write_log(tmp_path / "l.jsonl", Provider("gpt-4o", rule=RULE).lines(5))
    out = tmp_path / "c.yaml"
    out.write_text("before", encoding="utf-8")
    done = invoke(capsys, "calibrate", log, "--out", out)
    assert done.code == 2
    assert "Too few different requests: 5" in done.err
    assert "[ERROR] Nothing was written" in done.err
    assert out.read_text(encoding="utf-8") == "before"
    assert "gpt-4o, openai-chat" in done.out
    assert invoke(capsys, "calibrate", log).code == 1


def test_one_model_may_be_corrected_while_another_is_not(tmp_path: Path, capsys: Capture) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(30) + Provider("gpt-4").lines(3)
    out = tmp_path / "c.yaml"
    done = invoke(capsys, "calibrate", write_log(tmp_path / "l.jsonl", lines), "--out", out)
    assert done.code == 1
    assert "[WARN] gpt-4: no correction" in done.err
    text = out.read_text(encoding="utf-8")
    assert "gpt-4o:" in text
    assert "gpt-4:" not in text


def test_bad_lines_stop_it_or_are_listed(log: Path, capsys: Capture) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write("{\n" * 8)
    done = invoke(capsys, "calibrate", log)
    assert done.code == 2
    assert f"{log} line 61" in done.err
    done = invoke(capsys, "calibrate", log, "--skip-bad-lines")
    assert done.code == 1
    assert done.err.count("[WARN] Left out: not valid JSON") == 5
    assert "3 bad lines more" in done.err


def test_json_is_one_document_and_everything_else_is_on_stderr(log: Path, capsys: Capture) -> None:
    done = invoke(capsys, "calibrate", log, "--json")
    document = json.loads(done.out)
    assert document["counted"] == 60
    (model,) = document["models"]
    assert model["calibration"]["per_request"] == 2
    assert model["after"]["exact"] == 1.0
    assert {each["kind"] for each in model["differences"]} == {"all", "plain", "with tools"}
    assert model["differences"][0]["worst"][0]["path"] == str(log)


@pytest.mark.parametrize(
    "arguments",
    [(), ("nowhere.jsonl",), ("--cover", "1.5"), ("--cover", "nan"), ("--model", "gpt-99")],
)
def test_bad_usage_is_two_lines(log: Path, arguments: tuple[str, ...], capsys: Capture) -> None:
    given: tuple[Any, ...] = (
        ("calibrate", *arguments)
        if not arguments or arguments[0] == "nowhere.jsonl"
        else ("calibrate", log, *arguments)
    )
    done = invoke(capsys, *given)
    assert done.code == 2
    assert [line.split("]")[0] for line in done.err.splitlines()] == ["[ERROR", "[HINT"]


def test_the_log_is_never_written_over_and_never_a_pipe(log: Path, capsys: Capture) -> None:
    before = log.read_bytes()
    assert invoke(capsys, "calibrate", log, "--out", log).code == 2
    assert log.read_bytes() == before
    pipe = log.with_name("pipe")
    os.mkfifo(pipe)
    done = invoke(capsys, "calibrate", pipe)
    assert "not a file" in done.err


def test_a_table_of_the_users_is_never_written_over(
    tmp_path: Path, log: Path, capsys: Capture
) -> None:
    own = tmp_path / "models.yaml"
    own.write_text("models:\n  gpt-4o: {max_output: 9}\n", encoding="utf-8")
    before = own.read_bytes()
    done = invoke(capsys, "calibrate", log, "--models-file", own, "--out", own)
    assert done.code == 2
    assert "is the --models-file itself" in done.err
    assert own.read_bytes() == before


def test_what_was_passed_over_is_said(tmp_path: Path, capsys: Capture) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(30)
    odd = [{**line, "request": {**line["request"], "model": "acme-7b"}} for line in lines[:2]]
    odd.append({"request": lines[0]["request"], "response": {"error": {}}})
    log = write_log(tmp_path / "l.jsonl", [*lines, *odd])
    done = invoke(capsys, "calibrate", log)
    assert done.code == 1
    assert "[WARN] Unknown model acme-7b: 2 requests left out" in done.err
    assert "[INFO] Passed over: 1 request without a reported usage" in done.err


def test_a_margin_is_said_from_and_to(tmp_path: Path, capsys: Capture) -> None:
    lines = Provider("claude-sonnet-4-5", factor=0.85, longest=900).lines(120)
    out = tmp_path / "c.yaml"
    done = invoke(capsys, "calibrate", write_log(tmp_path / "l.jsonl", lines), "--out", out)
    assert done.code == 0, done.err
    assert "[PASS] claude-sonnet-4-5: margin 35% -> " in done.err
    text = tmp_path / "t.txt"
    text.write_text("the ledger of tokens " * 100, encoding="utf-8")
    flags = ("count", text, "--model", "claude-sonnet-4-5", "--offline", "-q")
    before = int(invoke(capsys, *flags).out)
    assert int(invoke(capsys, *flags, "--models-file", out).out) < before


class Terminal(io.StringIO):
    """Standard error of somebody who watches."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_over_both_readings(
    log: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    invoke(capsys, "calibrate", log)
    assert "Counting" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
    quiet = Terminal()
    monkeypatch.setattr("sys.stderr", quiet)
    invoke(capsys, "calibrate", log, "--json", "-q")
    assert quiet.getvalue() == ""


def test_a_log_that_shows_nothing_says_what_was_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
    lines = [{"request": request, "usage": {"prompt_tokens": 0}}, {"request": 5}]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    outcome = invoke(capsys, "calibrate", path, "--skip-bad-lines")
    assert outcome.code == 2
    assert "2 lines: 1 report no prompt tokens, or 0; 1 bad, the first in line 2" in outcome.err
