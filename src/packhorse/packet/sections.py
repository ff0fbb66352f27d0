"""Sections in a packet, and every decision about notes, examples and tools that compete in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.packet.canonical import iso_instant
from packhorse.types.message import Message
from packhorse.types.note import Note
from packhorse.window.few_shot.examples import Example
from packhorse.window.memory.decisions import note_decisions

if TYPE_CHECKING:
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.memory.choose import ChosenNotes
    from packhorse.window.policies.policy import LeftOut
    from packhorse.window.sections.allocate import Granted
    from packhorse.window.sections.surround import Beside
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = [
    "definition_of",
    "example_messages",
    "example_of",
    "note_of",
    "sections_fields",
    "tool_definitions",
]

Document = dict[str, Any]


def sections_fields(beside: Beside | None) -> Document:
    """`sections`, `memory`, `examples` and `tools`, as far as there are any."""
    if beside is None:
        return {}
    fields: Document = {
        "sections": [_section(beside, granted, why) for granted, why in beside.lines()]
    }
    if beside.memory is not None:
        fields["memory"] = _memory(beside.memory)
    if beside.examples is not None:
        fields["examples"] = _examples(beside.examples)
    if beside.tools is not None:
        fields["tools"] = _tools(beside.tools)
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


def example_of(entry: Mapping[str, Any]) -> Example:
    """The example of an entry that is in."""
    return Example(
        example_id=entry["example_id"],
        input=entry["input"],
        output=entry["output"],
        label=entry["label"],
    )


def example_messages(document: Mapping[str, Any]) -> tuple[Message, ...]:
    """The examples that are in a packet, as turns of a user and an assistant."""
    entries = document.get("examples", {"examples": ()})["examples"]
    return tuple(
        message
        for entry in entries
        if entry["included"]
        for message in (
            Message(role="user", content=entry["input"]),
            Message(role="assistant", content=entry["output"]),
        )
    )


def tool_definitions(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The definitions of tools that are in a packet, in their order."""
    entries = document.get("tools", {"tools": ()})["tools"]
    return tuple(definition_of(entry) for entry in entries if entry["included"])


def definition_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The definition of a tool that is in, as it was given: order of keys and digits included.

    Raises:
        InputError: it is no JSON object.
    """
    try:
        definition = json.loads(entry["definition"])
    except (ValueError, RecursionError):
        definition = None
    if not isinstance(definition, dict):
        raise InputError(
            f"The packet's definition of the tool {entry['name']!r} is no JSON object",
            hint="Pack the query again, or find the unchanged file",
        )
    return definition


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


def _examples(chosen: ChosenExamples) -> Document:
    shown = {each.example_id: each for each in chosen.examples}
    entries = []
    for example_id, (included, why) in _decided(chosen.kept, chosen.because, chosen.left_out):
        example = shown.get(example_id)
        said = {"input": example.input, "output": example.output} if example else {}
        entries.append(
            {
                "example_id": example_id,
                "included": included,
                "reason_code": why.code,
                "reason": why.detail,
                "tokens": chosen.costs[example_id],
                "content_hash": chosen.digests[example_id],
                **({"label": example.label, **said} if example else {}),
            }
        )
    return {"order": chosen.order, "tokens": chosen.tokens, "examples": entries}


def _tools(chosen: ChosenTools) -> Document:
    entries = [
        {
            "name": name,
            "included": included,
            "reason_code": why.code,
            "reason": why.detail,
            "tokens": chosen.costs[name],
            "content_hash": chosen.digests[name],
            **({"definition": _as_text(chosen.definitions[name])} if included else {}),
        }
        for name, (included, why) in _decided(chosen.kept, chosen.because, chosen.left_out)
    ]
    caps = {"max_tools": chosen.max_tools, "max_tokens": chosen.max_tokens}
    return {**caps, "tokens": chosen.tokens, "tools": entries}


def _as_text(definition: Any) -> str:
    """JSON in a text: in the packet keys are sorted and numbers rounded, and both are counted."""
    return json.dumps(definition, ensure_ascii=False)


def _decided(
    kept: Sequence[str], because: Mapping[str, LeftOut], left_out: Mapping[str, LeftOut]
) -> Iterator[tuple[str, tuple[bool, LeftOut]]]:
    """Those that are in, in their order; then the others, in the order given."""
    yield from ((name, (True, because[name])) for name in kept)
    yield from ((name, (False, why)) for name, why in left_out.items())
