"""The walk that strategies share: required rows first, then down a list, skip and carry on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.bound import MILLIONTHS, fractional_millionths
from packhorse.packing.outcome import (
    by_rank,
    exceeded,
    outcome,
    quality,
    required_rows,
    worth_told,
)
from packhorse.packing.reserve import reserve
from packhorse.packing.selection import begun
from packhorse.packing.worth import worths
from packhorse.packing.would_fit import FoundLater, smallest_budgets
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.packing import Packing

if TYPE_CHECKING:
    from packhorse.packing.selection import Selection
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.decision import Exclusion
    from packhorse.types.ranking import Ranking

__all__ = ["Order", "taken_in_order", "walked"]

Order = Callable[["FloatArray", "IntArray"], "IntArray"]
"""From worth and tokens (each (m,), in rank order) to the places to visit, in turn."""

MAX_ASKED = 64
"""Skipped places, first in the walk, for which the budget that keeps them is worked out."""

MAX_BEFORE = 256
"""Places further down the walk are not asked about: each costs a walk for every budget tried."""


def walked(
    ranking: Ranking,
    block_tokens: Sequence[int] | IntArray,
    budget: int,
    constraints: Constraints = NO_CONSTRAINTS,
    *,
    strategy: str,
    order: Order | None = None,
) -> Packing:
    """Reserves the required rows, then takes what fits, in rank order or in another one.

    Constraints act like this. A linked group is visited once, as one piece: at the place of its
    best member where rows go by rank, and by its worth and tokens added up where another order
    looks at those. What is linked with a required row comes before everything else. Then, while
    a required topic is open, one pass takes only what brings an open topic; a second pass visits
    all the rest. In every pass a piece that does not fit, whose source has reached the cap, or
    that is exclusive with something in, is skipped, and the walk goes on.

    Args:
        ranking: the candidates.
        block_tokens: (n,) rendered tokens of each row's block.
        budget: tokens for blocks.
        constraints: kept wherever the walk can.
        strategy: name to record.
        order: the places to visit; None visits them by rank.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: a token count is negative or not whole, or there is not one for each row.
        BudgetExceededError: the required rows alone are over `budget`.
    """
    if constraints:
        return _walked_in_units(
            ranking, block_tokens, budget, constraints, strategy=strategy, order=order
        )
    return _walked_by_row(ranking, block_tokens, budget, strategy=strategy, order=order)


def _walked_by_row(
    ranking: Ranking,
    block_tokens: Sequence[int] | IntArray,
    budget: int,
    *,
    strategy: str,
    order: Order | None,
) -> Packing:
    """The walk without constraints: every row is a piece, and thousands of them are quick."""
    costs, limit, reserved = reserve(ranking, block_tokens, budget)
    rows = np.array(ranking.order, dtype=np.int64)
    place_costs = costs[rows]
    scores = np.maximum(ranking.signals.score[rows], 0.0)
    values = worths(ranking)[rows]
    visits = range(rows.size) if order is None else order(values / MILLIONTHS, place_costs).tolist()
    cost_at: list[int] = place_costs.tolist()
    row_at = ranking.order

    taken, skipped, reasons, left = _visited(visits, cost_at, limit - reserved)
    excluded = {
        **ranking.excluded,
        **{row_at[place]: why for place, why in zip(skipped, reasons, strict=True)},
    }
    asked = skipped[:MAX_ASKED]
    taken.sort()
    skipped.sort()
    score_at: list[float] = scores.tolist()
    told = {} if order is None else {place: worth_told(int(values[place])) for place in taken}
    bound = fractional_millionths(values, place_costs, limit - reserved)
    kept = [
        (row_at[place], by_rank(place, score_at[place], told.get(place, ""))) for place in taken
    ]
    return Packing(
        strategy=strategy,
        kept=(*required_rows(ranking), *kept),
        excluded=excluded,
        used_tokens=limit - left,
        skipped_for_size=tuple([row_at[place] for place in skipped]),
        would_fit_at=FoundLater(
            lambda: {
                row_at[place]: found + reserved
                for place, found in _would_fit_at(visits, asked, cost_at, limit - reserved).items()
            }
        ),
        quality=quality(int(values[taken].sum()), bound),
    )


def _visited(
    visits: Iterable[int], cost_at: Sequence[int], left: int
) -> tuple[list[int], list[int], list[Exclusion], int]:
    """Places taken, places skipped with why, each in the order of the walk, and what is left."""
    taken: list[int] = []
    skipped: list[int] = []
    reasons: list[Exclusion] = []
    # Thousands of rows share a few hundred reasons once the budget is nearly full.
    known: dict[tuple[int, int], Exclusion] = {}
    for place in visits:
        needed = cost_at[place]
        if needed <= left:
            taken.append(place)
            left -= needed
        else:
            skipped.append(place)
            numbers = (needed, left)
            why = known.get(numbers)
            if why is None:
                why = known[numbers] = exceeded(needed, left)
            reasons.append(why)
    return taken, skipped, reasons, left


def _would_fit_at(
    visits: Sequence[int], skipped: Sequence[int], cost_at: Sequence[int], room: int
) -> dict[int, int]:
    """Skipped place -> smallest room that keeps it, for the first of them in the walk."""
    walk = [cost_at[place] for place in visits[:MAX_BEFORE]]
    wanted = set(skipped[:MAX_ASKED])
    asked = [turn for turn, place in enumerate(visits[:MAX_BEFORE]) if place in wanted]
    return {visits[turn]: found for turn, found in smallest_budgets(walk, asked, room).items()}


def _walked_in_units(
    ranking: Ranking,
    block_tokens: Sequence[int] | IntArray,
    budget: int,
    constraints: Constraints,
    *,
    strategy: str,
    order: Order | None,
) -> Packing:
    selection = begun(ranking, block_tokens, budget, constraints)
    units = selection.units
    values = np.array([unit.value for unit in units], dtype=np.int64)
    tokens = np.array([unit.cost for unit in units], dtype=np.int64)
    bound = fractional_millionths(values, tokens, selection.limit - selection.reserved)
    visits = range(len(units)) if order is None else order(values / MILLIONTHS, tokens).tolist()
    taken_in_order(selection, visits)
    value = sum(units[number].value for number in selection.taken)
    only_linked = constraints.max_per_source is None and not (
        constraints.topics or constraints.exclusive
    )
    return outcome(
        selection,
        np.asarray(block_tokens),
        quality(value, bound),
        strategy=strategy,
        would_fit_at=_units_would_fit_at(selection, visits) if only_linked else None,
    )


def taken_in_order(selection: Selection, visits: Sequence[int]) -> None:
    """Takes units in turn: first what brings an open topic, then all the rest."""
    open_topics = selection.offered & ~selection.covered
    for number in visits if open_topics else ():
        unit = selection.units[number]
        if unit.topics & ~selection.covered and selection.is_undecided(number):
            if selection.admits(unit):
                selection.take(number)
            if not selection.offered & ~selection.covered:
                break
    for number in visits:
        if selection.is_undecided(number):
            if selection.admits(selection.units[number]):
                selection.take(number)
            else:
                selection.pass_over(number)


def _units_would_fit_at(selection: Selection, visits: Sequence[int]) -> dict[int, int]:
    """Row -> budget, where units are linked groups and nothing else is asked for."""
    units = selection.units
    drawn = [number for number in range(len(units)) if units[number].drawn]
    turns = [
        number
        for number in [*drawn, *(n for n in visits if not units[n].drawn)]
        if units[number].barred is None
    ]
    skipped = [
        number for number in turns if number in selection.passed and len(units[number].rows) == 1
    ]
    cost_at = [unit.cost for unit in units]
    found = _would_fit_at(turns, skipped, cost_at, selection.limit - selection.reserved)
    return {units[number].rows[0]: room + selection.reserved for number, room in found.items()}
