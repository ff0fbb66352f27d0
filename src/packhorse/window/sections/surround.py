"""The one place where the rooms of sections are known: what stands beside turns and evidence.

Whatever competes here does it in the same form: it says what it asks for, is given a room in
tokens, and gives back what it kept, why it left the rest out, and what that costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhorse.window.memory.choose import HALF_LIFE_DAYS, ChosenNotes, NotePool, memory_pool
from packhorse.window.sections.allocate import Allocation, allocate
from packhorse.window.sections.explain import explained, squeezed_by
from packhorse.window.sections.own import OwnSection, own_section
from packhorse.window.sections.policy import SectionPolicy, section_policy

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.config import Weights
    from packhorse.protocols import TokenCounter
    from packhorse.types.note import Note
    from packhorse.window.policies.policy import LeftOut
    from packhorse.window.sections.allocate import Granted

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
    own: tuple[OwnSection, ...] = ()
    policy: SectionPolicy = field(default_factory=section_policy)

    @property
    def text(self) -> str:
        """Own sections and notes, as they stand in front of evidence and question."""
        return "".join((*(each.text for each in self.own), self.memory.text if self.memory else ""))

    def lines(self) -> Iterator[tuple[Granted, str]]:
        """Each section with why it got what it got, in the order in which they are served."""
        for each in self.allocation.sections:
            yield each, explained(self.allocation, each)

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
        notes: the memory.
        question: what the user asks.
        counter: counts for the target model.
        as_of: the instant that ages of notes are measured from; None: that of the newest note.
        weights: of relevance and freshness of notes; default: those of evidence.
        half_life_days: age at which a note's freshness is 0.5.
        pool: notes that were chosen already, in the place of `notes`.
    """

    def __init__(
        self,
        policy: SectionPolicy,
        notes: Sequence[Note],
        question: str,
        counter: TokenCounter,
        *,
        as_of: datetime | None = None,
        weights: Weights | None = None,
        half_life_days: float = HALF_LIFE_DAYS,
        pool: NotePool | None = None,
    ) -> None:
        self.policy = policy
        self._counter = counter
        self._pool: NotePool = pool or memory_pool(
            notes,
            question,
            counter,
            as_of=as_of,
            weights=weights,
            half_life_days=half_life_days,
        )

    def asks(self) -> Asks:
        """What notes and own sections ask for."""
        asked = {
            section.name: own_section(section, UNLIMITED, self._counter).tokens
            for section in self.policy.own
        }
        if self._pool.notes:
            asked["memory"] = self._pool.asked
        return {name: (tokens, 0) for name, tokens in asked.items()}

    def allocated(self, asks: Asks, room: int) -> Allocation:
        """The room, divided among what is asked from outside and what competes here.

        Args:
            asks: of turns, evidence and whatever is fixed.
            room: tokens of all of it.

        Raises:
            BudgetExceededError: what must be in is over the room.
            ConfigError: what must be in one section is over its cap.
        """
        together = {**asks, **self.asks()}
        fixed = sum(
            asked for name, (asked, _) in together.items() if self.policy[name].rule == "never"
        )
        demands = [
            self.policy.demand(name, room - fixed, asked=asked, needs=needs)
            for name, (asked, needs) in together.items()
        ]
        return allocate(demands, room)

    def chosen(self, allocation: Allocation) -> Beside:
        """What fits into the rooms of an allocation."""
        return Beside(
            allocation=allocation,
            memory=self._pool.choose(allocation.of("memory")) if self._pool.notes else None,
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
