"""Which notes went into two packets that are not the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["changed_notes"]

Document = Mapping[str, Any]

NAMED = 5
"""Notes that a changed memory names."""


def changed_notes(a: Document, b: Document) -> tuple[str, str, str] | None:
    """How many notes there were, how many there are, and which are others; None for no change.

    Of a note that is in both packets the text counts, of any other its fields alone: the texts of
    notes that were left out are in no packet.
    """
    was, now = ({each["note_id"]: each for each in _notes(document)} for document in (a, b))
    changed = [
        note_id
        for note_id in sorted({*was, *now})
        if _given(was.get(note_id), now.get(note_id)) != _given(now.get(note_id), was.get(note_id))
    ]
    if not changed:
        return None
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return (
        f"{len(was)} notes",
        f"{len(now)} notes",
        f"other notes: {', '.join(changed[:NAMED])}{more}",
    )


def _notes(document: Document) -> Sequence[Any]:
    notes: Sequence[Any] = document.get("memory", {"notes": ()})["notes"]
    return notes


def _given(note: Document | None, other: Document | None) -> Any:
    """What went in of a note; its text where both packets have it."""
    if note is None:
        return None
    text = note.get("text") if other is not None and "text" in other else None
    return [text, *(note[name] for name in ("timestamp", "tags", "key", "subject", "attribute"))]
