"""Reads logs of requests line by line: the request, and the prompt tokens that were reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packhorse.errors import InputError
from packhorse.ingest.lines import MAX_LINE_BYTES, utf8_lines
from packhorse.ingest.strict_json import parse_object
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.usage.reported import NotInLogError, Reported, UsageError, reported_usage

__all__ = ["BadLine", "LogReport", "LoggedRequest", "read_log"]

ELSEWHERE = ("previous_response_id", "conversation", "cachedContent", "cached_content")
"""Fields of a request that stand for earlier messages, which the provider keeps."""

MAX_KEPT = 100
"""Bad lines that are kept by name; the rest is counted."""

QUOTED = re.compile(r"'[^']{25,}'|\"[^\"]{25,}\"")
"""What a reason quotes and is longer than a name: a piece of a text."""

MAX_REASON = 200
MODELS = ("model", "modelVersion", "model_version")


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that cannot be used, without any of its texts."""

    path: str
    line: int
    reason: str


@dataclass(slots=True, kw_only=True)
class LogReport:
    """Collects what was read and what was passed over. Mutable: one follows several files."""

    n_lines: int = 0
    """Lines that are not blank."""
    n_without_usage: int = 0
    """Requests whose response reports no prompt tokens."""
    n_elsewhere: int = 0
    """Requests of which a part is with the provider and not in the log."""
    n_bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)
    """The first of the bad lines, in the order of the log."""

    def reject(self, path: Path, line: int, reason: str, *, skip: bool) -> None:
        """Lists a bad line, or raises InputError when bad lines are not to be skipped."""
        bad = BadLine(path=str(path), line=line, reason=without_texts(reason))
        if not skip:
            raise InputError(
                f"{bad.reason}, {bad.path} line {bad.line}",
                hint="Correct the line, or pass --skip-bad-lines to go on without it",
            )
        self.n_bad += 1
        if len(self.bad_lines) < MAX_KEPT:
            self.bad_lines.append(bad)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request of a log, and what its provider said about it."""

    path: Path
    line: int
    body: Mapping[str, Any]
    reported: Reported
    model: str | None
    """As the request or else the response names it."""
    form: str
    """`openai-chat`, `openai-responses`, `anthropic-messages` or `gemini-contents`."""
    day: str | None
    """ISO 8601, in UTC."""


def read_log(
    paths: Sequence[Path],
    *,
    report: LogReport,
    skip_bad_lines: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> Iterator[LoggedRequest]:
    """Yields the requests that report a usage, holding one line at a time.

    Args:
        paths: UTF-8 files of one JSON object a line; blank lines are passed over.
        report: takes what was passed over.
        skip_bad_lines: go on after a bad line and list it in `report`, instead of raising.
        advance: called with the size of each line in bytes.

    Raises:
        InputError: a file that cannot be read, or a bad line, unless they are skipped.
    """
    for path in paths:
        for number, line in utf8_lines(path):
            advance(MAX_LINE_BYTES if line is None else len(line))
            if line is not None and line.isspace():
                continue
            report.n_lines += 1
            try:
                found = _logged(_parsed(line), path, number, report)
            except ValueError as error:
                report.reject(path, number, str(error), skip=skip_bad_lines)
                continue
            if found is not None:
                yield found


def _parsed(line: bytes | None) -> dict[str, object]:
    if line is None:
        raise ValueError(f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start + 1} of the line") from error
    return parse_object(text.removeprefix("\ufeff").strip())


def _logged(
    line: Mapping[str, Any], path: Path, number: int, report: LogReport
) -> LoggedRequest | None:
    """The request of a line; None when it is of no use here, which the report then says."""
    body = line.get("request")
    if body is None and any(key in line for key in ("messages", "contents", "input")):
        # A bare request body: its response was never logged.
        body = line
    if not isinstance(body, Mapping):
        raise ValueError("the line has no `request`")  # noqa: TRY004 - it is data
    try:
        reported = reported_usage(line)
    except NotInLogError:
        report.n_elsewhere += 1
        return None
    except UsageError as error:
        raise ValueError(str(error)) from error
    if reported is None:
        report.n_without_usage += 1
        return None
    if any(body.get(key) is not None for key in ELSEWHERE) or isinstance(
        body.get("prompt"), Mapping
    ):
        report.n_elsewhere += 1
        return None
    return LoggedRequest(
        path=path,
        line=number,
        body=body,
        reported=reported,
        model=_model(body, line.get("response")),
        form=_form(body, reported),
        day=_day(line.get("timestamp")),
    )


def _model(body: Mapping[str, Any], response: Any) -> str | None:
    for place in (body, response if isinstance(response, Mapping) else {}):
        for name in MODELS:
            if isinstance(place.get(name), str) and place[name]:
                # Gemini writes the address of the model.
                return str(place[name]).removeprefix("models/")
    return None


def _form(body: Mapping[str, Any], reported: Reported) -> str:
    if "contents" in body:
        return "gemini-contents"
    if "messages" in body:
        return "anthropic-messages" if reported.dialect == "anthropic" else "openai-chat"
    return "openai-responses"


def _day(timestamp: object) -> str | None:
    """The day of a line; a time that nobody can read is no reason to lose the line."""
    if timestamp is None:
        return None
    try:
        return parse_timestamp(timestamp).date().isoformat()
    except ValueError:
        return None


def without_texts(reason: str) -> str:
    """A reason in one line, of which no quotation is longer than a name."""
    shown = QUOTED.sub("'...'", " ".join(reason.split()))
    shown = "".join(char if char.isprintable() else "?" for char in shown)
    return shown if len(shown) <= MAX_REASON else f"{shown[:MAX_REASON]}..."
