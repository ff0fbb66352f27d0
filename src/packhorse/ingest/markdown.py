"""Markdown: front matter off, headings found, everything else left as it was written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhorse.ingest.document import Document, Heading, title_among
from packhorse.ingest.timestamps import parse_timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from packhorse.ingest.report import IngestReport

__all__ = ["fence_openers", "markdown_document", "markdown_headings"]

FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
MAX_FRONT_MATTER = 65_536
DATE_KEYS = ("updated", "last_updated", "lastmod", "last_modified", "modified", "timestamp", "date")
"""Keys of front matter that state when the text was true; the first that is there counts."""
ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
MARKED_LINE = re.compile(r"^ {0,3}(?:#|```|~~~|=+[ \t]*$|--+[ \t]*$).*$", re.MULTILINE)
"""Lines that may be a heading, a fence or an underline."""
UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
NO_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+>|#]|\d+[.)]|<|$)|(?: {4}|\t)")
"""Lines that a following underline does not turn into a heading."""
MARKS = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|[*`]+|(?<!\w)_+|_+(?!\w)|<[^>]*>")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
MAX_TITLE_CHARS = 200


def markdown_document(source_id: str, text: str, report: IngestReport) -> Document:
    """A Markdown text as a document; unusable front matter stays in the text and is noted."""
    front, body = _without_front_matter(source_id, text, report)
    headings = markdown_headings(body)
    title = front.title or title_among(headings)
    return Document(
        source_id=source_id,
        text=body,
        title=title,
        headings=headings,
        markdown=True,
        timestamp=front.timestamp(source_id, report),
    )


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """ATX and underlined headings outside code fences, in order."""
    headings: list[Heading] = []
    fence = ""
    taken = 0
    for found in MARKED_LINE.finditer(text):
        line, offset = found[0], found.start()
        opened = FENCE.match(line)
        heading = None
        if fence:
            if opened and opened[1].startswith(fence) and not line.strip(" \t`~"):
                fence, taken = "", found.end()
        elif opened:
            fence = opened[1]
        else:
            heading = _atx(line, offset) or _underlined(text, line, offset, taken)
        if heading:
            taken = heading.end
            if heading.title:
                headings.append(heading)
    return tuple(headings)


def fence_openers(text: str) -> tuple[tuple[int, int], ...]:
    """Where the lines that open a code fence begin and end, in order."""
    openers: list[tuple[int, int]] = []
    fence = ""
    for found in MARKED_LINE.finditer(text):
        opened = FENCE.match(found[0])
        if not opened:
            continue
        if not fence:
            fence = opened[1]
            openers.append((found.start(), found.end()))
        elif opened[1].startswith(fence) and not found[0].strip(" \t`~"):
            fence = ""
    return tuple(openers)


def _atx(line: str, offset: int) -> Heading | None:
    found = ATX.fullmatch(line)
    if not found:
        return None
    return Heading(
        start=offset, end=offset + len(line), level=len(found[1]), title=_plain(found[2] or "")
    )


def _underlined(text: str, line: str, offset: int, taken: int) -> Heading | None:
    """The heading of an underline; the line above must be a paragraph that begins from `taken`."""
    if not offset or not UNDERLINE.fullmatch(line):
        return None
    start = text.rfind("\n", 0, offset - 1) + 1
    above = text[start : offset - 1]
    if start < taken or NO_PARAGRAPH.match(above):
        return None
    level = 1 if line.lstrip().startswith("=") else 2
    return Heading(start=start, end=offset + len(line), level=level, title=_plain(above))


def _plain(title: str) -> str:
    plain = ESCAPED.sub(r"\1", MARKS.sub(r"\1", title))
    return " ".join(plain.split())[:MAX_TITLE_CHARS]


@dataclass(frozen=True, slots=True)
class _FrontMatter:
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str:
        value = self.values.get("title")
        return " ".join(value.split())[:MAX_TITLE_CHARS] if isinstance(value, str) else ""

    def timestamp(self, source_id: str, report: IngestReport) -> datetime | None:
        key = next((key for key in DATE_KEYS if self.values.get(key) is not None), None)
        if key is None:
            return None
        try:
            return parse_timestamp(self.values[key])
        except ValueError as exc:
            report.notes.append((source_id, f"front matter {key} was ignored: {exc}"))
            return None


def _without_front_matter(
    source_id: str, text: str, report: IngestReport
) -> tuple[_FrontMatter, str]:
    found = FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER) if text.startswith("---") else None
    if not found:
        return _FrontMatter(), text
    import yaml

    try:
        values = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        reason = str(exc).splitlines()[0]
        report.notes.append((source_id, f"front matter is not YAML and was read as text: {reason}"))
        return _FrontMatter(), text
    if values is not None and not isinstance(values, dict):
        return _FrontMatter(), text
    keyed = {str(key).casefold(): value for key, value in (values or {}).items()}
    return _FrontMatter(keyed), text[found.end() :].lstrip("\n")
