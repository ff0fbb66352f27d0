"""A conversation as it was written, and what of it belongs together.

Nothing is converted: the messages stay the objects that the caller gave, and everything here
refers to them by place. So whatever a provider's shape can say comes out as it went in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.window.inserted import Inserted, with_inserted
from packhorse.window.last_word import last_asked, summaries_in, with_own_words
from packhorse.window.shapes.registry import NO_MARKS, shape_of
from packhorse.window.units import Grouping, Unit, units_of

if TYPE_CHECKING:
    from packhorse.window.shapes.shape import Entry, Shape

__all__ = ["Conversation", "Reading", "Request", "as_given", "opened", "read_conversation"]

Request = Mapping[str, Any] | Sequence[Any]
"""A request body as a provider takes it, or its messages alone."""

HINT = "Give a list of messages, or a request body as the provider takes it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Messages of one request, oldest first, in whole units."""

    shape: Shape
    body: Mapping[str, Any]
    """The request; bare messages stand under the shape's field."""
    items: tuple[Any, ...]
    """The messages, as they were written."""
    entries: tuple[Entry, ...]
    """What is known of each message, one for one."""
    units: tuple[Unit, ...]
    """In the order of the first message of each."""
    is_bare: bool = False
    """Whether the caller gave the messages alone."""
    stripped: tuple[int, ...] = ()
    """Places of messages from which results of calls that are not there were taken out, because the
    user speaks in the same message."""
    has_lost_sections: bool = False
    """Whether notes or sections of an earlier request were taken out of what the user says, and
    today's do not say them."""

    @property
    def asked(self) -> int | None:
        """The unit with the user's last word; None where the user says nothing."""
        return last_asked(self.units)

    @property
    def last_word(self) -> int | None:
        """The place of the message with the user's last word; None where the user says nothing."""
        at = self.asked
        places = () if at is None else self.units[at].places
        return max((place for place in places if self.entries[place].is_users_word), default=None)

    def text(self, at: int) -> str:
        """What a unit says, for ranking and for people; thinking and images left out."""
        said = (self.entries[place].text for place in self.units[at].places)
        return "\n".join(text for text in said if text)

    def opens(self, at: int) -> bool:
        """Whether a unit begins with a word of the user's, as a conversation may."""
        first = self.entries[self.units[at].places[0]]
        return first.is_users_word and not first.results

    def items_of(self, units: Sequence[int], inserted: Sequence[Inserted] = ()) -> list[Any]:
        """Messages of some units in the order in which they were said, and those put in."""
        places = sorted(place for at in units for place in self.units[at].places)
        if inserted:
            return with_inserted(places, self.items, inserted)
        return [self.items[place] for place in places]

    def without(self, units: Collection[int]) -> Conversation:
        """The conversation as if some of its units could not be kept: they lose their say."""
        gone = set(units)
        return replace(
            self,
            units=tuple(
                unit._replace(is_broken=True) if at in gone else unit
                for at, unit in enumerate(self.units)
            ),
        )

    def units_at(self, places: Sequence[int]) -> frozenset[int]:
        """The units of some messages.

        Raises:
            InputError: there is no message at a place.
        """
        if not places:
            return frozenset()
        unit_of = {place: at for at, unit in enumerate(self.units) for place in unit.places}
        for place in places:
            if place not in unit_of:
                known = f"Give 0 to {len(unit_of) - 1}" if unit_of else "There are no messages"
                raise InputError(f"There is no message {place} to pin", hint=known)
        return frozenset(unit_of[place] for place in places)

    def unsaid(self, start: int, end: int) -> Conversation:
        """The conversation with the messages from one place to before another taken for examples.

        Nobody said them, so they belong to no unit of what was said.
        """
        entries = self.entries
        rest = [
            unit._replace(places=tuple(place + end for place in unit.places))
            for unit in units_of(entries[end:])
        ]
        shown = [Unit((place,), is_broken=True, is_shown=True) for place in range(start, end)]
        units = (*units_of(entries[:start]), *shown, *rest)
        return replace(self, units=tuple(with_own_words(units, summaries_in(entries))))

    def body_with(self, items: Sequence[Any]) -> dict[str, Any]:
        """The request with other messages; a text that was given in their place stays one alone."""
        field = self.shape.field
        return {**self.body, field: as_given(self.body[field], items, self.shape)}

    def turn_numbers(self) -> list[int]:
        """The number of the turn that each unit is in; what precedes the first user is turn 0."""
        numbers, turn = [], 0
        for unit in self.units:
            turn += unit.is_users_word
            numbers.append(turn)
        return numbers


def read_conversation(request: Request, model_shape: str | None = None) -> Conversation:
    """Reads a request body of any known shape, or a bare list of messages.

    Args:
        request: with `messages` (OpenAI chat or Anthropic), `input` (OpenAI Responses) or
            `contents` (Gemini); a list is taken for messages.
        model_shape: what the model's provider takes, where the messages alone do not tell OpenAI's
            from Anthropic's.

    Raises:
        InputError: not a request, or a message that is not of its shape; names the place.
    """
    shape, body, items = opened(request, model_shape)
    reading = Reading(shape)
    reading.add(items)
    return reading.conversation(body, is_bare=not isinstance(request, Mapping))


def as_given(given: Any, items: Sequence[Any], shape: Shape) -> Any:
    """Messages as a request holds them: one text where a text was given, and nothing was put in.

    Args:
        given: what the caller's request holds.
        items: the messages that it is to hold.
        shape: of both.
    """
    if not isinstance(given, str):
        return list(items)
    if len(items) == 1 and isinstance(items[0], str):
        return items[0]
    return [shape.message("user", item) if isinstance(item, str) else item for item in items]


def opened(
    request: Request, model_shape: str | None = None
) -> tuple[Shape, Mapping[str, Any], Sequence[Any]]:
    """The shape of a request, its body and its messages; none of these is read.

    Raises:
        InputError: not a request.
    """
    shape, body = _shape_and_body(request, model_shape)
    given = body[shape.field]
    if isinstance(given, (str, Mapping)) and isinstance(request, Mapping):
        given = [given]
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise InputError(f"{shape.field} is not a list of messages", hint=HINT)
    return shape, body, given


class Reading:
    """Messages of one shape as they come, each read once."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.items: list[Any] = []
        self.entries: list[Entry] = []
        self.units: list[Unit] = []
        self.stripped: list[int] = []
        self.summaries: list[int] = []
        """Places of messages that look like a summary."""
        self.grouping = Grouping()

    def add(self, items: Sequence[Any]) -> None:
        """Takes the next messages.

        Where the user speaks in a message with results that answer no call, the results go.

        Raises:
            InputError: one is not of its shape; then none is taken.
        """
        shape, grouping, start = self.shape, self.grouping, len(self.items)
        changed = grouping.first_open
        entries = shape.entries(items, start)
        self.items += items
        self.entries += entries
        self.summaries += summaries_in(entries, start)
        if all([entry.is_plain for entry in entries]):  # noqa: C419 - a list is twice as fast
            grouping.add_plain(start, entries)
            self.units[changed:] = grouping.units(changed)
            return
        for place, entry in enumerate(entries, start):
            if entry.results and entry.is_users_word and not grouping.is_answer(entry):
                item = shape.without_results(self.items[place])
                self.items[place] = item
                (self.entries[place],) = shape.entries([item], place)
                self.stripped.append(place)
                grouping.add(place, self.entries[place])
            else:
                grouping.add(place, entry)
        self.units[changed:] = grouping.units(changed)

    def conversation(self, body: Mapping[str, Any], *, is_bare: bool) -> Conversation:
        """What was read so far."""
        return Conversation(
            shape=self.shape,
            body=body,
            items=tuple(self.items),
            entries=tuple(self.entries),
            units=tuple(with_own_words(self.units, self.summaries)),
            is_bare=is_bare,
            stripped=tuple(self.stripped),
        )


def _shape_and_body(request: Request, model_shape: str | None) -> tuple[Shape, Mapping[str, Any]]:
    if isinstance(request, Mapping):
        shape = shape_of(request, model_shape)
        if shape is None:
            raise InputError(
                "This is not a chat request: it has neither `messages`, `contents` nor `input`",
                hint=HINT,
            )
        return shape, request
    if isinstance(request, (str, bytes)) or not hasattr(request, "__len__"):
        raise InputError("This is not a list of messages", hint=HINT)
    shape = NO_MARKS.with_more(request).bare_shape(model_shape)
    return shape, {shape.field: request}
