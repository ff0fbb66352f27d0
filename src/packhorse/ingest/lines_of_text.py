"""Where the lines of a text stand that are not blank."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["lines_with_text"]


def lines_with_text(
    text: str, start: int, end: int, *, until_blank: bool = False
) -> Iterator[tuple[int, int]]:
    """Lines with text, blanks at their ends left out; to the first blank one where asked."""
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = stop if stop >= 0 else end
        line = text[at:stop]
        if line.strip():
            yield at, at + len(line.rstrip())
        elif until_blank:
            break
        at = stop + 1
