"""Why a note, an example, a tool or a section of a packet got what it got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["PieceExplanation", "piece_explained"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceExplanation:
    """The decision about a section or a piece of one. `str()` of it is for people."""

    kind: str
    """`note`, `example`, `tool`, `section` or `paragraph`."""
    name: str
    decision: str
    """`included` or `excluded` for a piece; for a section what it got."""
    reason: str
    lines: tuple[str, ...] = ()
    """What there is to say besides, with the numbers."""

    def __str__(self) -> str:
        return "\n".join((f"{self.name}: {self.decision}, {self.reason}", *self.lines))


_PIECES = {
    "note": ("memory", "notes", "note_id"),
    "example": ("examples", "examples", "example_id"),
    "tool": ("tools", "tools", "name"),
}
"""Kind -> where a packet has its entries, and what names one."""


def piece_explained(document: Document, name: str) -> PieceExplanation | None:
    """What a packet says of a note, example or tool, a section or a paragraph, by its name.

    Where two have one name, the first of these is meant. None where nothing has it.
    """
    for kind, (field, entries, key) in _PIECES.items():
        for entry in document.get(field, {entries: ()})[entries]:
            if entry[key] == name:
                return _note(entry) if kind == "note" else _piece(kind, name, entry)
    for section in document.get("sections", ()):
        if section["name"] == name:
            return _section(section)
        for piece in section.get("left_out", ()):
            if piece["piece"] == name:
                return PieceExplanation(
                    kind="paragraph",
                    name=name,
                    decision="excluded",
                    reason=piece["excluded_reason"],
                )
    return None


def _piece(kind: str, name: str, entry: Document) -> PieceExplanation:
    """An example or a tool."""
    code, told = entry["reason_code"], entry["reason"]
    labelled = f", label {entry['label']}" if entry.get("label") else ""
    return PieceExplanation(
        kind=kind,
        name=name,
        decision="included" if entry["included"] else "excluded",
        reason=f"{code} ({told})" if told else code,
        lines=(f"  {entry['tokens']} tokens{labelled}",),
    )


def _note(note: Document) -> PieceExplanation:
    code = note["reason_code"]
    reason = note["reason"] if note["included"] else f"{code} ({note['reason']})"
    dated = note["timestamp"] or "no date"
    fact = note["key"] or " of ".join(filter(None, (note["attribute"], note["subject"])))
    return PieceExplanation(
        kind="note",
        name=note["note_id"],
        decision="included" if note["included"] else "excluded",
        reason=reason,
        lines=(
            f"  score     {note['score']:.6f}",
            f"  relevance {note['relevance_score']:.6f}",
            f"  freshness {note['freshness_score']:.6f} ({dated})",
            f"  {note['tokens']} tokens" + (f", states {fact}" if fact else ""),
        ),
    )


def _section(section: Document) -> PieceExplanation:
    cap = "none" if section["cap"] is None else section["cap"]
    return PieceExplanation(
        kind="section",
        name=section["name"],
        decision=f"got {section['got']} of {section['asked']} tokens",
        reason=section["reason"],
        lines=(
            f"  rule {section['rule']}, priority {section['priority']}, growth {section['growth']}",
            f"  must be in {section['needs']}, floor {section['floor']}, cap {cap}",
        ),
    )
