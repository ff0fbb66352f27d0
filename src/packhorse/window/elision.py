"""What becomes of the latest tool call when its results are larger than the room for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs

__all__ = ["NO_ELISION", "ElidedResult", "Elision", "elide"]


class ElidedResult(NamedTuple):
    """A result whose text was replaced by a marker."""

    place: int
    """Of the message, in the conversation as it was given: there the text still is."""
    tokens: int
    """Of the result, or of all results that the message hands back."""
    marker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Elision:
    """What was taken out."""

    results: tuple[ElidedResult, ...] = ()
    items: tuple[Any, ...] = ()
    """All messages of the conversation with the markers; empty where nothing was taken out."""


NO_ELISION = Elision()


def elide(
    conversation: Conversation,
    unit_costs: Sequence[int],
    room: int,
    required: frozenset[int],
    costs: Costs,
) -> tuple[Conversation, Elision]:
    """The conversation with markers in place of results that do not fit.

    Only the latest unit that is not broken is looked at, and only where it is a tool call that is
    larger than the room: the model is about to answer it, so leaving it out would make the model
    call again. Results go longest first until the rest fits; where even markers do not, nothing is
    changed.

    Args:
        conversation: what was said.
        unit_costs: tokens of each unit.
        room: tokens for units that are not required; negative where those alone are over.
        required: units that are in whatever happens.
        costs: counts for the model.
    """
    units = conversation.units
    whole = [at for at, unit in enumerate(units) if not unit.is_broken]
    if not whole or not units[whole[-1]].is_call:
        return conversation, NO_ELISION
    latest = whole[-1]
    free = room if latest not in required else room + unit_costs[latest]
    if unit_costs[latest] <= free:
        return conversation, NO_ELISION
    entries = conversation.entries
    places = [place for place in units[latest].places if entries[place].results]
    places.sort(key=lambda place: (-len(entries[place].text), place))
    elided: list[ElidedResult] = []
    shorter = conversation
    cost = unit_costs[latest]
    for place in places:
        tokens = cost - _cost(_with_results(shorter, place, ""), latest, costs)
        marker = f"[Result left out: it was too long for the context window, {tokens} tokens]"
        shorter = _with_results(shorter, place, marker)
        elided.append(ElidedResult(place=place, tokens=tokens, marker=marker))
        cost = _cost(shorter, latest, costs)
        if cost <= free:
            return shorter, Elision(results=tuple(elided), items=shorter.items)
    return conversation, NO_ELISION


def _with_results(conversation: Conversation, place: int, text: str) -> Conversation:
    items = list(conversation.items)
    items[place] = conversation.shape.with_results(items[place], text)
    return replace(conversation, items=tuple(items), entries=conversation.shape.entries(items))


def _cost(conversation: Conversation, at: int, costs: Costs) -> int:
    return costs.of_units(replace(conversation, units=(conversation.units[at],)))[0]
