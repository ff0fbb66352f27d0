"""The one place where the rooms of sections are known: what stands beside turns and evidence.

Whatever competes here does it in the same form: it says what it asks for, is given a room in
tokens, and gives back what it kept, why it left the rest out, and what that costs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhorse.window.sections.allocate import Allocation, allocate
from packhorse.window.sections.explain import explained, squeezed_by
from packhorse.window.sections.own import OwnSection, own_section
from packhorse.window.sections.policy import SectionPolicy, section_policy

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.memory.choose import ChosenNotes
    from packhorse.window.policies.policy import LeftOut
    from packhorse.window.sections.allocate import Granted
    from packhorse.window.sections.pools import Pools
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["Asks", "Beside", "Surroundings", "below_floor"]

UNLIMITED = 1 << 60
Asks = Mapping[str, tuple[int, int]]
"""Name of a section -> tokens that it asks for, and of those the ones that must be in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What came of the sections."""

    allocation: Allocation
    memory: ChosenNotes | None = None
    """None where there are no notes."""
    examples: ChosenExamples | None = None
    """None where there are none to choose from."""
    tools: ChosenTools | None = None
    """None where there are none to choose from."""
    own: tuple[OwnSection, ...] = ()
    policy: SectionPolicy = field(default_factory=section_policy)
    told: Mapping[str, str] = field(default_factory=dict)
    """Name of a section that was served before the others -> why it got its room."""

    @property
    def text(self) -> str:
        """Own sections and notes, as they stand in front of evidence and question."""
        return "".join((*(each.text for each in self.own), self.memory.text if self.memory else ""))

    def lines(self) -> Iterator[tuple[Granted, str]]:
        """Each section with why it got what it got, in the order in which they are served."""
        for each in self.allocation.sections:
            yield each, self.told.get(each.name) or explained(self.allocation, each)

    def left_out(self) -> Iterator[tuple[str, str, LeftOut]]:
        """(section, piece, why) of everything that is not in."""
        for own in self.own:
            for piece, why in own.left_out.items():
                yield own.name, piece, why
        if self.memory:
            for note_id, why in self.memory.left_out.items():
                yield "memory", note_id, why


class Surroundings:
    """What competes for a request besides its turns and its evidence.

    Args:
        policy: every section, complete.
        pools: notes, examples and tools.
        counter: counts for the target model.
    """

    def __init__(self, policy: SectionPolicy, pools: Pools, counter: TokenCounter) -> None:
        self.policy = policy
        self.pools = pools
        self._counter = counter
        self._asked = {
            section.name: (own_section(section, UNLIMITED, counter).tokens, 0)
            for section in policy.own
        }
        if pools.notes is not None:
            self._asked["memory"] = (pools.notes.asked, 0)
        if pools.examples is not None:
            self._asked["examples"] = (pools.examples.asked, 0)

    def asks(self, called: Collection[str] = ()) -> Asks:
        """What notes, examples, tools and own sections ask for."""
        tools = self.pools.tools
        return self._asked if tools is None else {**self._asked, "tools": tools.asks(called)}

    def allocated(self, asks: Asks, room: int, called: Collection[str] = ()) -> Allocation:
        """The room, divided among what is asked from outside and what competes here.

        Args:
            asks: of turns, evidence and whatever is fixed.
            room: tokens of all of it.
            called: names of the tools that the conversation calls.

        Raises:
            BudgetExceededError: what must be in is over the room.
            ConfigError: what must be in one section is over its cap.
        """
        together = {**asks, **self.asks(called)}
        fixed = sum(
            asked for name, (asked, _) in together.items() if self.policy[name].rule == "never"
        )
        demands = [
            self.policy.demand(name, room - fixed, asked=asked, needs=needs)
            for name, (asked, needs) in together.items()
        ]
        return allocate(demands, room)

    def chosen(self, allocation: Allocation, called: Collection[str] = ()) -> Beside:
        """What fits into the rooms of an allocation."""
        notes, examples, tools = self.pools.notes, self.pools.examples, self.pools.tools
        return Beside(
            allocation=allocation,
            memory=None if notes is None else notes.choose(allocation.of("memory")),
            examples=None if examples is None else examples.choose(allocation.of("examples")),
            tools=None if tools is None else tools.choose(allocation.of("tools"), called),
            own=tuple(
                own_section(section, allocation.of(section.name), self._counter)
                for section in self.policy.own
            ),
            policy=self.policy,
        )


def below_floor(allocation: Allocation) -> Iterator[str]:
    """A sentence for each section that has less than its floor."""
    for each in allocation.sections:
        if each.is_below_floor:
            by = squeezed_by(allocation, each)
            yield (
                f"{each.name} has {each.got:,} of its floor of {each.demand.floor:,} tokens"
                + (f", squeezed by {by}" if by else "")
            )
