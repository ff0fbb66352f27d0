"""Manual pages as `man` prints them: the title line, and the headings that are not indented."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.ingest.document import Document, Heading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.ingest.report import IngestReport

__all__ = ["is_man_page", "man_document"]

_TITLE_LINE = re.compile(
    r"\s*(?P<title>[^\s()]+\([0-9][a-zA-Z0-9]*\))[ \t]+(?:\S.*[ \t])?(?P=title)[ \t]*"
)
_FOOT_GAP = re.compile(r"\S[ \t]{3,}\S")
_SUBHEADING_INDENT = 3
_MAX_HEADING = 80


def is_man_page(text: str) -> bool:
    """Whether the first line with text is a manual page's: `LS(1)   User Commands   LS(1)`."""
    first = next((line for line in text[:4000].split("\n") if line.strip()), "")
    return _TITLE_LINE.fullmatch(first) is not None


def man_document(source_id: str, text: str, report: IngestReport) -> Document:
    """A manual page as a document; its text stays as it is.

    The title line is the first heading. Lines that begin at the margin are headings of the second
    level, those indented by three blanks, with text below that is further in, of the third; the
    line at the foot of a page is neither.
    """
    del report
    headings: list[Heading] = []
    lines = text.split("\n")
    offset = 0
    for line, below in zip(lines, _next_with_text(lines), strict=True):
        level = 0
        if not headings:
            title = _TITLE_LINE.fullmatch(line)
            level = 1 if title else 0
        elif _is_heading(line):
            level = _level(line, below)
        if level:
            said = title["title"] if level == 1 and title else " ".join(line.split())
            start = offset + len(line) - len(line.lstrip())
            end = offset + len(line.rstrip())
            headings.append(Heading(start=start, end=end, level=level, title=said))
        offset += len(line) + 1
    name = headings[0].title if headings else ""
    return Document(source_id=source_id, text=text, title=name, headings=tuple(headings))


def _next_with_text(lines: Sequence[str]) -> list[str]:
    """The next line with text below each line; empty where there is none."""
    found: list[str] = []
    below = ""
    for line in reversed(lines):
        found.append(below)
        below = line if line.strip() else below
    return found[::-1]


def _is_heading(line: str) -> bool:
    return bool(
        line.strip()
        and len(line) <= _MAX_HEADING
        and not _FOOT_GAP.search(line.strip())
        and any(char.isalpha() for char in line)
    )


def _level(line: str, below: str) -> int:
    """2 or 3 for a heading, by its indent and that of the next line with text; 0 for none."""
    own, next_one = _indent(line), _indent(below)
    if own == 0 and next_one > 0:
        return 2
    if own == _SUBHEADING_INDENT and next_one > own:
        return 3
    return 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
