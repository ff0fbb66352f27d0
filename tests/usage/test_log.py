"""Logs are read line by line; what cannot be used says where and why, without any text."""

import json
from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.usage.log import LoggedRequest, LogReport, read_log, without_texts

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
USAGE = {"usage": {"prompt_tokens": 8}}
SECRET = "the patient's name is Ada Lovelace and nobody may know it"


def written(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "log.jsonl"
    data = [line if isinstance(line, bytes) else json.dumps(line).encode("utf-8") for line in lines]
    path.write_bytes(b"\n".join(data) + b"\n")
    return path


def read(path: Path, *, skip: bool = False) -> tuple[list[LoggedRequest], LogReport]:
    report = LogReport()
    return list(read_log([path], report=report, skip_bad_lines=skip)), report


def test_both_forms_of_a_line_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"timestamp": "2026-10-01T23:30:00-02:00", "request": CHAT, "response": USAGE},
        {"request": CHAT, **USAGE},
    )
    (first, second), report = read(path)
    assert (first.line, first.model, first.form, first.day) == (
        1,
        "gpt-4o",
        "openai-chat",
        "2026-10-02",
    )
    assert (second.line, second.day, second.reported.tokens) == (2, None, 8)
    assert report.n_lines == 2


@pytest.mark.parametrize(
    ("body", "usage", "form"),
    [
        (CHAT, {"prompt_tokens": 1}, "openai-chat"),
        (CHAT, {"input_tokens": 1, "cache_read_input_tokens": 0}, "anthropic-messages"),
        ({"input": "Hi"}, {"input_tokens": 1, "input_tokens_details": {}}, "openai-responses"),
        ({"contents": "Hi"}, {"promptTokenCount": 1}, "gemini-contents"),
    ],
)
def test_the_format_is_told_from_request_and_usage(
    tmp_path: Path, body: dict[str, Any], usage: dict[str, Any], form: str
) -> None:
    (logged,), _ = read(written(tmp_path, {"request": body, "usage": usage}))
    assert logged.form == form


def test_the_model_may_stand_in_the_response(tmp_path: Path) -> None:
    body = {"contents": [{"parts": [{"text": "Hi"}]}]}
    response = {"modelVersion": "gemini-2.5-pro", "usageMetadata": {"promptTokenCount": 2}}
    (logged,), _ = read(written(tmp_path, {"request": body, "response": response}))
    assert logged.model == "gemini-2.5-pro"
    named = {**body, "model": "models/gemini-2.5-flash"}
    (logged,), _ = read(written(tmp_path, {"request": named, "response": response}))
    assert logged.model == "gemini-2.5-flash"


def test_what_cannot_be_compared_is_passed_over_and_counted(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        CHAT,
        {"request": CHAT, "response": {"error": {"code": 429}}},
        {"request": {"input": "x", "previous_response_id": "r1"}, "usage": {"input_tokens": 4}},
        {"request": {"input": "x", "prompt": {"id": "p1"}}, "usage": {"input_tokens": 4}},
        {"request": {"contents": "x", "cachedContent": "c"}, "usage": {"promptTokenCount": 4}},
        {
            "request": CHAT,
            "usage": {"input_tokens": 4, "server_tool_use": {"web_search_requests": 1}},
        },
        b"   ",
        {"request": CHAT, **USAGE},
    )
    logged, report = read(path)
    assert [each.line for each in logged] == [8]
    assert (report.n_lines, report.n_without_usage, report.n_elsewhere) == (7, 2, 4)
    assert report.n_bad == 0


BAD = [
    (b"{", "not valid JSON"),
    (b"[1]", "not a JSON object"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b'{"request": 3, "usage": {"prompt_tokens": 1}}', "no `request`"),
    (b"{}", "no `request`"),
    (b'{"request": {"messages": []}, "usage": {"prompt_tokens": -1}}', "negative"),
    (b'{"request": {"messages": []}, "usage": {"prompt_tokens": NaN}}', "NaN"),
    (b'{"request": {"messages": [], "messages": []}}', "stands twice"),
    (b'{"request": ' + b"[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_bad_line_is_named_or_skipped(tmp_path: Path, line: bytes, reason: str) -> None:
    good = json.dumps({"request": CHAT, **USAGE}).encode("utf-8")
    path = written(tmp_path, good, line, good)
    with pytest.raises(InputError) as caught:
        read(path)
    assert reason in caught.value.message
    assert f"{path} line 2" in caught.value.message
    assert "--skip-bad-lines" in caught.value.hint
    logged, report = read(path, skip=True)
    assert [each.line for each in logged] == [1, 3]
    assert (report.n_bad, report.bad_lines[0].line) == (1, 2)


def test_many_bad_lines_are_counted_and_few_are_kept(tmp_path: Path) -> None:
    _, report = read(written(tmp_path, *[b"{"] * 1000), skip=True)
    assert report.n_bad == 1000
    assert len(report.bad_lines) == 100


def test_a_byte_order_mark_and_crlf_are_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    line = json.dumps({"request": CHAT, **USAGE}).encode("utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n" + line)
    assert [each.line for each in read(path)[0]] == [1, 2]


def test_a_time_that_nobody_can_read_loses_no_line(tmp_path: Path) -> None:
    (logged,), _ = read(written(tmp_path, {"timestamp": "soon", "request": CHAT, **USAGE}))
    assert logged.day is None


def test_reasons_hold_no_texts() -> None:
    assert without_texts(f"the key {SECRET!r} stands twice") == "the key '...' stands twice"
    assert without_texts(f'bad: "{SECRET.replace(chr(39), "")}"') == "bad: '...'"
    assert "\x1b" not in without_texts("model \x1b[31m")
    assert len(without_texts("x" * 10_000)) < 210


def test_the_size_of_every_line_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, {"request": CHAT, **USAGE}, CHAT)
    sizes: list[int] = []
    list(read_log([path], report=LogReport(), advance=sizes.append))
    assert sum(sizes) == path.stat().st_size


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        read(tmp_path / "nowhere.jsonl")


def test_a_line_beyond_the_limit_is_a_bad_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, b'{"request": "' + b"x" * 5000 + b'"}', {"request": CHAT, **USAGE})
    monkeypatch.setattr(
        "packhorse.usage.log.utf8_lines", lambda file: utf8_lines(file, max_bytes=1000)
    )
    logged, report = read(path, skip=True)
    assert [each.line for each in logged] == [2]
    assert "longer than" in report.bad_lines[0].reason
