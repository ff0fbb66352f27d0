"""Relevance: what retrieval said, and which candidates it said nothing usable about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from packhorse.types.arrays import FloatArray
    from packhorse.types.candidate import CandidatePool

__all__ = ["relevance_signal", "unscored"]


def relevance_signal(pool: CandidatePool) -> FloatArray:
    """(n,) float64, six decimals; NaN where retrieval gave no finite number."""
    relevance = np.asarray(pool.relevance, dtype=np.float64)
    signal: FloatArray = relevance.round(6)
    odd = ~np.isfinite(signal)
    if odd.any():
        signal[odd] = np.nan
    return signal


def unscored(relevance: FloatArray) -> npt.NDArray[np.bool_]:
    """(n,) True where a row has no relevance. Comparing NaN would leave it anywhere."""
    return ~np.isfinite(relevance)
