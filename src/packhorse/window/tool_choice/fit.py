"""Fits a conversation with the tools that it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.window.policies.policy import LeftOut
from packhorse.window.tool_choice.capped import CALLED, known_pins, without_idle
from packhorse.window.tool_choice.definitions import definitions, forced_names, with_tools
from packhorse.window.tool_choice.pool import called_by, tool_pool

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.fit import Fitted
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["ToolOptions", "fit_with_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """How many tools a request may define."""

    max_tools: int | None = None
    max_tokens: int | None = None
    pinned: tuple[str, ...] = ()
    """Names of tools that stay."""
    previous: tuple[str, ...] = ()
    """Names of the tools that the request before defined."""
    is_asked_once: bool = False
    """Whether fitting may happen once alone, because a summariser takes part."""


ToolRoom = Callable[[tuple[int, int]], int]
"""Tokens that tools ask for, and of those that must be in -> tokens that they get."""


def fit_with_tools(
    conversation: Conversation,
    costs: Costs,
    options: ToolOptions,
    fit: Callable[[Conversation], Fitted],
    room: ToolRoom | None = None,
) -> tuple[Fitted, ChosenTools]:
    """The conversation as `fit` fits it, with the tools that belong to it.

    Tools that the conversation calls stay, as far as the call stays: which calls do depends on the
    room that tools leave, so it is fitted again with each tool that turns out to be needed.

    Args:
        conversation: with all its tools.
        costs: counts for the model.
        options: how many tools there may be.
        fit: fits the conversation with some tools.
        room: gives tools their room among the sections; None: they are given all that they take.

    Raises:
        InputError: a pinned tool that the request does not define, or two tools of one name.
    """
    body = conversation.body
    names = [each.name for each in definitions(body.get("tools") or ())]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(
            f"The tool {twice!r} is defined twice",
            hint="Give each tool a name of its own: tools are chosen, called and pinned by name",
        )
    known_pins(options.pinned, names)
    stays = dict.fromkeys(options.pinned, LeftOut("pinned"))
    for name in sorted(forced_names(body)):
        stays.setdefault(name, LeftOut("forced", "the request says to call it"))
    pool = tool_pool(conversation, costs)
    whole = [at for at, unit in enumerate(conversation.units) if not unit.is_broken]
    needed: Collection[str] = called_by(conversation, whole) if options.is_asked_once else ()
    while True:
        for name in sorted(needed):
            stays.setdefault(name, CALLED)
        chosen = pool.choose(options.max_tokens, options.max_tools, stays, options.previous)
        if room is not None and chosen.kept:
            most = room((chosen.tokens, pool.whole(list(stays)) if stays else 0))
            if chosen.tokens > most:
                chosen = pool.choose(most, options.max_tools, stays, options.previous)
        fitted = fit(replace(conversation, body=with_tools(body, set(chosen.kept))))
        needed = called_by(fitted.conversation, fitted.kept) & set(names) - set(chosen.kept)
        if not needed:
            return _without_idle(fitted, chosen, costs)


def _without_idle(fitted: Fitted, chosen: ChosenTools, costs: Costs) -> tuple[Fitted, ChosenTools]:
    """Without tools that were in for calls which, beside them, found no room or are summed up."""
    called = called_by(fitted.conversation, fitted.kept)
    idle = {name for name, why in chosen.because.items() if why is CALLED and name not in called}
    if not idle:
        return fitted, chosen
    body = with_tools(fitted.body, set(chosen.kept) - idle)
    before, after = costs.whole(fitted.body), costs.whole(body)
    lines = {
        name: tokens + after.lines[name] - before.lines[name]
        for name, tokens in fitted.count.lines.items()
    }
    less = without_idle(chosen, idle, lambda _: after.lines["tools"])
    return replace(fitted, body=body, count=replace(after, lines=lines)), less
