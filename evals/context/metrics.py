"""What a packed set holds of the evidence, and of what stands around it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evals.context.documents import Asked, Place

__all__ = ["around_recall", "evidence_recall"]


def evidence_recall(asked: Asked, packed: Iterable[Place]) -> float:
    """Share of the pieces of evidence that stand whole in the packed chunks, 0..1; NaN for none.

    Whole also counts where chunks that follow each other hold it together.
    """
    if not asked.wanted:
        return math.nan
    stretches = _joined(packed)
    held = sum(any(_holds(stretches, place) for place in group) for group in asked.wanted)
    return held / len(asked.wanted)


def around_recall(asked: Asked, packed: Iterable[Place]) -> float:
    """Share of the characters of the judged passages that is packed, 0..1, the mean over them."""
    stretches = _joined(packed)
    shares = []
    for place in asked.around:
        held = sum(
            max(0, min(end, place.end) - max(start, place.start))
            for start, end in stretches.get(place.document, ())
        )
        shares.append(held / max(1, place.end - place.start))
    return sum(shares) / len(shares)


def _joined(places: Iterable[Place]) -> dict[str, list[tuple[int, int]]]:
    """Stretches of each document; those with at most a paragraph's break between them are one."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place in sorted(places, key=lambda each: (each.document, each.start)):
        stretches = found.setdefault(place.document, [])
        if stretches and place.start - stretches[-1][1] <= 2:  # noqa: PLR2004 - "\n\n"
            stretches[-1] = (stretches[-1][0], max(place.end, stretches[-1][1]))
        else:
            stretches.append((place.start, place.end))
    return found


def _holds(stretches: dict[str, list[tuple[int, int]]], place: Place) -> bool:
    own: Sequence[tuple[int, int]] = stretches.get(place.document, ())
    return any(start <= place.start and place.end <= end for start, end in own)
