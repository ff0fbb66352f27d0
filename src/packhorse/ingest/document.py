"""A document: its text in one piece, and where its headings stand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

__all__ = ["Document", "Heading", "title_among"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """One heading inside a document's text."""

    start: int
    """Offset of its first character in the text, in code points."""
    end: int
    """Offset behind its last character, the underline of a heading included."""
    level: int
    """1 is the highest."""
    title: str
    """As a reader sees it: no marks, single spaces."""


def title_among(headings: Sequence[Heading]) -> str:
    """The first heading, when none after it is as high; else nothing is the title of the whole."""
    if not headings or any(other.level <= headings[0].level for other in headings[1:]):
        return ""
    return headings[0].title


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a loader makes of one file. LF line ends, no byte order mark, no lone surrogates."""

    source_id: str
    """POSIX path relative to the folder that was loaded, or the file's name."""
    text: str
    title: str = ""
    """From front matter, the first heading or the HTML title; empty when there is none."""
    headings: tuple[Heading, ...] = ()
    """In the order of the text."""
    markdown: bool = False
    """Whether the text is Markdown: fences, lists and headings then guide the splitting."""
    timestamp: datetime | None = None
    """As front matter states it, aware and in UTC; never the file's own date."""
    links: tuple[tuple[int, str], ...] = ()
    """(offset, target) of links that the text does not show, in the order of the text."""
    anchors: tuple[tuple[int, str], ...] = ()
    """(offset, name) of places that links may name and the text does not show, in its order."""

    def heading_path(self, offset: int) -> tuple[Heading, ...]:
        """The headings in force at `offset`, highest first; one that begins there is the last."""
        path: list[Heading] = []
        before = bisect_right(self.headings, offset, key=lambda heading: heading.start)
        for index in range(before - 1, -1, -1):
            heading = self.headings[index]
            if not path or heading.level < path[-1].level:
                path.append(heading)
                if heading.level == 1:
                    break
        return tuple(reversed(path))
