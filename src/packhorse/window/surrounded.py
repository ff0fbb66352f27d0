"""Fits a conversation together with the sections that stand in front of the user's last word."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetExceededError, InputError
from packhorse.window.elision import elide
from packhorse.window.fit import required_units, user_opens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from packhorse.tokens.requests.request import RequestCount
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.fit import Fitted
    from packhorse.window.inserted import Inserted
    from packhorse.window.sections.surround import Asks, Beside, Surroundings

__all__ = ["asks_of", "fit_surrounded"]


def fit_surrounded(
    conversation: Conversation,
    costs: Costs,
    limit: int,
    fits: Callable[[int], Fitted],
    surroundings: Surroundings,
    *,
    pinned: frozenset[int] = frozenset(),
    elides: bool = True,
    settles: bool = True,
    inserted: tuple[Inserted, ...] = (),
) -> tuple[Fitted, Beside]:
    """A conversation and what stands beside it, as a request of at most `limit` tokens.

    The room is divided, notes are chosen for theirs and turns for what then is left. As long as
    turns leave some of what they asked for, the room is divided again, among those that are left:
    so fitting what was fitted changes nothing.

    Args:
        conversation: as `without_sections` gives it.
        costs: counts for the model.
        limit: tokens of the whole request.
        fits: fits the conversation into a number of tokens.
        surroundings: what competes besides.
        pinned: further units that stay.
        elides: as in `fit_conversation`.
        settles: whether to divide again; not where each time somebody outside writes a summary.
        inserted: examples, which are in whatever happens.

    Raises:
        BudgetExceededError: what must be in is over the limit; carries the parts.
        InputError: there are notes or sections, and no word of the user's.
    """
    asks = asks_of(conversation, costs, limit, pinned, elides=elides, inserted=inserted)
    room, turns = limit, asks.get("history", (0, 0))[0]
    while True:
        beside = surroundings.chosen(surroundings.allocated(asks, limit))
        fixed = sum(needs for name, (_, needs) in asks.items() if name != "history")
        cap = surroundings.policy.demand("history", limit - fixed, asked=0).cap
        most = limit if cap is None else min(limit, fixed + cap)
        room = min(room, most, limit - _tokens(costs, beside))
        try:
            fitted = fits(room)
        except BudgetExceededError as error:
            raise _with_beside(error, limit, limit - room) from error
        told = _asks_of(fitted, costs, inserted)
        body, items, count = _with_text(conversation, fitted, costs, beside)
        over = count.total_tokens - limit
        if over > 0:
            room -= over
        elif told == asks or not settles:
            break
        asks = told
    lines = dict(fitted.count.lines)
    lines["memory"] += count.total_tokens - fitted.tokens
    whole = replace(count, lines=lines)
    beside = replace(beside, allocation=beside.allocation.asking("history", turns))
    return replace(fitted, body=body, items=items, count=whole, limit=limit), beside


def asks_of(
    conversation: Conversation,
    costs: Costs,
    limit: int,
    pinned: frozenset[int],
    *,
    elides: bool,
    inserted: tuple[Inserted, ...] = (),
) -> Asks:
    """What instructions, tools, the question and all turns ask for, framing included."""
    opens = user_opens(conversation, costs.spec)
    required = required_units(conversation, pinned, opens_with_user=opens)
    unit_costs = costs.of_units(conversation)
    lines = _least(conversation, required, costs, inserted)
    if elides:
        room = limit - sum(lines.values())
        shorter, elision = elide(conversation, unit_costs, room, required, costs, pinned=pinned)
        if elision.results:
            conversation, unit_costs = shorter, costs.of_units(shorter)
            lines = _least(conversation, required, costs, inserted)
    examples = sum(lines.values()) - sum(_least(conversation, required, costs).values())
    units = conversation.units
    turns = sum(
        cost for at, cost in enumerate(unit_costs) if at not in required and not units[at].is_broken
    )
    return _named(lines, turns, examples)


def _asks_of(fitted: Fitted, costs: Costs, inserted: tuple[Inserted, ...]) -> Asks:
    """What a conversation that was fitted asks for: itself, and its summary."""
    conversation = replace(fitted.conversation, items=tuple(_items(fitted)))
    lines = _least(conversation, fitted.required, costs, inserted)
    examples = sum(lines.values()) - sum(_least(conversation, fitted.required, costs).values())
    return _named(lines, fitted.tokens - sum(lines.values()), examples)


def _items(fitted: Fitted) -> Sequence[Any]:
    """Every message, results of the latest call elided as they are in the fitted request."""
    return fitted.elision.items or fitted.conversation.items


def _least(
    conversation: Conversation,
    required: frozenset[int],
    costs: Costs,
    inserted: tuple[Inserted, ...] = (),
) -> Mapping[str, int]:
    body = conversation.body_with(conversation.items_of(sorted(required), inserted))
    return costs.whole(body).lines


def _named(lines: Mapping[str, int], turns: int, examples: int) -> Asks:
    """The asks by the names of sections; what frames the request is the question's."""
    system = lines["system_prompt"] + lines["safety_preamble"]
    rest = sum(lines.values()) - system - lines["tools"] - examples
    asked = {
        "instructions": system,
        "tools": lines["tools"],
        "query": rest,
        "examples": examples,
    }
    return {
        **{name: (tokens, tokens) for name, tokens in asked.items() if tokens},
        **({"history": (turns, 0)} if turns else {}),
    }


def _tokens(costs: Costs, beside: Beside) -> int:
    return costs.counter.count(beside.text) if beside.text else 0


def _with_text(
    conversation: Conversation, fitted: Fitted, costs: Costs, beside: Beside
) -> tuple[Mapping[str, Any], tuple[Any, ...], RequestCount]:
    """The fitted request with the sections in front of the user's last word."""
    text = beside.text
    if not text:
        return fitted.body, fitted.items, fitted.count
    place = conversation.last_word
    if place is None:
        raise InputError(
            "Notes and sections stand in front of the user's last word, and there is none",
            hint="Add a message of the user's, or leave memory and sections out",
        )
    word = _items(fitted)[place]
    at = max(at for at, item in enumerate(fitted.items) if item is word)
    items = list(fitted.items)
    items[at] = conversation.shape.with_said(word, lambda said: text + said)
    body = conversation.body_with(items)
    return body, tuple(items), costs.whole(body)


def _with_beside(error: BudgetExceededError, limit: int, beside: int) -> BudgetExceededError:
    """The same error with the sections among its parts."""
    parts = [*error.parts, ("sections beside the conversation", beside)]
    needed = error.needed + beside
    said = ", ".join(f"{name} {tokens}" for name, tokens in parts)
    return BudgetExceededError(
        f"What must stay does not fit into {limit} tokens (needs >= {needed}): {said}",
        needed=needed,
        available=limit,
        parts=parts,
        hint=error.hint,
    )
