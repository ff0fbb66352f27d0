"""Which examples or tools went into two packets that are not the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["NAMED", "changed_choices"]

Document = Mapping[str, Any]

NAMED = 5
"""Pieces that a change names."""


def changed_choices(a: Document, b: Document, kind: str, key: str) -> tuple[str, str, str] | None:
    """How many there were, how many there are, and which are others; None for no change.

    Args:
        a: one packet.
        b: the other.
        kind: `examples` or `tools`.
        key: the field that names one of them.
    """
    was, now = (
        {each[key]: each["content_hash"] for each in document.get(kind, {kind: ()})[kind]}
        for document in (a, b)
    )
    changed = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
    if not changed:
        return None
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    named = f"other {kind}: {', '.join(changed[:NAMED])}{more}"
    return f"{len(was)} {kind}", f"{len(now)} {kind}", named
