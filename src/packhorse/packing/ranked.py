"""The default strategy: walk the ranked list, skip what does not fit, carry on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packhorse.packing.walk import walked
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.types.arrays import IntArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["RankedPacker"]


class RankedPacker:
    """Packs by rank: predictable, linear, and no row is left out for a worse one of its size."""

    name = "ranked"

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """Selects rows by rank.

        `would_fit_at` is on the scale of `budget`: what the evidence preamble takes comes on top.

        Args:
            ranking: the candidates in order.
            block_tokens: (n,) rendered tokens of each row's block.
            budget: tokens for blocks, the evidence preamble already taken off.
            constraints: how they act on a walk is said at `walked`.

        Raises:
            InvalidBudgetError: `budget` is not a whole number of 0 or more.
            InputError: a token count is negative or not whole, or there is not one for each row.
            BudgetExceededError: the reserved rows alone are over `budget`.
        """
        return walked(ranking, block_tokens, budget, constraints, strategy=self.name)
