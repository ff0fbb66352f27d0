"""Coverage and diversity: what is packed should speak for everything that was found."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.bound import MILLIONTHS
from packhorse.packing.outcome import outcome
from packhorse.packing.representation import Representation
from packhorse.packing.selection import begun
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.packing import Quality

if TYPE_CHECKING:
    from packhorse.packing.selection import Selection
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["OBJECTIVE", "SubmodularPacker"]

OBJECTIVE = (
    "candidates' worth x similarity to the nearest packed chunk + root of each source's packed"
    " worth, beyond what required chunks give"
)
"""What `Quality` measures; see `Representation`."""

_SLACK = 1e-9
"""Relative: far above what rounding does to the sums, far below a millionth of any of them."""


class SubmodularPacker:
    """Packs by gain per token, where a gain is what a chunk adds to what is in already.

    The modified greedy of Lin and Bilmes (2010; 2011 for the objective): of the units that still
    fit, the one with the highest gain per token comes in; at the end the set is compared with the
    best unit alone, and the better of the two is packed. With a budget, and linked groups as
    units, the packed set is worth at least 1 - 1/sqrt(e) = 39.3 % of the best one (the analysis
    of Tang et al., 2021, gives 40.5 %). With caps, exclusive pairs or required topics that
    guarantee is lost; the bound that the packing states holds always.

    Gains only shrink while more comes in, so a gain worked out earlier is an upper bound now, and
    a unit is looked at again only when it comes first (Minoux, 1978). Ties go by rank.
    """

    name = "submodular"

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """Selects rows; arguments and errors as in `RankedPacker.pack`."""
        start = Representation.of(ranking)
        selection = begun(ranking, block_tokens, budget, constraints)
        start.add(row for row, _ in ranking.reserved)
        worth_before = start.worth
        start.add(row for number in selection.taken for row in selection.units[number].rows)
        candidates = selection.open_units()
        gains = start.gains([selection.units[number].rows for number in candidates])
        bound = start.worth + _most(selection, candidates, gains)
        state = start.copy()
        _greedy(selection, state, candidates, gains)
        if candidates and start.worth + float(gains.max()) > state.worth:
            alone, alone_state = begun(ranking, block_tokens, budget, constraints), start.copy()
            best = candidates[int(gains.argmax())]
            alone.take(best)
            alone_state.add(alone.units[best].rows)
            _greedy(alone, alone_state, candidates, gains)
            if alone.covered.bit_count() >= selection.covered.bit_count():
                selection, state = alone, alone_state
        rest = [number for number in candidates if selection.is_undecided(number)]
        gains = state.gains([selection.units[number].rows for number in rest])
        bound = min(bound, state.worth + _most(selection, rest, gains))
        return outcome(
            selection,
            np.asarray(block_tokens),
            _quality(state.worth - worth_before, bound - worth_before),
            strategy=self.name,
        )


def _greedy(
    selection: Selection, state: Representation, candidates: Sequence[int], gains: FloatArray
) -> None:
    """Takes units by gain per token: first what brings an open topic, then all the rest."""
    units = selection.units
    # Gains hold for the moment before the first unit; whatever came in since outdates them.
    n_before = 0
    current = dict(zip(candidates, gains.tolist(), strict=True))
    for topics_first in (True, False):
        open_topics = selection.offered & ~selection.covered
        if topics_first and not open_topics:
            continue
        heap = [
            (-_rate(gain, units[number].cost), number, n_before)
            for number, gain in current.items()
            if not topics_first or units[number].topics & open_topics
        ]
        heapify(heap)
        while heap:
            rate, number, seen = heappop(heap)
            unit = units[number]
            if not selection.is_undecided(number) or not selection.admits(unit):
                continue
            if topics_first and not unit.topics & ~selection.covered:
                continue
            if seen != len(selection.taken):
                gain = state.gain(unit.rows)
                current[number] = gain
                heappush(heap, (-_rate(gain, unit.cost), number, len(selection.taken)))
            elif rate < 0 or topics_first:
                selection.take(number)
                state.add(unit.rows)


def _rate(gain: float, cost: int) -> float:
    """Gain per token; what is free and worth something comes before everything else."""
    if cost:
        return gain / cost
    return float("inf") if gain > 0 else 0.0


def _most(selection: Selection, numbers: Sequence[int], gains: FloatArray) -> float:
    """What units can add at most: each its own gain, the budget filled as far as it goes."""
    costs = np.array([selection.units[number].cost for number in numbers], dtype=np.float64)
    order = np.argsort(-gains / np.maximum(costs, 1e-9), kind="stable")
    shares = np.clip((selection.room - np.cumsum(costs[order]) + costs[order]), 0, None)
    parts = np.minimum(1.0, shares / np.maximum(costs[order], 1e-9))
    return float((gains[order] * np.where(costs[order] > 0, parts, 1.0)).sum())


def _quality(value: float, bound: float) -> Quality:
    """Six decimals, the bound rounded up."""
    shown = round(value, 6)
    ceiling = np.ceil(bound * (1 + _SLACK) * MILLIONTHS) / MILLIONTHS
    return Quality(objective=OBJECTIVE, value=shown, upper_bound=max(shown, float(ceiling)))
