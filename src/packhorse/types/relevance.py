"""Which relevance is worth a word: a floor relative to the best candidate."""

import math
from collections.abc import Iterable

__all__ = ["FLOOR_SHARE", "relevance_floor"]

FLOOR_SHARE = 0.5
"""A passage is called relevant from this share of the best candidate's relevance on."""


def relevance_floor(relevance: Iterable[float]) -> float:
    """`FLOOR_SHARE` of the highest relevance, six decimals; infinite when none is finite.

    Relevance has no fixed meaning from one corpus to the next, so the floor is relative. The
    profile's `min_relevance` needs no part in it: what is below that was never ranked.
    """
    known = [value for value in relevance if math.isfinite(value)]
    return round(FLOOR_SHARE * max(known), 6) if known else math.inf
