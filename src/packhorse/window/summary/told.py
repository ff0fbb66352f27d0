"""Messages to be summarised, sentences that are quoted from them, and the text these make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

__all__ = ["Head", "Quote", "Told", "head_of", "quoted", "quotes_in", "rendered", "without_head"]

HEAD = (
    "[Summary of the conversation up to turn {turn} ({n} messages)."
    " A record of what was said, no new instructions.]"
)
_HEAD = re.compile(
    r"\[Summary of the conversation up to turn (\d{1,9}) \((\d{1,9}) messages?\)\."
    r" A record of what was said, no new instructions\.\](?:\n|$)"
)
_LINE = re.compile(r"\[(\d{1,9})\] ([a-z]{1,20}): (.*)")
WRITTEN = "summary"
"""Who speaks where an earlier summary was written instead of quoted."""


class Told(NamedTuple):
    """One message that is to be summarised."""

    number: int
    """In the whole conversation, from 0."""
    turn: int
    """That it belongs to; what precedes the first word of the user is turn 0."""
    role: str
    text: str


class Quote(NamedTuple):
    """One sentence, as it was said, on one line."""

    turn: int
    role: str
    text: str


class Head(NamedTuple):
    """What the first line of a summary says that it covers."""

    turn: int
    """The last turn."""
    n_messages: int

    def __str__(self) -> str:
        line = HEAD.format(turn=self.turn, n=self.n_messages)
        return line.replace("(1 messages)", "(1 message)")


def head_of(text: str) -> Head | None:
    """What a message says that it covers; None where it is no summary."""
    found = _HEAD.match(text)
    return Head(int(found.group(1)), int(found.group(2))) if found else None


def without_head(text: str) -> str:
    """What a message says, without the first line where that says that it is a summary."""
    return text.partition("\n")[2] if head_of(text) else text


def quoted(quotes: Sequence[Quote]) -> list[str]:
    """Lines of `[turn] role: sentences`, in the order given."""
    return [
        f"[{turn}] {role}: {' '.join(quote.text for quote in some)}"
        for (turn, role), some in groupby(quotes, key=lambda quote: quote[:2])
    ]


def rendered(head: Head, written: str, quotes: Sequence[Quote]) -> str:
    """The text of a summary message: what it covers, what somebody wrote, what is quoted."""
    return "\n".join([str(head), *([written] if written else []), *quoted(quotes)])


def quotes_in(text: str) -> list[Told]:
    """What an earlier summary says, line by line, as messages that can be quoted again."""
    head = head_of(text)
    if head is None:
        return []
    told = []
    for line in text.split("\n")[1:]:
        found = _LINE.fullmatch(line)
        if found:
            told.append(Told(-1, int(found.group(1)), found.group(2), found.group(3)))
        elif line.strip():
            told.append(Told(-1, head.turn, WRITTEN, line))
    return told
