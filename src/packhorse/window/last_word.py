"""What in a conversation is a word of the user's own, and which of them is the last.

A summary is written as a message of the user's, whatever the shape, and may stand behind what the
user asked: it is recognised by its first line, and nobody's word. This is decided once, when
messages are read; whoever looks for the user's words looks at `Unit.is_users_word`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from packhorse.window.summary.told import head_of

if TYPE_CHECKING:
    from packhorse.window.shapes.shape import Entry
    from packhorse.window.units import Unit

__all__ = ["last_asked", "summaries_in", "with_own_words"]


def summaries_in(entries: Sequence[Entry], start: int = 0) -> list[int]:
    """Places of messages that look like a summary; `start` is the place of the first."""
    return [
        place
        for place, entry in enumerate(entries, start)
        if entry.is_users_word and not entry.results and head_of(entry.text) is not None
    ]


def with_own_words(units: Sequence[Unit], summaries: Collection[int]) -> Sequence[Unit]:
    """The units, with summaries taken for no word of the user's.

    What comes last has still to be answered, whatever it looks like; and where the user says
    nothing else, a summary is what there is to answer.

    Args:
        units: of the whole conversation.
        summaries: places of messages that look like a summary.
    """
    if not summaries:
        return units
    at_of = [
        at
        for at, unit in enumerate(units[:-1])
        if unit.is_users_word and len(unit.places) == 1 and unit.places[0] in summaries
    ]
    nobodys = set(at_of)
    if not any(
        unit.is_users_word and not unit.is_broken and at not in nobodys
        for at, unit in enumerate(units)
    ):
        return units
    return [
        unit._replace(is_users_word=False) if at in nobodys else unit
        for at, unit in enumerate(units)
    ]


def last_asked(units: Sequence[Unit]) -> int | None:
    """The unit with the user's last word; None where the user says nothing."""
    return next(
        (
            at
            for at in range(len(units) - 1, -1, -1)
            if units[at].is_users_word and not units[at].is_broken
        ),
        None,
    )
