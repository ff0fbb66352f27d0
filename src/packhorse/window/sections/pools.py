"""Who competes for the window besides turns and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from packhorse.types.note import Note
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.few_shot.examples import Example
    from packhorse.window.memory.choose import NotePool
    from packhorse.window.tool_choice.capped import ToolCaps, ToolRoom
    from packhorse.window.tool_choice.read import Definitions

__all__ = ["NO_COMPANIONS", "Companions", "ExampleRoom", "Pools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions:
    """What a caller gives to stand beside turns and evidence."""

    notes: tuple[Note, ...] = ()
    examples: tuple[Example, ...] = ()
    tools: Definitions = ()
    caps: ToolCaps | None = None
    """Of the tools; None is none."""

    def __bool__(self) -> bool:
        return bool(self.notes or self.examples or self.tools)


NO_COMPANIONS = Companions()


class ExampleRoom(Protocol):
    """Examples that compete for a room, or that did when a packet was made."""

    @property
    def asked(self) -> int:
        """Tokens of all examples that may be in."""
        ...

    def choose(self, room: int) -> ChosenExamples:
        """What fits into a room."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """The same, ranked for a question and counted for a model. None is nothing of the kind."""

    notes: NotePool | None = None
    examples: ExampleRoom | None = None
    tools: ToolRoom | None = None
