r"""Blocks as plain paragraphs: `[3] source=irs_pub_587.md date=2024-01-15`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from packhorse.render.escaping import (
    INVISIBLE,
    LINE_BREAKS,
    backslash_before,
    clean_label,
    spelled,
)
from packhorse.render.section import SectionRenderer, shown_source
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["PlainRenderer"]

_SPACE = rf"(?:[^\S{LINE_BREAKS}]|[{INVISIBLE}\x00-\x09\x0e-\x1b\x1f])*+"
_NUMBER = rf"[\d{INVISIBLE}]++{_SPACE}[\]\uff3d]{_SPACE}{spelled('source')}{_SPACE}[=\uff1d]"
_NOTE = rf"{spelled('note')}{_SPACE}[\]\uff3d]"
_HEADER = re.compile(
    rf"(?:^|(?<=[{LINE_BREAKS}]))(?P<indent>{_SPACE})\\*+[\[\uff3b]{_SPACE}(?:{_NUMBER}|{_NOTE})",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^\s\"'<>=\[\]\\`]+")


class PlainRenderer(SectionRenderer):
    """The cheapest format. A line of a text that looks like a header gets a backslash."""

    name = "plain"

    def block(self, number: int, chunk: Chunk) -> str:
        """`[3] source=...` with title and date where there are any, then the text."""
        title = clean_label(chunk.header)
        fields = f" source={_value(shown_source(chunk))}"
        if title:
            fields += f" title={_quoted(title)}"
        date = self.shown_date(chunk)
        if date:
            fields += f" date={date}"
        text = neutralise_headers(well_formed(chunk.text))
        end = "" if text.endswith("\n") else "\n"
        return f"[{number}]{fields}\n{text}{end}"

    def closing(self, notice: str) -> str:
        """`[note]` and the notice."""
        return f"[note] {notice}\n" if notice else ""


def neutralise_headers(text: str) -> str:
    r"""The text with a backslash before each `[3]` that opens a line like `[3] source=`."""
    if "[" not in text and "\uff3b" not in text:
        return text
    return backslash_before(_HEADER, text)


def _value(label: str) -> str:
    return label if _BARE.fullmatch(label) else _quoted(label)


def _quoted(label: str) -> str:
    """A JSON string that holds no angle bracket either."""
    quoted = json.dumps(label, ensure_ascii=False)
    return quoted.replace("<", "\\u003c").replace(">", "\\u003e")
