"""Sections and notes in a packet: what each asked for and got, and every note's decision."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from packhorse.packet.canonical import iso_instant
from packhorse.types.note import Note
from packhorse.window.memory.decisions import note_decisions

if TYPE_CHECKING:
    from packhorse.window.memory.choose import ChosenNotes
    from packhorse.window.sections.allocate import Granted
    from packhorse.window.sections.surround import Beside

__all__ = ["note_of", "sections_fields"]

Document = dict[str, Any]


def sections_fields(beside: Beside | None) -> Document:
    """`sections` and `memory`; nothing where neither notes nor sections were given."""
    if beside is None:
        return {}
    fields: Document = {
        "sections": [_section(beside, granted, why) for granted, why in beside.lines()]
    }
    if beside.memory is not None:
        fields["memory"] = _memory(beside.memory)
    return fields


def note_of(entry: Mapping[str, Any]) -> Note:
    """The note of an entry; its text is empty where the packet leaves it out."""
    stamp = entry["timestamp"]
    return Note(
        note_id=entry["note_id"],
        text=entry.get("text", ""),
        timestamp=None if stamp is None else datetime.fromisoformat(stamp),
        tags=tuple(entry["tags"]),
        key=entry["key"],
        subject=entry["subject"],
        attribute=entry["attribute"],
    )


def _section(beside: Beside, granted: Granted, reason: str) -> Document:
    demand = granted.demand
    own = next((each for each in beside.own if each.name == granted.name), None)
    left_out = [
        {"piece": piece, "reason_code": why.code, "excluded_reason": f"{why.code} ({why.detail})"}
        for piece, why in (own.left_out.items() if own else ())
    ]
    return {
        "name": granted.name,
        "rule": beside.policy[granted.name].rule,
        "priority": demand.priority,
        "floor": demand.floor,
        "cap": demand.cap,
        "growth": demand.growth,
        "asked": demand.asked,
        "needs": demand.needs,
        "got": granted.got,
        "reason": reason,
        **({"left_out": left_out} if left_out else {}),
    }


def _memory(chosen: ChosenNotes) -> Document:
    notes = {note.note_id: note for note in chosen.notes}
    entries = []
    for decision in note_decisions(chosen):
        note, score = notes[decision.note_id], chosen.scores[decision.note_id]
        entries.append(
            {
                "note_id": note.note_id,
                "included": decision.kept,
                "reason_code": decision.reason_code,
                "reason": decision.reason,
                "tokens": decision.tokens,
                "score": score.score,
                "relevance_score": score.relevance,
                "freshness_score": score.freshness,
                "timestamp": None if note.timestamp is None else iso_instant(note.timestamp),
                "tags": note.tags,
                "key": note.key,
                "subject": note.subject,
                "attribute": note.attribute,
                **({"text": note.text} if decision.kept else {}),
            }
        )
    return {"asked": chosen.asked, "tokens": chosen.tokens, "notes": entries}
