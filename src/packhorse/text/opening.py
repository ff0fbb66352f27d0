"""The headings that a text begins with."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["opening_headings"]

_HEADING = re.compile(
    r"(?:[ \t]*\n)*(?: {0,3}(#{1,6})[ \t]+([^\n]{1,200})(?:\n|$)"
    r"|(?:([=\-`:.'\"~^_*+#<>])\3{2,}[ \t]*\n)?"
    r"[ ]?(\S[^\n]{0,119})\n([=\-~^\"*+])\5{2,}[ \t]*(?:\n|$))"
)
_MARKS = re.compile(r"[*`]+|[ \t]#+[ \t]*$")
_UNDERLINES = "=-"
_NO_SLUG = re.compile(r"\W+")
_MAX_WORDS = 20


def opening_headings(text: str, section_id: str = "") -> list[str]:
    """Titles of the headings that a text begins with, each deeper than the one before.

    Those of Markdown and reStructuredText; else what of the first line says the same as
    `section_id`, which is made from the heading, as in a manual page.
    """
    found: list[str] = []
    at = level = 0
    while heading := _HEADING.match(text, at):
        depth = len(heading[1]) if heading[1] else _depth(heading[5])
        title = _MARKS.sub("", heading[2] or heading[4]).strip()
        if depth <= level or not title:
            break
        found.append(title)
        at, level = heading.end(), depth
    return found or _as_section(text, section_id)


def _depth(underline: str) -> int:
    return _UNDERLINES.index(underline) + 1 if underline in _UNDERLINES else len(_UNDERLINES) + 1


def _as_section(text: str, section_id: str) -> list[str]:
    if not section_id:
        return []
    words = text.lstrip()[:200].partition("\n")[0].split()
    for n_words in range(1, min(len(words), _MAX_WORDS) + 1):
        title = " ".join(words[:n_words])
        if _NO_SLUG.sub("-", unicodedata.normalize("NFKC", title).casefold()).strip("-") == (
            section_id
        ):
            return [title]
    return []
