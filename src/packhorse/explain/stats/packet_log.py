"""Packets from files, folders and logs, one at a time; what is no packet is named and counted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.lines import MAX_LINE_BYTES, utf8_lines
from packhorse.packet.files import PACKET_FILE
from packhorse.packet.packet import Packet

__all__ = ["Found", "NotRead", "ReadReport", "found_files", "read_packets"]

LOGS = (".jsonl", ".ndjson")

MAX_LISTED = 100
"""Places that were not read are listed up to here and counted beyond."""

MAX_REASON = 300

TAKE_IT_OUT = "Take it out, or pass --skip-bad to go on without what is no packet"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """A file or line that is no usable packet."""

    path: str
    line: int | None
    """1-based; None for a whole file."""
    reason: str


@dataclass(slots=True, kw_only=True)
class ReadReport:
    """Collects what was read. Mutable: one follows all files."""

    n_packets: int = 0
    n_files: int = 0
    n_not_read: int = 0
    not_read: list[NotRead] = field(default_factory=list)
    """The first of them, by path and line."""

    def reject(
        self, path: Path, line: int | None, reason: str, *, skip: bool, hint: str = TAKE_IT_OUT
    ) -> None:
        """Lists what is no packet, or raises InputError when that is not to be skipped."""
        where = str(path) if line is None else f"{path} line {line}"
        if not skip:
            raise InputError(f"{reason}, {where}", hint=hint)
        self.n_not_read += 1
        if len(self.not_read) < MAX_LISTED:
            shown = reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 3]}..."
            self.not_read.append(NotRead(path=str(path), line=line, reason=shown))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file to read, or a place at which there is none."""

    path: Path
    size_bytes: int
    problem: str = ""
    """Why there is nothing to read; empty for a file."""


def found_files(paths: Sequence[Path]) -> tuple[Found, ...]:
    """Each file once, sorted by path: the files given, and the packets below the folders given.

    One that is reached by several paths has the first of them, in the order of paths.
    Links to folders are not followed. A folder without a packet and a path without a file are
    listed with their problem.
    """
    found: dict[str, Found] = {}
    named = (each for path in paths for each in _below(path))
    for each in sorted(named, key=lambda each: str(each.path)):
        found.setdefault(os.path.realpath(each.path), each)
    return tuple(found.values())


def _below(path: Path) -> Iterator[Found]:
    if not path.is_dir():
        try:
            yield Found(path=path, size_bytes=path.stat().st_size)
        except OSError as error:
            problem = f"Cannot read it: {error.strerror or error}"
            yield Found(path=path, size_bytes=0, problem=problem)
        return
    n_files = 0
    for folder, _, names in os.walk(path):
        if PACKET_FILE in names:
            file = Path(folder, PACKET_FILE)
            n_files += 1
            yield Found(path=file, size_bytes=file.stat().st_size if file.exists() else 0)
    if not n_files:
        yield Found(path=path, size_bytes=0, problem=f"No {PACKET_FILE} in the folder")


def read_packets(
    files: Sequence[Found], report: ReadReport, *, skip_bad: bool = False
) -> Iterator[tuple[Packet, int]]:
    """Yields every packet and the bytes it took, each checked as `Packet.from_json` checks.

    A file ending in .jsonl or .ndjson, or of which the first line is a whole JSON object, is a
    log: a packet a line, or an object that holds one as `packet`; blank lines are passed over.
    Any other file is one packet.

    Raises:
        InputError: something is no packet, with its place; not when `skip_bad` is set.
    """
    for found in files:
        if found.problem:
            hint = TAKE_IT_OUT if found.path.exists() else "Check the path"
            report.reject(found.path, None, found.problem, skip=skip_bad, hint=hint)
            continue
        report.n_files += 1
        for line, data in _documents(found, report, skip=skip_bad):
            try:
                packet = Packet.from_json(data)
            except InputError as error:
                report.reject(found.path, line, error.message, skip=skip_bad)
                continue
            report.n_packets += 1
            yield packet, len(data)


def _documents(
    found: Found, report: ReadReport, *, skip: bool
) -> Iterator[tuple[int | None, bytes | str]]:
    """(line, what should be a packet); line is None for a file that is one."""
    path = found.path
    is_log = path.suffix.lower() in LOGS
    try:
        for number, line in utf8_lines(path):
            if line is None:
                report.reject(path, number, f"longer than {MAX_LINE_BYTES} bytes", skip=skip)
            elif line.strip():
                if not is_log and not _is_object(line):
                    yield None, _whole(found)
                    return
                is_log = True
                yield number, _unwrapped(line)
        if not is_log:
            report.reject(path, None, "The file is empty", skip=skip)
    except InputError as error:
        if not skip:
            raise
        report.reject(path, None, error.message, skip=skip)


def _whole(found: Found) -> bytes:
    if found.size_bytes > MAX_LINE_BYTES:
        raise InputError(
            f"{found.path} is larger than {MAX_LINE_BYTES} bytes",
            hint="A log of packets has one packet a line",
        )
    try:
        return found.path.read_bytes()
    except OSError as error:
        raise InputError(
            f"Cannot read {found.path}: {error.strerror or error}",
            hint="Check the path and its permissions",
        ) from error


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _unwrapped(line: bytes) -> bytes | str:
    """The packet of a log line that holds it beside other fields; else the line."""
    if b'"packet"' not in line:
        return line
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if isinstance(entry, dict) and "schema_version" not in entry and "packet" in entry:
        return json.dumps(entry["packet"])
    return line
