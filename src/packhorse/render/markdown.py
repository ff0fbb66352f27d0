"""Blocks as Markdown sections: `### [3] irs_pub_587.md - TITLE (2024-01-15)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.render.escaping import (
    INVISIBLE,
    LINE_BREAKS,
    backslash_before,
    clean_label,
    spelled,
)
from packhorse.render.fences import close_open_blocks
from packhorse.render.section import SectionRenderer, shown_source
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["MarkdownRenderer"]

_SPACE = rf"(?:[^\S{LINE_BREAKS}]|[{INVISIBLE}\x00-\x09\x0e-\x1b\x1f])"
_LINE = rf"(?:^|(?<=[{LINE_BREAKS}]))"
_NUMBER = rf"[\[\uff3b](?:{_SPACE}|[\d{INVISIBLE}])*+(?:{spelled('note')}{_SPACE}*+)?+[\]\uff3d]"
_MARKERS = rf"(?P<indent>(?:{_SPACE}|[>*+\-]|\d{{1,9}}[.)])*+)"
_HEADING = re.compile(
    rf"{_LINE}{_MARKERS}\\*+[#\uff03](?:[#\uff03]|{_SPACE})*+{_NUMBER}", re.IGNORECASE
)
_UNDERLINE = re.compile(rf"{_LINE}(?:{_SPACE}|[>*+])*+(?:=++|-++){_SPACE}*+(?:$|[{LINE_BREAKS}])")
_UNDERLINED = re.compile(rf"{_LINE}{_MARKERS}\\*+{_NUMBER}", re.IGNORECASE)

_ENTITY = re.compile(r"&(?=(?:amp|lt|gt);)")
_ANGLES = str.maketrans({"<": "&lt;", ">": "&gt;"})
_DASH = re.compile(r"(?<= )(?P<indent>)\\*+-(?= )")
_DATE = re.compile(r"(?P<indent>)\\*+\(\d{4}-\d\d-\d\d\)$")


class MarkdownRenderer(SectionRenderer):
    """Headings of level three. A heading in a text that looks like ours gets a backslash.

    Code fences and HTML comments that a text leaves open end with the block.
    """

    name = "markdown"

    def block(self, number: int, chunk: Chunk) -> str:
        """The heading, then the text."""
        label = _DASH.sub(_backslash, _escaped(shown_source(chunk)))
        title = _escaped(clean_label(chunk.header))
        if title:
            label += f" - {title}"
        label = _DATE.sub(_backslash, label)
        date = self.shown_date(chunk)
        if date:
            label += f" ({date})"
        text = close_open_blocks(neutralise_headings(well_formed(chunk.text)))
        end = "" if text.endswith("\n") else "\n"
        return f"### [{number}] {label}\n{text}{end}"

    def closing(self, notice: str) -> str:
        """The notice as a last heading, so that it is no part of the last text."""
        return f"### [note] {_escaped(notice)}\n" if notice else ""


def neutralise_headings(text: str) -> str:
    r"""The text with `\` before the hashes of each heading like `### [3]`, and before `[3]`.

    The second holds only for texts that underline headings (`[3] x` over a row of `=` or `-`).
    """
    if "[" not in text and "\uff3b" not in text:
        return text
    if "#" in text or "\uff03" in text:
        text = backslash_before(_HEADING, text)
    if ("=" in text or "-" in text) and _UNDERLINE.search(text):
        text = backslash_before(_UNDERLINED, text)
    return text


def _escaped(label: str) -> str:
    return _ENTITY.sub("&amp;", label).translate(_ANGLES)


def _backslash(match: re.Match[str]) -> str:
    return f"\\{match[0]}"
