"""A summary that goes on: what it says, what it covers, and how it came about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from packhorse.errors import InputError
from packhorse.window.summary.told import head_of

__all__ = [
    "FAILED",
    "NO_ROOM",
    "SUMMARISED",
    "Covered",
    "RunningSummary",
    "digest_of",
    "read_summary",
]

HINT = "Give the `summary` of an earlier result, as it was"


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One message that a summary stands for."""

    index: int
    """In the whole conversation, counting what earlier summaries cover."""
    turn: int
    role: str
    text: str
    """What was summarised: the words of the message, and what its calls say."""
    message: Any
    """The message itself, to have it back."""
    quoted: bool
    """Whether a sentence of it stood in the summary when it was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSummary:
    """What a fitted conversation says about the messages that it lets go of.

    Give it to the next `fit_messages(..., summary=...)`: messages that it covers are not given to
    the summariser again.
    """

    text: str
    """Of the summary message, with the line that says what it covers."""
    turn: int
    """The last turn that it covers; a turn opens with a word of the user's, from 1."""
    n_messages: int
    """How many messages it stands for, those of earlier summaries included."""
    covered: tuple[Covered, ...]
    """The messages, oldest first; fewer than `n_messages` where an earlier summary was found in the
    conversation and its own list was not given."""
    tokens: int
    """Of the summary message, framing included."""
    max_tokens: int
    """What it was allowed."""
    by: str
    """`extractive`, or the address of the endpoint that wrote it."""
    n_given: int
    """Messages that the summariser was given this time; the others it had been given before."""
    notes: tuple[str, ...] = ()
    """What was mended: facts put back, sentences cut, a summariser that failed."""

    @property
    def has_failed(self) -> bool:
        """Whether the summariser that was asked for did not write it."""
        return any(note.startswith(FAILED) for note in self.notes)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; `read_summary` reads it."""
        return {**asdict(self), "covered": [asdict(each) for each in self.covered]}


FAILED = "summariser failed"
SUMMARISED = "summarised"
"""Reason code of messages that are in the summary."""
NO_ROOM = "no_room_for_summary"
"""Reason code of messages that would be in it."""


def digest_of(message: Any) -> str:
    """What tells two messages apart."""
    written = json.dumps(message, sort_keys=True, default=repr)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def read_summary(given: RunningSummary | Mapping[str, Any]) -> RunningSummary:
    """A summary as `to_dict` wrote it.

    Raises:
        InputError: it is none.
    """
    if isinstance(given, RunningSummary):
        return given
    try:
        covered = tuple(Covered(**each) for each in _listed(given["covered"]))
        fields = {**given, "covered": covered, "notes": tuple(given.get("notes", ()))}
        summary = RunningSummary(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"This is not a summary: {error}", hint=HINT) from error
    head = head_of(str(summary.text))
    indexes = [each.index for each in covered]
    if head is None or head != (summary.turn, summary.n_messages):
        raise InputError("The text of the summary does not say what it covers", hint=HINT)
    if not all(isinstance(index, int) for index in indexes) or indexes != sorted(set(indexes)):
        raise InputError("The messages of the summary are out of order", hint=HINT)
    return summary


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError("`covered` is no list")
    return value
