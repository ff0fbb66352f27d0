"""Text of anybody as a page may hold it: what hides, turns or breaks text is spelled out."""

import re

__all__ = ["visible"]

NON_CHARACTERS = "".join(
    f"{chr(plane + 0xFFFE)}-{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000)
)
HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and line end
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufdd0-\ufdef\ufff9-\uffff"  # non-characters and marks of annotation
    "\ud800-\udfff"
    "\U000e0000-\U000e007f"
    f"{NON_CHARACTERS}]"
)
"""Controls, marks of direction, spaces without width, tags, surrogates and non-characters.

Joiners (U+200C, U+200D) are left: many scripts and emoji are written with them.
"""
KEPT = "\ufffd"
"""Stands where a character was lost, and is seen."""


def visible(text: str) -> str:
    """The text with everything hidden written as its escape, and CRLF as a line end."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(_spelled, text.replace("\r\n", "\n"))


def _spelled(found: re.Match[str]) -> str:
    char = found.group()
    return char if char == KEPT else char.encode("unicode_escape").decode("ascii")
