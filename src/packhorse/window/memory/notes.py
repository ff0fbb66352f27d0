"""Reads notes, strictly: a file with one JSON object a line, or mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.given_records import RecordKind
from packhorse.ingest.newlines import lf_only
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.text.wellformed import well_formed
from packhorse.types.note import Note

__all__ = ["Memory", "read_notes"]

Memory = str | Path | Sequence["Note | Mapping[str, object]"]
"""A file of notes, or the notes."""

KIND = RecordKind(
    name="a note",
    plural="memory",
    fields=("id", "text", "timestamp", "tags", "key", "subject", "attribute"),
    example='{"id": "n1", "text": "...", "timestamp": "2026-01-15", "tags": ["units"]}',
)


def read_notes(memory: Memory | None) -> tuple[Note, ...]:
    """The notes, in their order; None is none.

    Raises:
        InputError: a file that cannot be read, or a note that cannot be used; names its place.
    """
    if memory is None:
        return ()
    notes: list[Note] = []
    places: dict[str, str] = {}
    for where, given in KIND.given(memory):
        note = given if isinstance(given, Note) else _note(given, where)
        if note.note_id in places:
            KIND.used_before(f"note id {note.note_id!r}", places[note.note_id], where)
        places[note.note_id] = where
        notes.append(note)
    return tuple(notes)


def _note(given: object, where: str) -> Note:
    fields = KIND.mapping(given, where)
    note = Note(
        note_id=KIND.text(fields, "id", where, required=True).strip(),
        text=lf_only(KIND.text(fields, "text", where, required=True)),
        timestamp=None,
        tags=_tags(fields.get("tags"), where),
        key=KIND.text(fields, "key", where).strip(),
        subject=KIND.text(fields, "subject", where).strip(),
        attribute=KIND.text(fields, "attribute", where).strip(),
    )
    if bool(note.subject) != bool(note.attribute):
        raise InputError(
            f"A note has one of subject and attribute, {where}", hint="Give both, or a key"
        )
    stamp = fields.get("timestamp")
    if stamp is None:
        return note
    try:
        instant = parse_timestamp(stamp)
    except ValueError as error:
        raise InputError(
            f"timestamp: {error}, {where}", hint="Write it as 2026-01-15, or leave it out"
        ) from error
    return Note(**{**{name: getattr(note, name) for name in Note.__slots__}, "timestamp": instant})


def _tags(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if (
        not isinstance(value, Sequence)
        or isinstance(value, (str, bytes))
        or not all(isinstance(tag, str) and tag.strip() for tag in value)
    ):
        raise InputError(
            f"A note's tags are no list of texts, {where}", hint='Write them as ["units", "home"]'
        )
    return tuple(dict.fromkeys(well_formed(str(tag)).strip() for tag in value))
