"""The places of relevant passages in a ranked list: what all ranking metrics start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

__all__ = ["first_places"]


def first_places(
    ranked: Sequence[str], relevant: Collection[str], k: int
) -> Iterator[tuple[int, str]]:
    """(1-based rank, id) of the relevant passages among the first `k`, best rank first.

    An id that is listed again takes up a rank and counts no second time. The list is an order
    already: there are no ties in it.
    """
    seen: set[str] = set()
    for rank, name in enumerate(ranked[:k], start=1):
        if name in relevant and name not in seen:
            seen.add(name)
            yield rank, name
