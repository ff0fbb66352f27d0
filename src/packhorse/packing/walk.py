"""The walk that strategies share: required rows first, then down a list, skip and carry on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import BudgetExceededError, InputError
from packhorse.packing.amounts import budget_amount, token_amount
from packhorse.packing.bound import fractional_bound
from packhorse.packing.would_fit import smallest_budget
from packhorse.types.decision import Exclusion, ExclusionCode, Inclusion, InclusionCode
from packhorse.types.packing import Packing, Quality

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.ranking import Ranking

__all__ = ["OBJECTIVE", "REQUIRED_REASONS", "walked"]

OBJECTIVE = "sum of composite scores of ranked chunks"
"""What `Quality` adds up; a score below 0 counts 0, and required rows are not in it."""

MAX_ASKED = 64
"""Skipped places, first in the walk, for which the budget that keeps them is worked out."""

MAX_BEFORE = 256
"""Places further down the walk are not asked about: each costs a walk for every budget tried."""

REQUIRED_REASONS = {
    InclusionCode.MANDATORY: "mandatory in this knowledge base",
    InclusionCode.PINNED: "pinned by the caller",
    InclusionCode.ATTACHED: "attached by the caller",
}


def walked(
    ranking: Ranking,
    block_tokens: Sequence[int] | IntArray,
    budget: int,
    *,
    strategy: str,
    order: Callable[[FloatArray, IntArray], IntArray] | None = None,
) -> Packing:
    """Reserves the required rows, then takes what fits, in rank order or in another one.

    Args:
        ranking: the candidates.
        block_tokens: (n,) rendered tokens of each row's block.
        budget: tokens for blocks.
        strategy: name to record.
        order: from scores and tokens of the ranked rows (each (m,), in rank order) to the places
            to visit, in turn; None visits them by rank.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: a token count is negative or not whole, or there is not one for each row.
        BudgetExceededError: the required rows alone are over `budget`.
    """
    limit = budget_amount(budget)
    costs = _costs(ranking, block_tokens)
    used = reserved = _reserved_tokens(ranking, costs, limit)
    rows = np.array(ranking.order, dtype=np.int64)
    scores = np.maximum(ranking.signals.score[rows], 0.0)
    bound = fractional_bound(scores, costs[rows], limit - used)
    visits = list(range(rows.size)) if order is None else order(scores, costs[rows]).tolist()

    cost_of = costs.tolist()
    taken: set[int] = set()
    excluded = dict(ranking.excluded)
    skipped: list[int] = []
    reasons: dict[tuple[int, int], Exclusion] = {}
    for place in visits:
        row = ranking.order[place]
        needed = cost_of[row]
        if used + needed <= limit:
            taken.add(place)
            used += needed
        else:
            skipped.append(place)
            numbers = (needed, limit - used)
            # Thousands of rows share a few hundred reasons once the budget is nearly full.
            excluded[row] = reasons.get(numbers) or reasons.setdefault(numbers, _exceeded(*numbers))
    kept = [(row, Inclusion(code=c, reason=REQUIRED_REASONS[c])) for row, c in ranking.reserved]
    kept += [(ranking.order[place], _by_rank(place, scores)) for place in sorted(taken)]
    place_costs = [cost_of[row] for row in ranking.order]
    would_fit_at = _would_fit_at(visits, skipped, place_costs, limit - reserved)
    value = float(np.cumsum(scores[sorted(taken)])[-1]) if taken else 0.0
    return Packing(
        strategy=strategy,
        kept=tuple(kept),
        excluded=excluded,
        used_tokens=used,
        skipped_for_size=tuple(ranking.order[place] for place in sorted(skipped)),
        would_fit_at={ranking.order[at]: b + reserved for at, b in would_fit_at.items()},
        quality=Quality(objective=OBJECTIVE, value=round(value, 6), upper_bound=round(bound, 6)),
    )


def _would_fit_at(
    walk: Sequence[int], skipped: Sequence[int], cost_of: Sequence[int], budget: int
) -> dict[int, int]:
    """Skipped place -> smallest budget that keeps it, for the first of them in the walk."""
    asked = set(skipped[:MAX_ASKED])
    before: list[int] = []
    found: dict[int, int] = {}
    for place in walk[:MAX_BEFORE]:
        if place in asked:
            smallest = smallest_budget(before, cost_of[place], budget)
            if smallest is not None:
                found[place] = smallest
        before.append(cost_of[place])
    return found


def _costs(ranking: Ranking, block_tokens: Sequence[int] | IntArray) -> IntArray:
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
    return costs.astype(np.int64)


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


def _exceeded(needed: int, had: int) -> Exclusion:
    code = ExclusionCode.EXCEEDED_BUDGET
    return Exclusion(code=code, reason=f"{code.value} (needed {needed}, had {had})")


def _by_rank(place: int, scores: FloatArray) -> Inclusion:
    return Inclusion(
        code=InclusionCode.RANKED,
        reason=f"rank {place + 1} of what competed (composite score {scores[place]:.6f})",
    )
