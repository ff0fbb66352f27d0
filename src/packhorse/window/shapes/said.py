"""Changes what the user says in a message, whatever the message is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["Change", "with_said"]

Change = Callable[[str], str]
"""From what the user says to what stands there instead."""


def with_said(
    pieces: Any, change: Change, block: Mapping[str, Any], is_result: Callable[[Any], bool]
) -> Any:
    """A content with its first text changed, everything else as it was; none at all is no text.

    Where there is no text, the change of an empty one becomes a block of its own, behind the
    results of tools, which have to come first.

    Args:
        pieces: a text, or a list of blocks.
        change: what to do with the text.
        block: a block of text without its text, for a new one.
        is_result: whether a block hands back what a tool gave.
    """
    if pieces is None:
        return change("") or None
    if isinstance(pieces, str):
        return change(pieces)
    if not isinstance(pieces, Sequence) or isinstance(pieces, bytes):
        return pieces
    for at, piece in enumerate(pieces):
        if isinstance(piece, str):
            return [*pieces[:at], change(piece), *pieces[at + 1 :]]
        if not isinstance(piece, Mapping) or is_result(piece) or piece.get("thought"):
            continue
        if isinstance(piece.get("text"), str) and piece.get("type") == block.get("type"):
            return [*pieces[:at], {**piece, "text": change(piece["text"])}, *pieces[at + 1 :]]
    text = change("")
    at = next((at for at, piece in enumerate(pieces) if not is_result(piece)), len(pieces))
    return [*pieces[:at], {**block, "text": text}, *pieces[at:]] if text else pieces
