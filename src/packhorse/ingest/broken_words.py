"""Words that a page's line breaks cut in two, as `man` and old text files have them."""

from __future__ import annotations

import re

__all__ = ["joined_words"]

# From the hyphen outwards, and within the longest word: so time grows with the text alone.
_HEAD = re.compile(r"[^\W\d_]{1,60}$")
_BREAK = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]{0,100}\n[ \t]{0,100}(?=[^\W\d_])")
_TAIL = re.compile(r"[^\W\d_]{1,60}")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MAX_WORD = 60
_BREAKING = "\u00ad\u2010"
"""Hyphens that typesetters put in; the one on the keyboard is as likely part of what was typed."""


def joined_words(text: str) -> str:
    """The text with words that go on in the next line in one piece.

    The document itself says how a word is written: without a hyphen where it stands so elsewhere
    in it, with one where that does. Where it says neither, a typesetter's hyphen goes, and one
    from the keyboard stays with its line break.
    """
    breaks = list(_BREAK.finditer(text))
    if not breaks:
        return text
    whole = _BREAK.sub("\n\n", text).casefold().replace("\u2010", "-")
    written = frozenset(_WORD.findall(whole))
    pieces: list[str] = []
    at = 0
    for match in breaks:
        head = _HEAD.search(text, max(0, match.start() - _MAX_WORD), match.start())
        tail = _TAIL.match(text, match.end())
        between = _hyphen(match.group()[0], head, tail, written)
        if between is not None:
            pieces += [text[at : match.start()], between]
            at = match.end()
    return "".join((*pieces, text[at:]))


def _hyphen(
    given: str, head: re.Match[str] | None, tail: re.Match[str] | None, written: frozenset[str]
) -> str | None:
    """What stands between the halves of a word; None where its line break stays."""
    if head is None or tail is None:
        return None
    first, last = head.group().casefold(), tail.group().casefold()
    if f"{first}{last}" in written:
        return ""
    if f"{first}-{last}" in written:
        return "-"
    return "" if given in _BREAKING else None
