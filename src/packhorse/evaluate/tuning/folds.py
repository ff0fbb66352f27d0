"""Which questions are held out together."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray

__all__ = ["folds_of"]


def folds_of(ids: Sequence[str], n_folds: int, seed: int) -> tuple[IntArray, ...]:
    """Rows of each fold, ascending: every row in exactly one, sizes that differ by one at most.

    Rows are dealt out in the order of a hash of seed and id, so that the order of the file changes
    nothing. A question more or less moves others to another fold.
    """

    def place(row: int) -> tuple[str, str, int]:
        return hashlib.sha256(f"{seed}\0{ids[row]}".encode()).hexdigest(), ids[row], row

    order = sorted(range(len(ids)), key=place)
    return tuple(np.array(sorted(order[fold::n_folds]), dtype=np.int64) for fold in range(n_folds))
