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
    """Of this result alone."""
    marker: str
    result: int = 0
    """Which of the results that the message hands back, counted from 0."""


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
    *,
    pinned: frozenset[int] = frozenset(),
) -> tuple[Conversation, Elision]:
    """The conversation with markers in place of results that do not fit.

    Only the latest unit that is not broken is looked at, and only where it is a tool call that is
    larger than the room: the model is about to answer it, so leaving it out would make the model
    call again. Results go largest first until the rest fits, one by one where a message holds
    several; where even markers do not fit, nothing is changed. What is pinned stays as it is.

    Args:
        conversation: what was said.
        unit_costs: tokens of each unit.
        room: tokens for units that are not required; negative where those alone are over.
        required: units that are in whatever happens.
        costs: counts for the model.
        pinned: units that may not be changed.
    """
    units = conversation.units
    whole = [at for at, unit in enumerate(units) if not unit.is_broken]
    if not whole or not units[whole[-1]].is_call or whole[-1] in pinned:
        return conversation, NO_ELISION
    latest = whole[-1]
    free = room if latest not in required else room + unit_costs[latest]
    cost = unit_costs[latest]
    if cost <= free:
        return conversation, NO_ELISION
    elided: list[ElidedResult] = []
    shorter = conversation
    for tokens, place, result in _largest_first(conversation, latest, costs):
        marker = f"[Result left out: it was too long for the context window, {tokens} tokens]"
        candidate = _with_result(shorter, place, result, marker)
        less = _cost(candidate, latest, costs)
        if less >= cost:
            continue
        shorter, cost = candidate, less
        elided.append(ElidedResult(place=place, tokens=tokens, marker=marker, result=result))
        if cost <= free:
            entries = shorter.shape.entries(shorter.items)
            return replace(shorter, entries=entries), Elision(
                results=tuple(elided), items=shorter.items
            )
    return conversation, NO_ELISION


def _largest_first(conversation: Conversation, at: int, costs: Costs) -> list[tuple[int, int, int]]:
    """Tokens, place and number of each result of a unit; of two that are as large the first."""
    unit = conversation.units[at]
    alone = replace(
        conversation,
        items=tuple(conversation.items[place] for place in unit.places),
        entries=tuple(conversation.entries[place] for place in unit.places),
        units=(unit._replace(places=tuple(range(len(unit.places)))),),
    )
    cost = _cost(alone, 0, costs)
    found = [
        (cost - _cost(_with_result(alone, n, result, ""), 0, costs), place, result)
        for n, place in enumerate(unit.places)
        for result in range(len(alone.entries[n].results))
    ]
    return sorted(found, key=lambda each: (-each[0], each[1], each[2]))


def _with_result(conversation: Conversation, place: int, result: int, text: str) -> Conversation:
    items = list(conversation.items)
    items[place] = conversation.shape.with_result(items[place], result, text)
    return replace(conversation, items=tuple(items))


def _cost(conversation: Conversation, at: int, costs: Costs) -> int:
    return costs.of_units(replace(conversation, units=(conversation.units[at],)))[0]
