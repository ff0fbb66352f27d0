"""Lines of a UTF-8 file, one at a time, in bounded memory."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from packhorse.errors import InputError
from packhorse.ingest.decode import unmarked_encoding

__all__ = ["MAX_LINE_BYTES", "BinaryFileError", "refuse_other_encodings", "utf8_lines"]

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is passed over without being read whole."""

SNIFFED_BYTES = 8192
SKIP_BYTES = 1024 * 1024
OTHER_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class BinaryFileError(InputError):
    """A file that holds no text of any encoding."""


def utf8_lines(path: Path, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """Yields (1-based number, bytes with the line end) for each line; None for one over the limit.

    A byte order mark at the start of the file is taken off. Only LF ends a line.

    Raises:
        InputError: the file cannot be opened, is binary, or is UTF-16 or UTF-32.
    """
    try:
        with path.open("rb") as file:
            refuse_other_encodings(file.peek(SNIFFED_BYTES)[:SNIFFED_BYTES], path)
            yield from _numbered(file, max_bytes)
    except OSError as exc:
        raise InputError(
            f"Cannot read {path}: {exc.strerror or exc}", hint="Check the path and its permissions"
        ) from exc


def _numbered(file: BinaryIO, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    number = 0
    while line := file.readline(max_bytes + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) <= max_bytes or line.endswith(b"\n"):
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(SKIP_BYTES)
        yield number, None


def refuse_other_encodings(head: bytes, path: Path) -> None:
    """Raises InputError when the first bytes of a file are those of UTF-16, UTF-32 or no text."""
    hint = "Convert it first, for example: iconv -f {} -t UTF-8 {}"
    for mark, name in OTHER_MARKS:
        if head.startswith(mark):
            raise InputError(f"{path} is {name} text, not UTF-8", hint=hint.format(name, path.name))
    if b"\0" not in head:
        return
    if name := unmarked_encoding(head):
        # Without a mark the order of the bytes has to be named.
        order = "LE" if head[0] else "BE"
        raise InputError(
            f"{path} looks like {name} text without a mark, not UTF-8",
            hint=hint.format(name + order, path.name),
        )
    if not head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        raise BinaryFileError(
            f"{path} is a binary file: it holds NUL bytes",
            hint="Give a UTF-8 file with one JSON object a line",
        )
