"""Tables and code blocks of a document: what cannot be read once its first line is cut off."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.ingest.csv_records import is_header, records, separator_of
from packhorse.ingest.lines_of_text import lines_with_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.ingest.document import Document

__all__ = ["Block", "Kind", "blocks_of", "cells_of"]

Kind = str
TABLE = "table"
CSV = "csv"
CODE = "code"

CSV_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_FENCE = re.compile(r"^([ \t]*)(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)
_DELIMITER = re.compile(
    r"^[ \t]*+\|?+(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?+[ \t]*+$", re.MULTILINE
)
"""The line under the header row of a table: `|---|:--:|`."""
_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A table or a code block. Offsets are code points of the document's text."""

    kind: Kind
    """`table` of Markdown, `csv`, or `code` between fences."""
    start: int
    body: int
    """Where its first row, or line of code, begins."""
    end: int
    """Behind its last line, without the line end."""
    opening: str
    """What a piece from its middle needs before it: header rows or the fence, with the line end."""
    closing: str = ""
    """What a piece that ends in it needs after it: the closing fence."""
    rows: tuple[tuple[int, int], ...]
    """First and last offset of each row or line of code; the closing fence is in the last."""
    separator: str = ""
    """Between the values of CSV."""

    def row_at(self, at: int) -> tuple[int, int] | None:
        """The row that an offset lies in, its end included; the header row of CSV is one too."""
        place = bisect_right(self.rows, at, key=lambda row: row[0]) - 1
        if place >= 0:
            return self.rows[place] if at <= self.rows[place][1] else None
        header = (self.start, self.start + len(self.opening) - 1)
        return header if self.separator and header[0] <= at <= header[1] else None

    def row_cut_at(self, at: int) -> int | None:
        """Where the row begins that an offset lies inside of; None between rows."""
        row = self.row_at(at)
        return row[0] if row and row[0] < at < row[1] else None


def blocks_of(document: Document) -> tuple[Block, ...]:
    """The tables and code blocks of a document, in order; none lies in another.

    A fence that nothing closes makes no block, nor does a table without a delimiter row.
    """
    text = document.text
    if document.source_id.lower().endswith(CSV_SUFFIXES):
        whole = _csv(text)
        return (whole,) if whole else ()
    fenced = list(_fenced(text)) if document.markdown else []
    found = [*fenced, *_tables(text, fenced)]
    return tuple(sorted(found, key=lambda block: block.start))


def cells_of(row: str) -> list[str]:
    """The cells of a table row, without blanks around them."""
    inner = row.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip() for cell in _CELL_END.split(inner)]


def _fenced(text: str) -> Iterator[Block]:
    opener: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        if opener is None:
            opener = found
        elif found[2].startswith(opener[2]) and not found[3].strip():
            body = opener.end() + 1
            rows = list(lines_with_text(text, body, found.start()))
            if rows:
                rows[-1] = (rows[-1][0], found.end())
                yield Block(
                    kind=CODE,
                    start=opener.start(),
                    body=body,
                    end=found.end(),
                    opening=f"{opener[0]}\n",
                    closing=f"{opener[1]}{opener[2]}",
                    rows=tuple(rows),
                )
            opener = None


def _tables(text: str, fenced: Sequence[Block]) -> Iterator[Block]:
    free = 0
    starts = [block.start for block in fenced]
    for delimiter in _DELIMITER.finditer(text):
        start = text.rfind("\n", 0, max(0, delimiter.start() - 1)) + 1
        if start < free or start >= delimiter.start():
            continue
        above = bisect_right(starts, start) - 1
        if above >= 0 and start < fenced[above].end:
            continue
        columns = cells_of(text[start : delimiter.start()])
        if "|" not in text[start : delimiter.start()] or len(columns) != len(
            cells_of(delimiter[0])
        ):
            continue
        body = min(delimiter.end() + 1, len(text))
        rows = []
        for first, last in lines_with_text(text, body, len(text), until_blank=True):
            if "|" not in text[first:last]:
                break
            rows.append((first, last))
        if rows:
            free = rows[-1][1]
            yield Block(
                kind=TABLE,
                start=start,
                body=body,
                end=free,
                opening=f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n",
                rows=tuple(rows),
            )


def _csv(text: str) -> Block | None:
    rows = records(text)
    if len(rows) < 2:  # noqa: PLR2004 - a header and a row
        return None
    first, second = (text[start:end] for start, end in rows[:2])
    separator = separator_of(first)
    if not separator:
        return None
    named = is_header(first, second, separator)
    return Block(
        kind=CSV,
        start=rows[0][0],
        body=rows[named][0],
        end=rows[-1][1],
        opening=f"{first}\n" if named else "",
        rows=tuple(rows[named:]),
        separator=separator,
    )
