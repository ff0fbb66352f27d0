"""Plain text and reStructuredText: the text as it is, and the headings that underlines make."""

import re

from packhorse.ingest.broken_words import joined_words
from packhorse.ingest.document import Document, Heading, title_among
from packhorse.ingest.man_page import is_man_page, man_document
from packhorse.ingest.report import IngestReport

__all__ = ["rst_document", "rst_headings", "text_document"]

ADORNMENT = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}[ \t]*")
INLINE = re.compile(r":[\w:+.-]+:`([^`<]*?)(?:\s*<[^>]*>)?`|[`*|]+")


def text_document(source_id: str, text: str, report: IngestReport) -> Document:
    """A text without any markup; words that its line breaks cut are in one piece again."""
    whole = joined_words(text)
    if is_man_page(whole):
        return man_document(source_id, whole, report)
    return Document(source_id=source_id, text=whole)


def rst_document(source_id: str, text: str, report: IngestReport) -> Document:
    """A reStructuredText as a document; its markup stays in the text."""
    del report
    headings = rst_headings(text)
    return Document(source_id=source_id, text=text, title=title_among(headings), headings=headings)


def rst_headings(text: str) -> tuple[Heading, ...]:
    """Titles with an underline at least as long, levels in the order in which styles appear."""
    lines = text.split("\n")
    styles: list[str] = []
    headings: list[Heading] = []
    offset = 0
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        if _is_title(line, under):
            over = lines[number - 1] if number else ""
            has_over = bool(ADORNMENT.fullmatch(over)) and over.strip() == under.strip()
            style = under[0] * (2 if has_over else 1)
            if style not in styles:
                styles.append(style)
            start = offset - (len(over) + 1 if has_over else 0)
            headings.append(
                Heading(
                    start=start,
                    end=offset + len(line) + 1 + len(under.rstrip()),
                    level=styles.index(style) + 1,
                    title=" ".join(INLINE.sub(r"\1", line).split()),
                )
            )
        offset += len(line) + 1
    return tuple(headings)


def _is_title(line: str, under: str) -> bool:
    stripped = line.strip()
    return bool(
        stripped
        and ADORNMENT.fullmatch(under)
        and len(under.rstrip()) >= len(stripped)
        and any(char.isalnum() for char in stripped)
        and not (line[0].isspace() and len(line) - len(line.lstrip()) > 1)
    )
