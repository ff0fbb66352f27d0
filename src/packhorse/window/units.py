"""Which messages belong together: a tool call and all its results, thinking and what it led to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from packhorse.window.shapes.shape import Entry

__all__ = ["Grouping", "Unit", "units_of"]


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

    def open_after(self, results: Sequence[str]) -> list[str] | None:
        """Calls that have no result yet once these are in; None where one belongs to no call."""
        left = list(self.open_calls)
        for result in results:
            if result in left:
                left.remove(result)
            elif left and ("" in left or not result):
                left.remove("" if "" in left else left[0])
            else:
                return None
        return left

    def unit(self) -> Unit:
        return Unit(
            places=tuple(self.places),
            is_instruction=self.is_instruction,
            is_users_word=self.is_users_word,
            is_call=self.is_call,
            is_broken=self.is_broken or bool(self.open_calls),
        )


class Grouping:
    """Groups messages as they come, in the order of the first of each group.

    Results stand directly after the message that calls, as every provider demands; parallel calls
    are one unit with all their results. A result with another id, or after somebody else spoke,
    belongs to nothing, and a call that lacks one is as broken. A result without an id answers the
    first call that is open. Steps of an assistant's turn that are items of their own are one unit.
    """

    def __init__(self) -> None:
        self._groups: list[_Group | Unit] = []
        self._waiting: _Group | None = None
        """Whose results may still come."""
        self._run: _Group | None = None
        """Whose steps may still go on."""

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def first_open(self) -> int:
        """The first group that further messages may belong to; how many there are where none is."""
        groups, n_groups = self._groups, len(self._groups)
        if self._waiting is None and self._run is None:
            return n_groups
        return next(
            at for at in range(n_groups - 1, -1, -1) if groups[at] is (self._waiting or self._run)
        )

    def is_answer(self, entry: Entry) -> bool:
        """Whether its results are all that the call before it still waits for."""
        return self._waiting is not None and self._waiting.open_after(entry.results) == []

    def add(self, place: int, entry: Entry) -> None:
        """Takes the next message."""
        if entry.is_plain:
            self._groups.append(Unit((place,), entry.is_instruction, entry.is_users_word))
            self._waiting = self._run = None
        elif entry.results:
            self._run = None
            self._answer(place, entry)
        else:
            self._speak(place, entry)

    def add_plain(self, start: int, entries: Sequence[Entry]) -> None:
        """Takes the next messages, each of which is plain: long conversations are made of these."""
        self._groups += [
            Unit((at,), entry.is_instruction, entry.is_users_word)
            for at, entry in enumerate(entries, start)
        ]
        self._waiting = self._run = None

    def units(self, start: int = 0) -> list[Unit]:
        """The groups from one on, as they are now."""
        groups = self._groups[start:] if start else self._groups
        return [group if isinstance(group, Unit) else group.unit() for group in groups]

    def _answer(self, place: int, entry: Entry) -> None:
        waiting = self._waiting
        left = None if waiting is None else waiting.open_after(entry.results)
        if waiting is None or left is None:
            self._groups.append(_Group(place, entry))
            return
        waiting.open_calls = left
        waiting.add(place, entry)
        if entry.is_users_word or not waiting.open_calls:
            self._waiting = None

    def _speak(self, place: int, entry: Entry) -> None:
        group = self._run
        if group is not None and entry.continues:
            group.add(place, entry)
        else:
            group = _Group(place, entry)
            self._groups.append(group)
            self._waiting = None
        self._run = group if entry.continues else None
        if group.open_calls:
            self._waiting = group


def units_of(entries: Sequence[Entry]) -> tuple[Unit, ...]:
    """Messages in groups, as `Grouping` says."""
    grouping = Grouping()
    for place, entry in enumerate(entries):
        grouping.add(place, entry)
    return tuple(grouping.units())
