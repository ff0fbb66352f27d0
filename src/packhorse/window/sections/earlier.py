"""Sections that an earlier request put in front of what the user says: they are taken out again.

What the user writes is data, whatever it begins with. So a text is taken for ours only where all of
it has the form that we write: our own first line, one neutral line a note, our closing line; and
for sections of the operator's own, a name that is declared and nothing inside that we would have
escaped.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from packhorse.window.last_word import summaries_in, with_own_words
from packhorse.window.memory.render import MEMORY_CLOSING, MEMORY_OPENING, is_neutral, note_line
from packhorse.window.sections.own import pieces_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from packhorse.types.note import Note
    from packhorse.types.section import Section
    from packhorse.window.conversation import Conversation

__all__ = ["without_sections"]

_TEXT = r"[^\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]+"
_LINE = rf'<note(?: date="\d{{4}}-\d{{2}}-\d{{2}}")?>{_TEXT}</note>\n'
_NOTES = re.compile(rf"{re.escape(MEMORY_OPENING)}((?:{_LINE})+){re.escape(MEMORY_CLOSING)}")
_OWN = re.compile(r'<section name="([a-z][a-z0-9_-]*)">\n(.+?)\n</section>\n', re.DOTALL)


class _Bare(NamedTuple):
    """A text without sections."""

    text: str
    is_known: bool
    """Whether all that was taken out is said by the notes and sections of today as well."""


def without_sections(
    conversation: Conversation, own: Sequence[Section], notes: Sequence[Note]
) -> Conversation:
    """The conversation without the sections that earlier requests put in front of the user's words.

    Args:
        conversation: as it was given, perhaps a fitted one.
        own: sections of the operator's own, as they are declared today.
        notes: those of today.
    """
    reader = _Reader(own, notes)
    shape, items = conversation.shape, list(conversation.items)
    entries, changed, is_known = list(conversation.entries), False, True
    for place, entry in enumerate(conversation.entries):
        if not entry.is_users_word or "</" not in entry.text:
            continue
        found: list[_Bare] = []

        def bare(text: str, found: list[_Bare] = found) -> str:
            found.append(reader.bare(text))
            return found[-1].text

        item = shape.with_said(items[place], bare)
        if item == items[place]:
            continue
        items[place], changed = item, True
        (entries[place],) = shape.entries([item], place)
        is_known = is_known and all(each.is_known for each in found)
    if not changed:
        return conversation
    return replace(
        conversation,
        items=tuple(items),
        entries=tuple(entries),
        units=tuple(with_own_words(conversation.units, summaries_in(entries))),
        body=conversation.body_with(items),
        has_lost_sections=not is_known,
    )


class _Reader:
    def __init__(self, own: Sequence[Section], notes: Sequence[Note]) -> None:
        self._lines = {note_line(note) for note in notes}
        self._pieces: dict[str, Collection[str]] = {
            section.name: pieces_of(section) for section in own
        }

    def bare(self, text: str) -> _Bare:
        """A text without what it opens with, as far as that is ours: each section once."""
        is_known, seen = True, set()
        while (found := _OWN.match(text)) is not None:
            name, inner = found.groups()
            if name in seen or name not in self._pieces or not is_neutral(inner):
                break
            seen.add(name)
            is_known = is_known and all(
                piece.strip() in self._pieces[name] for piece in inner.split("\n\n")
            )
            text = text[found.end() :]
        found = _NOTES.match(text)
        if found is not None:
            lines = found[1].removesuffix("\n").split("\n")
            if all(is_neutral(line.partition(">")[2].removesuffix("</note>")) for line in lines):
                is_known = is_known and all(f"{line}\n" in self._lines for line in lines)
                text = text[found.end() :]
        return _Bare(text, is_known)
