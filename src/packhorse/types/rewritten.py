"""A question as it is searched with, and what was put behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["AddedWord", "RewrittenQuery"]


class AddedWord(NamedTuple):
    """A word that the question was given, as the conversation wrote it last."""

    word: str
    weight: float
    """What it has from all turns that say it, by distance and side; higher is better."""
    turns: tuple[int, ...]
    """Indexes of the messages that say it, of those that were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenQuery:
    """A question to search with. `str()` of it is its text."""

    text: str
    last: str
    """The last word of the user, which `text` begins with."""
    added: tuple[AddedWord, ...]
    """Best first; empty where the last word stands alone."""
    reason: str
    """Why words were added or not."""

    def __str__(self) -> str:
        return self.text
