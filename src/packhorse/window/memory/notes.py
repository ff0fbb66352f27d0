"""Reads notes, strictly: a file with one JSON object a line, or mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.ingest.newlines import lf_only
from packhorse.ingest.strict_json import parse_object
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.profiles.keys import nearest
from packhorse.text.wellformed import well_formed
from packhorse.types.note import Note

__all__ = ["Memory", "read_notes"]

Memory = str | Path | Sequence["Note | Mapping[str, object]"]
"""A file of notes, or the notes."""

FIELDS = ("id", "text", "timestamp", "tags", "key", "subject", "attribute")
EXAMPLE = '{"id": "n1", "text": "...", "timestamp": "2026-01-15", "tags": ["units"]}'


def read_notes(memory: Memory | None) -> tuple[Note, ...]:
    """The notes, in their order; None is none.

    Raises:
        InputError: a file that cannot be read, or a note that cannot be used; names its place.
    """
    if memory is None:
        return ()
    notes: list[Note] = []
    places: dict[str, str] = {}
    for where, given in _given(memory):
        note = given if isinstance(given, Note) else _note(given, where)
        if note.note_id in places:
            raise InputError(
                f"The note id {note.note_id!r} was used before, {places[note.note_id]} and {where}",
                hint="Give each note an id of its own",
            )
        places[note.note_id] = where
        notes.append(note)
    return tuple(notes)


def _given(memory: Memory) -> Iterator[tuple[str, object]]:
    if isinstance(memory, (str, Path)):
        yield from _lines(Path(memory))
    elif isinstance(memory, Sequence):
        for at, each in enumerate(memory):
            yield f"memory[{at}]", each
    else:
        raise InputError("The memory is no list of notes", hint=f"A note is {EXAMPLE}")


def _lines(path: Path) -> Iterator[tuple[str, object]]:
    for number, line in utf8_lines(path):
        where = f"{path} line {number}"
        if line is None:
            raise InputError(f"A line is too long, {where}", hint="A note is one short statement")
        if line.isspace():
            continue
        try:
            yield where, parse_object(line.decode("utf-8").strip())
        except UnicodeDecodeError as error:
            raise InputError(
                f"Not UTF-8 at byte {error.start + 1} of the line, {where}",
                hint="Save the file as UTF-8",
            ) from error
        except ValueError as error:
            raise InputError(f"{error}, {where}", hint=f"A note is {EXAMPLE}") from error


def _note(given: object, where: str) -> Note:
    if not isinstance(given, Mapping):
        raise InputError(f"A note is no object, {where}", hint=f"A note is {EXAMPLE}")
    for name in given:
        if name not in FIELDS:
            near = nearest(str(name), FIELDS)
            hint = f"Did you mean {near}?" if near else f"Known fields: {', '.join(FIELDS)}"
            raise InputError(f"A note has the unknown field {name!r}, {where}", hint=hint)
    note = Note(
        note_id=_text(given, "id", where, required=True),
        text=lf_only(_text(given, "text", where, required=True)),
        timestamp=None,
        tags=_tags(given.get("tags"), where),
        key=_text(given, "key", where),
        subject=_text(given, "subject", where),
        attribute=_text(given, "attribute", where),
    )
    if bool(note.subject) != bool(note.attribute):
        raise InputError(
            f"A note has one of subject and attribute, {where}", hint="Give both, or a key"
        )
    stamp = given.get("timestamp")
    if stamp is None:
        return note
    try:
        instant = parse_timestamp(stamp)
    except ValueError as error:
        raise InputError(
            f"timestamp: {error}, {where}", hint="Write it as 2026-01-15, or leave it out"
        ) from error
    return Note(**{**{name: getattr(note, name) for name in Note.__slots__}, "timestamp": instant})


def _text(given: Mapping[str, object], name: str, where: str, *, required: bool = False) -> str:
    value = given.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or not (value.strip() or not required):
        said = "missing" if value is None else "empty" if value == "" else f"{value!r}"[:60]
        raise InputError(f"A note's {name} is {said}, {where}", hint=f"A note is {EXAMPLE}")
    return well_formed(value) if name == "text" else well_formed(value).strip()


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
