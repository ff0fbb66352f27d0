"""Chooses notes for a room: what holds, best first, each whole; and a reason for every note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from packhorse.config import Weights
from packhorse.tokens.framed import framed_counts, recount
from packhorse.window.memory.render import (
    MEMORY_CLOSING,
    MEMORY_OPENING,
    memory_section,
    note_line,
)
from packhorse.window.memory.scores import NoteScore, note_scores
from packhorse.window.memory.superseded import newest_first, out_of_date
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from packhorse.protocols import TokenCounter
    from packhorse.types.note import Note

__all__ = ["ChosenNotes", "MemoryPool", "NotePool", "memory_pool"]

HALF_LIFE_DAYS = 365.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenNotes:
    """The notes that are in, and why the others are not."""

    kept: tuple[str, ...]
    """Ids in reading order: newest first."""
    left_out: Mapping[str, LeftOut]
    """Id -> code and numbers: `superseded`, `duplicate` or `exceeded_remaining_budget`."""
    tokens: int
    """Of the whole section, recounted as one text."""
    text: str
    """The section; empty for no notes."""
    costs: Mapping[str, int]
    """Id -> tokens of its line."""
    because: Mapping[str, LeftOut] = field(default_factory=dict)
    """Id of a note that is in -> why."""
    scores: Mapping[str, NoteScore] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    """All of them, as they were given."""
    asked: int = 0
    """Tokens of the section with all notes that hold."""


class NotePool(Protocol):
    """Notes that compete, or that did when a packet was made."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """As they were given."""
        ...

    @property
    def asked(self) -> int:
        """Tokens of the section with all notes that hold."""
        ...

    def choose(self, room: int) -> ChosenNotes:
        """What fits into a room."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MemoryPool:
    """Notes that compete for a question, ranked and counted."""

    notes: tuple[Note, ...]
    """As they were given."""
    ranked: tuple[Note, ...]
    """Those that hold, best first: by score, then newest first, then by id."""
    scores: Mapping[str, NoteScore]
    gone: Mapping[str, LeftOut]
    """Those that do not hold any more."""
    costs: Mapping[str, int]
    frame: int
    """Tokens of the section around its notes."""
    counter: TokenCounter

    @property
    def asked(self) -> int:
        """Tokens of the section with all notes that hold."""
        return self.frame + sum(self.costs[note.note_id] for note in self.ranked)

    def choose(self, room: int) -> ChosenNotes:
        """The best notes that fit; one that does not is passed over.

        The section is counted whole; where that is over the room, it is chosen again with less.
        """
        tight = room
        while True:
            kept, out = self._walk(tight)
            reading = newest_first([note for note in self.notes if note.note_id in kept])
            text = memory_section(reading)
            tokens = recount(self.counter, text) if text else 0
            if tokens <= room:
                break
            tight -= tokens - room
        place = {note.note_id: at for at, note in enumerate(self.ranked, start=1)}
        return ChosenNotes(
            kept=tuple(note.note_id for note in reading),
            left_out={
                note.note_id: out[note.note_id] for note in self.notes if note.note_id in out
            },
            tokens=tokens,
            text=text,
            costs=self.costs,
            because={
                note.note_id: LeftOut("ranked", self._told(note, place[note.note_id]))
                for note in reading
            },
            scores=self.scores,
            notes=self.notes,
            asked=self.asked,
        )

    def _walk(self, room: int) -> tuple[set[str], dict[str, LeftOut]]:
        kept: set[str] = set()
        out = dict(self.gone)
        left = room - self.frame
        for note in self.ranked:
            cost = self.costs[note.note_id]
            if cost <= left:
                left -= cost
                kept.add(note.note_id)
            else:
                had = f"needed {cost}, had {max(0, left)}"
                out[note.note_id] = LeftOut("exceeded_remaining_budget", had)
        return kept, out

    def _told(self, note: Note, rank: int) -> str:
        score = self.scores[note.note_id]
        return (
            f"rank {rank} of {len(self.ranked)}: {score.score:.3f} from relevance"
            f" {score.relevance:.3f} and freshness {score.freshness:.3f}"
        )


def memory_pool(
    notes: Sequence[Note],
    question: str,
    counter: TokenCounter,
    *,
    as_of: datetime | None = None,
    weights: Weights | None = None,
    half_life_days: float = HALF_LIFE_DAYS,
) -> MemoryPool:
    """Notes, ranked for a question and counted.

    Args:
        notes: in any order; of two of one instant the later one is the newer.
        question: what is asked.
        counter: counts for the target model.
        as_of: the instant that ages are measured from; None: that of the newest note.
        weights: of relevance and freshness; default: those of evidence.
        half_life_days: age at which freshness is 0.5.
    """
    gone = {
        note_id: LeftOut(why.code, f"by {why.by}: {why.how}")
        for note_id, why in out_of_date(notes).items()
    }
    order = newest_first(notes)
    scores = dict(
        zip(
            (note.note_id for note in order),
            note_scores(order, question, as_of, weights or Weights(), half_life_days),
            strict=True,
        )
    )
    lines = [note_line(note) for note in order]
    _, costs = framed_counts(counter, [note.text for note in order], lines)
    ranked = [note for note in order if note.note_id not in gone]
    ranked.sort(key=lambda note: -scores[note.note_id].score)  # stable: newest first among equals
    return MemoryPool(
        notes=tuple(notes),
        ranked=tuple(ranked),
        scores=scores,
        gone=gone,
        costs=dict(zip((note.note_id for note in order), costs, strict=True)),
        frame=counter.count(MEMORY_OPENING + MEMORY_CLOSING) if notes else 0,
        counter=counter,
    )
