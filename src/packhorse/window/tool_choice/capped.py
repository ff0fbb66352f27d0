"""Tools that compete for a room of the window, under caps of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from packhorse.errors import InputError
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.window.tool_choice.choose import ChosenTools, ToolPool

__all__ = ["CALLED", "IDLE", "CappedTools", "ToolCaps", "ToolRoom", "known_pins"]

CALLED = LeftOut("called", "a call that stays in the conversation")
IDLE = LeftOut("not_called_any_more", "no call that stays needs it")
PINNED = LeftOut("pinned")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCaps:
    """How many tools a request may define."""

    max_tools: int | None = None
    max_tokens: int | None = None
    pinned: tuple[str, ...] = ()
    """Names of tools that stay."""


class ToolRoom(Protocol):
    """Tools that compete for a room, or that did when a packet was made."""

    def asks(self, called: Collection[str]) -> tuple[int, int]:
        """Tokens of the tools that the caps allow, and of those that must be in."""
        ...

    def choose(self, room: int, called: Collection[str]) -> ChosenTools:
        """What fits into a room; tools that calls in the conversation need are in."""
        ...

    def without(self, chosen: ChosenTools, idle: Collection[str]) -> ChosenTools:
        """The same without tools that were in for calls which are not there any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CappedTools:
    """Tools with the caps that were asked for.

    Raises:
        InputError: a pinned tool that is not defined.
    """

    pool: ToolPool
    caps: ToolCaps

    def __post_init__(self) -> None:
        known_pins(self.caps.pinned, [tool.name for tool in self.pool.tools])

    def asks(self, called: Collection[str]) -> tuple[int, int]:
        """Tokens of the tools that the caps allow, and of those that must be in."""
        stays = self._stays(called)
        needs = self.pool.whole(list(stays)) if stays else 0
        return self._allowed(stays).tokens, needs

    def choose(self, room: int, called: Collection[str]) -> ChosenTools:
        """What fits into a room, within the caps; tools that must be in are, even over it."""
        stays = self._stays(called)
        allowed = self._allowed(stays)
        if allowed.tokens <= room:
            return allowed
        chosen = self.pool.choose(room, self.caps.max_tools, stays)
        # The room is the section's; what was asked for is the cap.
        return replace(chosen, max_tokens=self.caps.max_tokens)

    def without(self, chosen: ChosenTools, idle: Collection[str]) -> ChosenTools:
        """The same without tools that no call needs any more."""
        return without_idle(chosen, idle, self.pool.whole)

    def _allowed(self, stays: Mapping[str, LeftOut]) -> ChosenTools:
        return self.pool.choose(self.caps.max_tokens, self.caps.max_tools, stays)

    def _stays(self, called: Collection[str]) -> dict[str, LeftOut]:
        names = [tool.name for tool in self.pool.tools]
        stays = {name: CALLED for name in names if name in called}
        return stays | dict.fromkeys(self.caps.pinned, PINNED)


def without_idle(
    chosen: ChosenTools, idle: Collection[str], whole: Callable[[Collection[str]], int]
) -> ChosenTools:
    """The choice without some tools, its tokens by `whole`."""
    kept = tuple(name for name in chosen.kept if name not in idle)
    return replace(
        chosen,
        kept=kept,
        tokens=whole(kept) if kept else 0,
        because={name: chosen.because[name] for name in kept},
        definitions={name: chosen.definitions[name] for name in kept},
        left_out={
            name: IDLE if name in idle else chosen.left_out[name]
            for name in chosen.costs
            if name not in kept
        },
    )


def known_pins(pinned: Collection[str], names: Collection[str]) -> None:
    """Makes sure that pinned tools are defined.

    Raises:
        InputError: one is not.
    """
    for name in pinned:
        if name not in names:
            raise InputError(
                f"There is no tool {name!r} to pin",
                hint=f"Defined are: {', '.join(names)}" if names else "No tools are defined",
            )
