"""Trust: how far the operator relies on a chunk's source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["NEUTRAL_TRUST", "stated_trust", "trust_signal"]

NEUTRAL_TRUST = 0.5
"""Trust of a chunk that nobody rated."""


def stated_trust(chunks: Sequence[Chunk]) -> FloatArray:
    """(n,) float64, 0..1 as the operator set it, six decimals; NaN where nobody did."""
    stated = [chunk.trust_score for chunk in chunks]
    known = [np.nan if trust is None else trust for trust in stated]
    return np.round(np.array(known, dtype=np.float64), 6)


def trust_signal(stated: FloatArray) -> FloatArray:
    """(n,) 0..1, six decimals; `NEUTRAL_TRUST` where `stated` is NaN."""
    return np.round(np.where(np.isnan(stated), NEUTRAL_TRUST, stated), 6)
