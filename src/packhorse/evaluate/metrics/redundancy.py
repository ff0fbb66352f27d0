"""How much of the packed set says again what is in it already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.text.shingles import shingles

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NEAR_COPY", "redundancy"]

NEAR_COPY = 0.5
"""Share of a passage's word triples in one other passage from which it is its near copy."""


def redundancy(packed: Sequence[str]) -> float:
    """Share of the packed texts that are near copies of one before them, 0..1; 0 for none packed.

        |{i : max over j < i of |triples(i) & triples(j)| / |triples(i)| >= 0.5}| / n

    Resemblance by shingles after Broder, "On the Resemblance and Containment of Documents" (1997),
    as containment of the later text in the earlier. A text without a word is no copy.
    """
    if not packed:
        return 0.0
    triples = [shingles(text) for text in packed]
    copies = sum(
        any(len(own & other) >= NEAR_COPY * len(own) for other in triples[:at])
        for at, own in enumerate(triples)
        if own
    )
    return copies / len(packed)
