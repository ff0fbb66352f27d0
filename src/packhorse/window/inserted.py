"""Messages that are put into a conversation: a summary, examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Inserted", "with_inserted"]


class Inserted(NamedTuple):
    """A message that was not given."""

    after: int
    """Place of the message that it follows, be that kept or not; -1 for the beginning."""
    item: Any
    opens: bool = True
    """Whether it is the user's, so that an assistant's message may follow it."""


def with_inserted(
    places: Sequence[int], items: Sequence[Any], inserted: Sequence[Inserted]
) -> list[Any]:
    """The messages at some places, ascending, with others between them."""
    merged: list[Any] = []
    waiting = sorted(enumerate(inserted), key=lambda pair: (pair[1].after, pair[0]))
    at = 0
    for place in places:
        while at < len(waiting) and waiting[at][1].after < place:
            merged.append(waiting[at][1].item)
            at += 1
        merged.append(items[place])
    return merged + [each.item for _, each in waiting[at:]]
