"""Rows of length one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["unit_rows"]


def unit_rows(rows: FloatArray) -> FloatArray:
    """The rows scaled to length 1, as float32; a row of zeros, or not finite, becomes zeros.

    Lengths are computed in float64, so that they do not depend on how a library sums.
    """
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    usable = np.isfinite(lengths) & (lengths > 0)
    scaled = np.zeros(exact.shape, dtype=np.float32)
    scaled[usable] = exact[usable] / lengths[usable, None]
    return scaled
