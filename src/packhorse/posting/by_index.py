"""Answers that come as a list of items, each of which says which question it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["by_index"]


def by_index(items: Any, n: int) -> list[Mapping[str, Any]]:
    """The items in the order of what was asked: one for each `index` from 0 to `n` - 1.

    Raises:
        ValueError: something else than exactly one item for each; says what, without its words.
    """
    if not isinstance(items, list):
        raise ValueError(f"no list of {n} items")  # noqa: TRY004 - the caller translates one kind
    placed: dict[int, Mapping[str, Any]] = {}
    for item in items:
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(index, int) or isinstance(index, bool):
            raise ValueError("an item without an index")  # noqa: TRY004 - as above
        if not 0 <= index < n:
            raise ValueError(f"an index out of range, for {n} items")
        if index in placed:
            raise ValueError(f"two items of index {index}")
        placed[index] = item
    if len(placed) != n:
        raise ValueError(f"{len(placed)} items for {n}")
    return [placed[at] for at in range(n)]
