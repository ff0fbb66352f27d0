"""Which messages belong together: a tool call and all its results, thinking and what it led to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from packhorse.window.shapes.shape import Entry

__all__ = ["Unit", "units_of"]


class Unit(NamedTuple):
    """Messages that stay or go together: one message, or a tool call with all its results."""

    places: tuple[int, ...]
    """In the list of messages, ascending."""
    is_instruction: bool = False
    is_users_word: bool = False
    """Whether the user says something in it, instead of only handing back what tools gave."""
    is_call: bool = False
    is_broken: bool = False
    """Whether no provider would take it: a result without its call, a call without its results."""
    is_shown: bool = False
    """Whether it is an example, put in front of what was said."""


class _Group:
    """A unit in the making."""

    __slots__ = ("is_broken", "is_call", "is_instruction", "is_users_word", "open_calls", "places")

    def __init__(self, place: int, entry: Entry) -> None:
        self.places = [place]
        self.is_instruction = entry.is_instruction
        self.is_users_word = entry.is_users_word
        self.is_call = bool(entry.calls or entry.results)
        self.is_broken = bool(entry.results)
        self.open_calls = list(entry.calls)

    def add(self, place: int, entry: Entry) -> None:
        self.places.append(place)
        self.is_users_word = self.is_users_word or entry.is_users_word
        self.is_call = self.is_call or bool(entry.calls)
        self.open_calls += entry.calls

    def answer(self, results: Sequence[str]) -> bool:
        """Takes the results, when each belongs to a call that has none yet."""
        left = list(self.open_calls)
        for result in results:
            if result in left:
                left.remove(result)
            elif left and ("" in left or not result):
                left.remove("" if "" in left else left[0])
            else:
                return False
        self.open_calls = left
        return True

    def unit(self) -> Unit:
        return Unit(
            places=tuple(self.places),
            is_instruction=self.is_instruction,
            is_users_word=self.is_users_word,
            is_call=self.is_call,
            is_broken=self.is_broken or bool(self.open_calls),
        )


def units_of(entries: Sequence[Entry]) -> tuple[Unit, ...]:
    """Messages grouped, in the order of the first of each group.

    Results stand directly after the message that calls, as every provider demands; parallel calls
    are one unit with all their results. A result with another id, or after somebody else spoke,
    belongs to nothing, and a call that lacks one is as broken. A result without an id answers the
    first call that is open. Steps of an assistant's turn that are items of their own are one unit.
    """
    groups: list[_Group | Unit] = []
    waiting: _Group | None = None
    run: _Group | None = None
    for place, entry in enumerate(entries):
        if entry.is_plain:
            groups.append(Unit((place,), entry.is_instruction, entry.is_users_word))
            waiting = run = None
            continue
        if entry.results:
            run = None
            if waiting is not None and waiting.answer(entry.results):
                waiting.add(place, entry)
                if entry.is_users_word or not waiting.open_calls:
                    waiting = None
            else:
                groups.append(_Group(place, entry))
            continue
        if run is not None and entry.continues:
            group = run
            group.add(place, entry)
        else:
            group = _Group(place, entry)
            groups.append(group)
            waiting = None
        run = group if entry.continues else None
        if group.open_calls:
            waiting = group
    return tuple(group if isinstance(group, Unit) else group.unit() for group in groups)
