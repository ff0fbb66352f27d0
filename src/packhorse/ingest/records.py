"""Strict, streaming reader of chunks.jsonl: one JSON object a line, one chunk an object."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from packhorse.errors import ChunkError
from packhorse.ingest.lines import MAX_LINE_BYTES, utf8_lines
from packhorse.ingest.record import BadRecordError, RecordReader, shown
from packhorse.ingest.report import IngestReport
from packhorse.ingest.strict_json import parse_object
from packhorse.ingest.visible import has_visible_text
from packhorse.types.chunk import Chunk

__all__ = ["IngestReport", "holds_records", "read_chunks"]

LOOKED_AT = 20
"""Lines that are looked at to tell records from other JSON lines."""


def read_chunks(
    path: Path,
    *,
    skip_bad_lines: bool = False,
    report: IngestReport | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Iterator[Chunk]:
    """Yields the chunks of a file in its order, holding one line and the ids seen so far.

    Blank lines are passed over. A record whose text has no visible character is passed over and
    reported. Keys that are not of the format go to `metadata`.

    Args:
        path: UTF-8 file, with or without a byte order mark, lines ended by LF or CRLF.
        skip_bad_lines: go on after a bad record and list it in `report`, instead of raising.
        report: takes what was read, passed over and changed.
        max_line_bytes: a longer line is a bad record; it is never held whole.

    Raises:
        InputError: the file cannot be read, is binary, or is UTF-16 or UTF-32.
        ChunkError: a bad record, unless they are skipped.
    """
    report = report if report is not None else IngestReport()
    first_lines: dict[str, int] = {}
    for number, line in utf8_lines(path, max_line_bytes):
        try:
            if line is not None and line.isspace():
                continue
            record = RecordReader(_parsed(line, max_line_bytes))
            chunk = record.chunk()
            _claim_id(chunk.chunk_id, number, first_lines)
        except BadRecordError as bad:
            if not skip_bad_lines:
                raise ChunkError(str(path), number, bad.reason, hint=bad.hint) from bad.__cause__
            report.bad_lines.append((str(path), number, bad.reason))
            continue
        if record.replaced_surrogates:
            report.replaced_surrogates.append(chunk.chunk_id)
        if not has_visible_text(chunk.text):
            report.skipped_empty.append(chunk.chunk_id)
            report.n_empty_records += 1
            continue
        report.n_read += 1
        yield chunk


def holds_records(path: Path) -> bool:
    """Whether one of the first lines is an object with a chunk_id, good or bad otherwise.

    Raises:
        InputError: the file cannot be read, is binary, or is UTF-16 or UTF-32.
    """
    lines = (line for _, line in utf8_lines(path) if line is None or not line.isspace())
    for line in islice(lines, LOOKED_AT):
        try:
            if "chunk_id" in _parsed(line, MAX_LINE_BYTES):
                return True
        except BadRecordError:
            continue
    return False


def _parsed(line: bytes | None, max_line_bytes: int) -> dict[str, object]:
    if line is None:
        raise BadRecordError(f"the line is longer than {max_line_bytes} bytes")
    if b"\0" in line:
        raise BadRecordError(f"NUL byte at byte {line.index(0) + 1} of the line")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise BadRecordError(
            f"not UTF-8 at byte {exc.start + 1} of the line ({exc.reason})"
        ) from exc
    if text.startswith("\ufeff"):
        raise BadRecordError(
            "a byte order mark inside the file",
            hint="Files were joined with their marks; take the mark off the start of this line",
        )
    try:
        return parse_object(text.strip())
    except ValueError as exc:
        raise BadRecordError(str(exc)) from exc


def _claim_id(chunk_id: str, number: int, first_lines: dict[str, int]) -> None:
    first = first_lines.setdefault(chunk_id, number)
    if first != number:
        raise BadRecordError(
            f"chunk_id {shown(chunk_id)} was used before, on line {first}",
            hint="Give each record an id of its own, or pass --skip-bad-lines to keep the first",
        )
