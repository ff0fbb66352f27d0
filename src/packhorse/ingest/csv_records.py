"""Records of CSV and the values in them, by their places in the text."""

from __future__ import annotations

import csv
import re
from itertools import takewhile

from packhorse.ingest.lines_of_text import lines_with_text

__all__ = ["is_header", "records", "separator_of", "separators_in"]

SEPARATORS = ",;\t|"
COMMENT = "#"
_NUMBER = re.compile(r"[^\w\s]*\d[\d\s.,:/%+-]*[^\W\d]{0,3}")
"""A cell that no column is called by, unless it is a year."""
_YEAR = re.compile(r"(?:19|20)\d\d")


def separator_of(header: str) -> str:
    """What stands most often in the first record; empty where it has one value."""
    separator = max(SEPARATORS, key=header.count)
    return separator if separator in header else ""


def separators_in(text: str, start: int, end: int, separator: str) -> list[int]:
    """Where a record's values are told apart: not between quotes, unless one never closes."""
    quoted = r'"[^"]*"|' if text.count('"', start, end) % 2 == 0 else ""
    marks = re.compile(quoted + re.escape(separator)).finditer(text, start, end)
    return [mark.start() for mark in marks if mark[0] == separator]


def is_header(first: str, second: str, separator: str) -> bool:
    """Whether the first record names columns: no two alike, and none empty or a number.

    A year may be one, where there is none under it.
    """
    return _names_columns(*(_csv_cells(record, separator) for record in (first, second)))


def records(text: str) -> list[tuple[int, int]]:
    """Where the records of CSV stand, without the lines of comment before them.

    A line end between quotes ends no record, unless the quotes never close.
    """
    lines = _without_comments(text, list(lines_with_text(text, 0, len(text))))
    found: list[tuple[int, int]] = []
    start, is_quoted = 0, False
    for first, last in lines:
        start = start if is_quoted else first
        is_quoted ^= text.count('"', first, last) % 2 == 1
        if not is_quoted:
            found.append((start, last))
    return lines if is_quoted else found


def _without_comments(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines from the first record on.

    `#name` with as many values as the line under it is no comment: it names columns.
    """
    leading = len(list(takewhile(lambda line: text.startswith(COMMENT, line[0]), lines)))
    if not leading:
        return lines
    last, *below = lines[leading - 1 : leading + 1]
    separator = separator_of(text[slice(*below[0])]) if below else ""
    spaced = text[last[0] + 1 : last[0] + 2].isspace()
    counts = [len(separators_in(text, *line, separator)) for line in (last, *below) if separator]
    names = not spaced and len(counts) > 1 and counts[0] == counts[1]
    return lines[leading - names :]


def _csv_cells(record: str, separator: str) -> list[str]:
    """The cells of a record; none where the library cannot read it, as with a very long cell."""
    try:
        cells = next(csv.reader(record.splitlines(), delimiter=separator))
    except csv.Error:
        return []
    return [cell.strip().casefold() for cell in cells]


def _names_columns(first: list[str], second: list[str]) -> bool:
    if not first or len(set(first)) < len(first):
        return False
    under = [*second, *[""] * len(first)]
    return all(
        _YEAR.fullmatch(below) is None if _YEAR.fullmatch(cell) else _NUMBER.fullmatch(cell) is None
        for cell, below in zip(first, under, strict=False)
    ) and all(first)
