"""Notes of a packet as they were chosen then: those that were left out have no text in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.packet.sections import note_of
from packhorse.tokens.framed import recount
from packhorse.window.memory.choose import ChosenNotes
from packhorse.window.memory.render import memory_section
from packhorse.window.memory.scores import NoteScore
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.types.note import Note

__all__ = ["RecordedNotes", "asked_sections", "recorded_notes"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedNotes:
    """Notes that were chosen already; the section is rendered and counted again."""

    entries: tuple[Document, ...]
    asked: int
    counter: TokenCounter

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those that are in, then the others, whose texts are not in the packet."""
        return tuple(note_of(entry) for entry in self.entries)

    def choose(self, room: int) -> ChosenNotes:
        """What was chosen then, whatever the room is now."""
        del room
        kept = [entry for entry in self.entries if entry["included"]]
        text = memory_section([note_of(entry) for entry in kept])
        why = {
            each["note_id"]: LeftOut(each["reason_code"], each["reason"]) for each in self.entries
        }
        ids = {entry["note_id"] for entry in kept}
        return ChosenNotes(
            kept=tuple(entry["note_id"] for entry in kept),
            left_out={note_id: each for note_id, each in why.items() if note_id not in ids},
            tokens=recount(self.counter, text) if text else 0,
            text=text,
            costs={each["note_id"]: each["tokens"] for each in self.entries},
            because={note_id: why[note_id] for note_id in ids},
            scores={
                each["note_id"]: NoteScore(
                    each["relevance_score"], each["freshness_score"], each["score"]
                )
                for each in self.entries
            },
            notes=self.notes,
            asked=self.asked,
        )


def recorded_notes(document: Document, counter: TokenCounter) -> RecordedNotes | None:
    """The notes of a packet; None for one without."""
    memory = document.get("memory")
    if memory is None:
        return None
    return RecordedNotes(entries=tuple(memory["notes"]), asked=memory["asked"], counter=counter)


def asked_sections(document: Document) -> Mapping[str, tuple[int, int]]:
    """What the whole conversation, and evidence within its budget, asked for."""
    return {
        each["name"]: (each["asked"], each["needs"])
        for each in document.get("sections", ())
        if each["name"] in ("history", "evidence")
    }
