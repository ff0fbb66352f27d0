"""Which notes a newer one has made out of date.

Three things say that two notes state one fact: the same key, the same subject and attribute, and
texts that run in parallel with another value in one place. The last is for notes that nobody
annotated, and is careful: `I like tea` does not end `I like coffee`. A note that states more than
one thing is out of date only where all of it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from packhorse.text.shingles import normalised_hash
from packhorse.types.chunk import Chunk
from packhorse.verify.consistency.conflicts import find_conflicts
from packhorse.verify.consistency.statements import facts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from packhorse.types.note import Note
    from packhorse.types.verdict import Claim
    from packhorse.verify.consistency.statements import Statement

__all__ = ["OutOfDate", "newest_first", "out_of_date"]

OLDEST = datetime.min.replace(tzinfo=UTC)
_SINGLE = re.compile(
    r"(?P<head>.+?\b(?:(?:is|are|was|were)(?: (?:called|named|based in|located in))?"
    r"|lives? in|lived in|works? (?:at|for)))\s+(?P<value>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A statement up to a relation that holds for one thing at a time, and what it says after that."""
_OWNED = re.compile(r"['\u2019]s?\s|\b(?:my|our|his|her|its|their|your)\b|\bof\b", re.IGNORECASE)
_STATE = re.compile(r"(?:is|are|was|were)$", re.IGNORECASE)


class OutOfDate(NamedTuple):
    """Why a note does not hold any more."""

    code: str
    """`superseded` or `duplicate`."""
    by: str
    """Id of the newer note."""
    how: str
    """What says that both state one fact."""


def newest_first(notes: Sequence[Note]) -> list[Note]:
    """By timestamp, newest first; of two of one instant the later in the list; undated last."""
    places = sorted(
        range(len(notes)), key=lambda at: (notes[at].timestamp or OLDEST, at), reverse=True
    )
    return [notes[at] for at in places]


def out_of_date(notes: Sequence[Note]) -> Mapping[str, OutOfDate]:
    """Note id -> why it does not hold any more, for those that do not.

    Costs O(words), and a comparison for each note that says what a newer one says but for a value.
    """
    order = newest_first(notes)
    found: dict[str, OutOfDate] = {}
    facts: dict[tuple[str, ...], Note] = {}
    texts: dict[bytes, Note] = {}
    for note in order:
        current = facts.setdefault(note.fact, note) if note.fact else note
        same = texts.setdefault(normalised_hash(note.text), note)
        if current is not note:
            how = f"key {note.key}" if note.key else f"{note.attribute} of {note.subject}"
            found[note.note_id] = OutOfDate("superseded", current.note_id, how)
        elif same is not note:
            found[note.note_id] = OutOfDate("duplicate", same.note_id, "the same text")
    current_notes = [note for note in order if note.note_id not in found]
    for older, newer, how in _by_text(current_notes):
        found.setdefault(older, OutOfDate("superseded", newer, how))
    return found


def _by_text(order: Sequence[Note]) -> Iterator[tuple[str, str, str]]:
    """(older, newer, how) of notes that say something else of one thing, newest first."""
    place = {note.note_id: at for at, note in enumerate(order)}
    against: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for newer, older in _alike(order):
        if _states_other_fact(newer, older):
            continue
        for one, other in _conflicts(newer, older):
            how = f"{one.value!r} instead of {other.value!r}"
            against[older.note_id].setdefault(other.text, (newer.note_id, how))
    for note in order:
        said = against.get(note.note_id, {})
        if said and len(said) >= len(facts_of(note.text).statements):
            yield (note.note_id, *min(said.values(), key=lambda by: place[by[0]]))
    yield from _by_relation(order)


def _alike(order: Sequence[Note]) -> Iterator[tuple[Note, Note]]:
    """(newer, older) where a statement of each is the same but for one value or a negation.

    Found by hashing each statement once with each of its values left out: all pairs would be far
    too many to align, since notes are often written by one template.
    """
    newest: dict[tuple[object, ...], Note] = {}
    seen: set[tuple[str, str]] = set()
    for note in order:
        for statement in facts_of(note.text).statements:
            for key in _keys(statement):
                newer = newest.setdefault(key, note)
                pair = (newer.note_id, note.note_id)
                if newer is not note and pair not in seen:
                    seen.add(pair)
                    yield newer, note


def _keys(statement: Statement) -> Iterator[tuple[object, ...]]:
    words = tuple(token.key for token in statement.tokens if not token.is_negation)
    values = [
        (token.quantity.kind, token.quantity.amount, token.quantity.unit)
        for token in statement.tokens
        if token.quantity is not None
    ]
    yield (words, -1, *values)
    for at in range(len(values)):
        yield (words, at, *values[:at], *values[at + 1 :])


def _conflicts(newer: Note, older: Note) -> Iterator[tuple[Claim, Claim]]:
    """What the two say differently, the newer one's claim first."""
    chunks = [
        Chunk(chunk_id=name, source_id=name, text=note.text)
        for name, note in (("newer", newer), ("older", older))
    ]
    for conflict in find_conflicts(chunks):
        yield conflict.a, conflict.b


def _by_relation(order: Sequence[Note]) -> Iterator[tuple[str, str, str]]:
    """Notes of one statement that are the same up to a relation that holds for one thing."""
    current: dict[str, tuple[Note, str]] = {}
    for note in order:
        parts = _relation(note)
        if parts is None:
            continue
        newer, value = current.setdefault(parts[0], (note, parts[1]))
        if newer is not note and value != parts[1] and not _states_other_fact(newer, note):
            yield note.note_id, newer.note_id, f"{value!r} instead of {parts[1]!r}"


def _relation(note: Note) -> tuple[str, str] | None:
    """What the statement says up to its value, and the value: a name, a number or a date."""
    statements = facts_of(note.text).statements
    found = _SINGLE.fullmatch(note.text.strip().rstrip(".!"))
    if len(statements) != 1 or found is None:
        return None
    text = statements[0].sentence
    start = text.text.find(found["value"]) + text.start
    told = [token for token in statements[0].tokens if token.start >= start]
    if not told or not all(token.is_name or token.quantity for token in told):
        return None
    head = " ".join(found["head"].casefold().split())
    is_name = not any(token.quantity for token in told)
    if is_name and _STATE.search(head) and not _OWNED.search(head):
        # What somebody is may be many things; what is somebody's favourite is one.
        return None
    return head, found["value"]


def _states_other_fact(one: Note, other: Note) -> bool:
    """Whether both say which fact they state, and it is not the same."""
    return bool(one.fact and other.fact) and one.fact != other.fact
