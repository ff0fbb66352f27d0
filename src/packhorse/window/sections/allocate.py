"""Divides a room among sections: needs, floors, demands by priority, growth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from packhorse.errors import BudgetExceededError, ConfigError
from packhorse.window.sections.growth import shared_by_growth

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Allocation", "Demand", "Grant", "Granted", "allocate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one section asks for, and what its declaration allows; all in tokens."""

    name: str
    priority: int
    """Lower is served first; ties by name."""
    asked: int
    """What it takes to have all of it in."""
    needs: int = 0
    """Of that: what must be in whatever happens."""
    floor: int = 0
    cap: int | None = None
    growth: int = 0


class Grant(NamedTuple):
    """Tokens that a section got in one step."""

    step: str
    """`needs`, `floor`, `demand` or `growth`."""
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What one section got, and how it came to that."""

    demand: Demand
    grants: tuple[Grant, ...]
    """In the order of the steps; they add up to `got`."""

    @property
    def name(self) -> str:
        """Of the section."""
        return self.demand.name

    @property
    def got(self) -> int:
        """Tokens in all."""
        return sum(grant.tokens for grant in self.grants)

    @property
    def missing(self) -> int:
        """Tokens that it asked for and did not get."""
        return self.demand.asked - self.got

    @property
    def is_below_floor(self) -> bool:
        """Whether it has less than its floor, though it asked for that much."""
        return self.got < min(self.demand.floor, _most(self.demand))


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A room, divided."""

    room: int
    sections: tuple[Granted, ...]
    """In the order in which they are served."""
    left_over: int
    """Nobody asked for it, or everybody who did is at a cap."""
    shared: int = 0
    """What was left over before growth shared it out."""

    def asking(self, name: str, asked: int) -> Allocation:
        """The same, where a section asked for more at first than in the end."""
        return replace(
            self,
            sections=tuple(
                replace(each, demand=replace(each.demand, asked=max(asked, each.demand.asked)))
                if each.name == name
                else each
                for each in self.sections
            ),
        )

    def of(self, name: str) -> int:
        """Tokens of a section; 0 for one that asked for nothing."""
        return next((each.got for each in self.sections if each.name == name), 0)


def allocate(demands: Sequence[Demand], room: int) -> Allocation:
    """What each section gets of `room`; the sum is never over it.

    In this order: what must be in; floors, by priority; what sections without growth ask for, by
    priority; and what is then left over goes to those with growth, by their weights. No section
    gets more than it asks for or than its cap allows. More room never gives a section less.

    Args:
        demands: in any order, which changes nothing.
        room: tokens.

    Raises:
        BudgetExceededError: what must be in is over the room; carries the parts.
        ConfigError: what must be in one section is over its cap.
    """
    order = sorted(demands, key=lambda demand: (demand.priority, demand.name))
    grants: list[list[Grant]] = [[] for _ in order]
    got = [0] * len(order)
    left = room - _give_needs(order, grants, got, room)

    def give(step: str, target: Callable[[Demand], int]) -> None:
        nonlocal left
        for at, demand in enumerate(order):
            more = max(0, min(target(demand) - got[at], left))
            if more:
                grants[at].append(Grant(step, more))
                got[at] += more
                left -= more

    give("floor", lambda demand: min(demand.floor, _most(demand)))
    give("demand", lambda demand: 0 if demand.growth else _most(demand))
    shared = left
    growing = [at for at, demand in enumerate(order) if demand.growth]
    shares = shared_by_growth(
        left,
        [order[at].growth for at in growing],
        [_most(order[at]) - got[at] for at in growing],
    )
    for at, share in zip(growing, shares, strict=True):
        if share:
            grants[at].append(Grant("growth", share))
    return Allocation(
        room=room,
        sections=tuple(
            Granted(demand=demand, grants=tuple(own))
            for demand, own in zip(order, grants, strict=True)
        ),
        left_over=left - sum(shares),
        shared=shared if any(shares) else 0,
    )


def _give_needs(
    order: Sequence[Demand], grants: list[list[Grant]], got: list[int], room: int
) -> int:
    """Grants what must be in; tokens in all."""
    for at, demand in enumerate(order):
        if demand.cap is not None and demand.needs > demand.cap:
            raise ConfigError(
                f"The section {demand.name} has a cap of {demand.cap} tokens, and {demand.needs}"
                " of it must be in",
                hint=f"Raise sections.{demand.name}.cap, or shorten what must be in",
            )
        if demand.needs:
            grants[at].append(Grant("needs", demand.needs))
        got[at] = demand.needs
    needed = sum(got)
    if needed > room:
        parts = [(demand.name, demand.needs) for demand in order if demand.needs]
        said = ", ".join(f"{name} {tokens}" for name, tokens in parts)
        largest = max(parts, key=lambda part: part[1])[0]
        raise BudgetExceededError(
            f"What must be in does not fit into {room} tokens (needs >= {needed}): {said}",
            needed=needed,
            available=room,
            parts=parts,
            hint=f"Shorten {largest} by {needed - room} tokens, or give more room",
        )
    return needed


def _most(demand: Demand) -> int:
    """What a section can take: what it asks for, up to its cap, and what must be in."""
    most = demand.asked if demand.cap is None else min(demand.asked, demand.cap)
    return max(most, demand.needs)
