"""What a packing starts from: checked token counts, and the room that required rows leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import BudgetExceededError, InputError
from packhorse.packing.amounts import budget_amount, token_amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray
    from packhorse.types.ranking import Ranking

__all__ = ["checked_costs", "reserve"]


def reserve(
    ranking: Ranking, block_tokens: Sequence[int] | IntArray, budget: int
) -> tuple[IntArray, int, int]:
    """Checked counts of all rows, the budget, and what the required rows take of it.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: a token count is negative or not whole, or there is not one for each row.
        BudgetExceededError: the required rows alone are over `budget`.
    """
    limit = budget_amount(budget)
    costs = checked_costs(ranking, block_tokens)
    return costs, limit, _reserved_tokens(ranking, costs, limit)


def checked_costs(ranking: Ranking, block_tokens: Sequence[int] | IntArray) -> IntArray:
    """(n,) int64.

    Raises:
        InputError: a token count is negative or not whole, or there is not one for each row.
    """
    n_rows = len(ranking.pool)
    costs = np.asarray(block_tokens)
    if costs.shape != (n_rows,):
        raise InputError(
            f"There are {n_rows} candidates and token counts of the shape {costs.shape}",
            hint="Give one count for each candidate",
        )
    if costs.size and (costs.dtype.kind not in "iu" or int(costs.min()) < 0):
        for row, chunk in enumerate(ranking.pool.chunks):
            token_amount(block_tokens[row], f"chunk {chunk.chunk_id!r}")
    return costs.astype(np.int64, copy=False)


def _reserved_tokens(ranking: Ranking, costs: IntArray, limit: int) -> int:
    parts = [(ranking.pool.chunks[row].chunk_id, int(costs[row])) for row, _ in ranking.reserved]
    needed = sum(tokens for _, tokens in parts)
    if needed > limit:
        sums = " + ".join(f"{chunk_id} {tokens}" for chunk_id, tokens in parts)
        raise BudgetExceededError(
            f"Required chunks need {needed} tokens ({sums}), and {limit} are left for them",
            needed=needed,
            available=limit,
            parts=parts,
            hint="Increase the budget, or require less",
        )
    return needed
