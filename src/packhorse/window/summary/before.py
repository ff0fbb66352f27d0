"""The summary so far: which messages of a conversation it covers, and where it stands."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.window.inserted import Inserted
from packhorse.window.summary.running import RunningSummary, digest_of
from packhorse.window.summary.told import Head, head_of

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation

__all__ = ["Before", "standing"]


class Before:
    """What earlier summaries cover of a conversation, and where their message stands in it."""

    def __init__(self, given: Conversation, previous: RunningSummary | None) -> None:
        self.at = _unit_with_summary(given, previous)
        """The unit that is the summary; None where it does not stand in the conversation."""
        self.covered = previous.covered if previous is not None else ()
        self.units: frozenset[int] = frozenset()
        """Units that it covers and that are in the conversation all the same."""
        self.text = previous.text if previous is not None else ""
        self.message: Inserted | None = None
        self.after = -1
        if self.at is not None:
            place = given.units[self.at].places[0]
            self.text = given.entries[place].text
            self.after = place
            self.message = Inserted(place, given.items[place])
        elif previous is not None:
            self.units = _units_covered(given, previous)
            self.after = max(
                (place for at in self.units for place in given.units[at].places), default=-1
            )
            place = standing(given, self.after, self.units)
            self.message = Inserted(place, given.shape.message("user", self.text))
        self.head = head_of(self.text) or Head(0, 0)
        self.summary = previous or self._found()
        self._numbers = {each.index for each in self.covered}
        self._shown = [place for unit in given.units if unit.is_shown for place in unit.places]

    def _found(self) -> RunningSummary | None:
        """What is known of a summary that stands in the conversation without its list."""
        if self.at is None:
            return None
        return RunningSummary(
            text=self.text,
            turn=self.head.turn,
            n_messages=self.head.n_messages,
            covered=(),
            tokens=0,
            max_tokens=0,
            by="",
            n_given=0,
        )

    def number(self, place: int) -> int:
        """The number of a message in the whole conversation; examples are none of it."""
        place -= sum(other < place for other in self._shown)
        if self.at is None:
            return place
        own = self.after - sum(other < self.after for other in self._shown)
        if not self._numbers:
            return place - 1 + self.head.n_messages if place > own else place
        left = place - (place > own)
        number = -1
        while left >= 0:
            number += 1
            left -= number not in self._numbers
        return number


def _unit_with_summary(given: Conversation, previous: RunningSummary | None) -> int | None:
    """The latest unit that is a summary, and no word that has still to be answered."""
    words = [
        at
        for at, unit in enumerate(given.units)
        if unit.is_users_word or (given.opens(at) and not unit.is_shown)
    ]
    for at in reversed(words):
        places = given.units[at].places
        text = given.entries[places[0]].text
        if len(places) > 1 or head_of(text) is None:
            continue
        if previous is not None and text != previous.text:
            continue
        # What comes last has still to be answered, whatever it looks like.
        if at < len(given.units) - 1 and any(other != at for other in words):
            return at
    return None


def standing(given: Conversation, after: int, gone: Collection[int]) -> int:
    """Where the summary of what ends at a place stands.

    There; or before the last word of the user's, where nothing follows that stays.
    """
    units = given.units
    stays = [at for at, unit in enumerate(units) if not unit.is_broken and at not in gone]
    if any(units[at].places[0] > after for at in stays):
        return after
    words = [units[at].places[0] for at in stays if units[at].is_users_word]
    return words[-1] - 1 if words else after


def _units_covered(given: Conversation, previous: RunningSummary) -> frozenset[int]:
    unit_of = {place: at for at, unit in enumerate(given.units) for place in unit.places}
    for each in previous.covered:
        is_there = each.index < len(given.items)
        if not is_there or _mark(given, given.items[each.index]) != _mark(given, each.message):
            raise InputError(
                f"The summary is of another conversation: message {each.index} is not the one that"
                " it covers",
                hint="Give the whole conversation, or the fitted one with its summary message",
            )
    if previous.n_messages != len(previous.covered):
        raise InputError(
            f"The summary covers {previous.n_messages} messages and lists {len(previous.covered)}",
            hint="Give the fitted conversation with its summary message",
        )
    return frozenset(unit_of[each.index] for each in previous.covered)


def _mark(given: Conversation, message: Any) -> str:
    """What tells two messages apart; results count as one, since they may be in a file by now."""
    return digest_of(given.shape.with_results(message, ""))
