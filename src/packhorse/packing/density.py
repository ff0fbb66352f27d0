"""Worth per token: fills the budget with the most worth, and favours short chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.walk import walked
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["DEFAULT_FLOOR_TOKENS", "DensityPacker"]

DEFAULT_FLOOR_TOKENS = 64
"""Length below which a chunk is counted as if it had this many tokens."""


class DensityPacker:
    """Packs by worth per token (see `worths`), ties by rank.

    A heading or a fragment that scores well has the highest density of all and says nothing.
    The floor takes that advantage away: below it, being shorter does not make a chunk denser.
    """

    name = "density"

    def __init__(self, floor_tokens: int = DEFAULT_FLOOR_TOKENS) -> None:
        self._floor_tokens = max(1, floor_tokens)

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """Selects rows by density; arguments and errors as in `RankedPacker.pack`."""
        return walked(
            ranking,
            block_tokens,
            budget,
            constraints,
            strategy=self.name,
            order=self._densest_first,
        )

    def _densest_first(self, worth: FloatArray, costs: IntArray) -> IntArray:
        density = np.round(worth / np.maximum(costs, self._floor_tokens), 9)
        return np.argsort(-density, kind="stable")
