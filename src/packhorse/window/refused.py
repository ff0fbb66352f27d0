"""What a provider will refuse in a request that fits, because it was so in what was given.

Fitting leaves out what it can: half a tool call, an assistant's message that may not be first. What
it keeps by its own rules, or because the caller pinned it, is told instead.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from packhorse.errors import BudgetExceededError, InputError
from packhorse.window.fit import BROKEN, NOT_FIRST
from packhorse.window.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.window.fit import Fitted
    from packhorse.window.shapes.shape import Entry

__all__ = ["check_says_something", "refusals"]

REFUSES = "the provider will refuse the request"
CALLED_BY_NAME = "gemini"
"""The shape in which a call needs no id, so that two calls of one function look alike."""


def refusals(fitted: Fitted) -> tuple[str, ...]:
    """A sentence for each rule of the provider that the fitted request breaks."""
    shape = fitted.conversation.shape
    entries = shape.entries(fitted.items)
    by_name = shape.name == CALLED_BY_NAME
    told = []
    nameless = sum(
        not each for entry in entries if not entry.is_plain for each in entry.calls + entry.results
    )
    if nameless:
        what = "a name" if by_name else "an id"
        told.append(f"{REFUSES}: tool calls or results without {what} ({nameless})")
    alike = 0 if by_name else _alike(entries)
    if alike:
        told.append(f"{REFUSES}: parallel tool calls with the same id ({alike})")
    if not entries and fitted.conversation.items:
        told.append(f"{REFUSES}: no message is left")
    first = next((entry for entry in entries if not entry.is_instruction), None)
    if fitted.opens_with_user and first is not None and (first.role != "user" or first.results):
        told.append(f"{REFUSES}: it does not open with the user")
    return tuple(told)


def check_says_something(fitted: Fitted) -> None:
    """Refuses to leave out every message: no provider takes a request without one.

    Where all are halves of tool calls there is nothing to save, which `refusals` tells.

    Raises:
        InputError: no message may be first.
        BudgetExceededError: none of them fits.
    """
    given = fitted.conversation
    if fitted.items or not given.items:
        return
    codes = {why.code for why in fitted.left_out.values()}
    if codes == {BROKEN.code}:
        return  # was of no use as it was given; the warnings say so
    if codes <= {BROKEN.code, NOT_FIRST.code}:
        raise InputError(
            "Nothing of the conversation may stay: the provider wants the user to open, and no word"
            " of the user's is in it",
            hint="Give the conversation with a message of the user's",
        )
    least = min(fitted.costs[at] for at, unit in enumerate(given.units) if not unit.is_broken)
    needed = fitted.tokens + least
    raise BudgetExceededError(
        f"No message fits into {fitted.limit} tokens (needs >= {needed})",
        needed=needed,
        available=fitted.limit,
        parts=[("beside messages", fitted.tokens), ("smallest message", least)],
        hint="Raise the limit",
    )


def _alike(entries: Sequence[Entry]) -> int:
    """Calls with an id that another call of the same unit has."""
    n_alike = 0
    for unit in units_of(entries):
        if unit.is_call:
            ids = Counter(each for at in unit.places for each in entries[at].calls if each)
            n_alike += sum(n for n in ids.values() if n > 1)
    return n_alike
