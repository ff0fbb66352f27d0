"""What a chunk's likeness to other candidates says of it.

Chunks about the same thing are relevant to the same questions: a chunk whose nearest ones are more
relevant than itself is lifted, one whose nearest are less is lowered.

    alike(d) = (own(d) + w * sum of k(c) * own(c)) / (1 + w * sum of k(c)) - own(d)
    k(c)     = (cosine of d and c - 0.45) / 0.55, at least 0

over the five candidates c with the highest cosine to d. One step of Diaz, "Regularizing Ad Hoc
Retrieval Scores" (2005), with a kernel that lets only what is really alike speak: a candidate that
stands alone keeps what it has. `own` is the mean of words and meaning, and names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["N_NEAREST", "Nearest", "alike_part", "nearest"]

N_NEAREST = 5
"""Candidates that each chunk is compared with."""

UNLIKE = 0.45
"""Cosine up to which two chunks say nothing of each other."""

_BLOCK = 1_024
"""Rows that are compared with all at a time: space grows with the candidates, not their pairs."""

_DECIMALS = 6
_MILLIONTHS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nearest:
    """The candidates that are most like each one, best first, ties by row."""

    rows: IntArray
    """(n, N_NEAREST)."""
    cosines: FloatArray
    """(n, N_NEAREST) six decimals; -1 where there are fewer others."""


def nearest(vectors: FloatArray) -> Nearest:
    """For each row the rows that are most like it, without itself.

    Args:
        vectors: (n, d) rows of length 1, or 0 for a chunk without a direction.

    Cost: n x n cosines, some 1.5 ms for two hundred rows and 7 s for ten thousand.
    """
    n = len(vectors)
    found = Nearest(
        rows=np.zeros((n, N_NEAREST), dtype=np.int64), cosines=np.full((n, N_NEAREST), -1.0)
    )
    exact = vectors.astype(np.float64)
    for start in range(0, n, _BLOCK):
        rows = slice(start, min(n, start + _BLOCK))
        # Products differ in their last digits between processors: whole millionths do not.
        cosines = np.rint(exact[rows] @ exact.T * _MILLIONTHS)
        every = np.arange(len(cosines))
        cosines[every, start + every] = -2 * _MILLIONTHS
        for place in range(min(N_NEAREST, n - 1)):
            best = cosines.argmax(axis=1)  # the first of equals
            found.rows[rows, place] = best
            found.cosines[rows, place] = cosines[every, best] / _MILLIONTHS
            cosines[every, best] = -2 * _MILLIONTHS
    return found


def alike_part(own: FloatArray, near: Nearest, weight: float) -> FloatArray:
    """(n,) what each row gains or loses, six decimals; 0 for one that is alone or not relevant.

    Args:
        own: (n,) relevance so far; what is not finite says nothing.
        near: the nearest of each row.
        weight: of one identical chunk beside the row itself, 0 or more.
    """
    if not weight:
        return np.zeros(len(own))
    scored = np.isfinite(own)
    known = np.where(scored, own, 0.0)
    kernel = np.clip((near.cosines - UNLIKE) / (1.0 - UNLIKE), 0.0, 1.0) * scored[near.rows]
    voices, said = np.zeros(len(own)), np.zeros(len(own))
    for place in range(N_NEAREST):  # a fixed order of summing
        voices += kernel[:, place]
        said += kernel[:, place] * known[near.rows[:, place]]
    mixed = (known + weight * said) / (1.0 + weight * voices)
    part: FloatArray = np.where(scored & (known > 0), np.round(mixed - known, _DECIMALS), 0.0)
    return part
