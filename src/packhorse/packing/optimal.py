"""The best possible set: an integer program, solved to the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhorse.packing.bound import MILLIONTHS, fractional_millionths
from packhorse.packing.knapsack import best_set
from packhorse.packing.outcome import outcome, quality
from packhorse.packing.program import Program
from packhorse.packing.selection import begun
from packhorse.packing.solver import solved
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.packing.selection import Selection
    from packhorse.types.arrays import IntArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["DEFAULT_NODE_LIMIT", "OptimalPacker"]

DEFAULT_NODE_LIMIT = 50_000
"""Branches that the search may look at. Counted, not timed, so that every machine stops alike."""


class OptimalPacker:
    """Packs the set that is worth most, of those that the budget and the constraints allow.

    What is linked with a required row comes in first, as in every strategy. Then, of all sets
    that bring as many of the required topics as any set can, the one worth most is packed. A set is
    worth what its chunks are together (see `worths`): whole millionths, as tokens are whole
    numbers, so "worth most" holds to the last digit. Which of several sets that are worth the
    same is packed depends on the solver, never on the order of the candidates.

    Where the node limit ends the search, the best set found is packed (at the least the one that
    the walk by rank or by density gives), `note` says so, and the bound is the solver's.
    """

    name = "optimal"

    def __init__(self, node_limit: int = DEFAULT_NODE_LIMIT) -> None:
        self._node_limit = node_limit

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """Selects rows; arguments and errors as in `RankedPacker.pack`.

        Raises:
            MissingExtraError: `highspy` is not installed.
        """
        selection = begun(ranking, block_tokens, budget, constraints)
        program = Program.of(selection)
        bound = fractional_millionths(program.values, program.tokens, selection.room)
        before = _value(selection)
        chosen, note = list(range(len(program.numbers))), ""
        if not program.is_satisfied_by(chosen):
            alone = program.is_knapsack
            best = best_set(program.values, program.tokens, selection.room) if alone else None
            if best is not None:
                chosen, bound = best, int(program.values[best].sum())
            else:
                start = max(_walks(program), key=program.worth)
                found = solved(program, start, self._node_limit)
                chosen, bound = found.chosen, min(bound, found.bound)
                if not found.is_best:
                    note = _cut_short(self._node_limit, bound - program.worth(chosen)[1])
        for place in sorted(chosen):
            selection.take(program.numbers[place])
        # Room that is left goes to what is worth nothing, as in a walk.
        selection.fill()
        value = _value(selection)
        return outcome(
            selection,
            np.asarray(block_tokens),
            quality(value, max(value, before + bound)),
            strategy=self.name,
            note=note,
        )


def _value(selection: Selection) -> int:
    return sum(selection.units[number].value for number in selection.taken)


def _walks(program: Program) -> Iterator[list[int]]:
    """What a walk takes by rank, and by value per token."""
    yield program.walked(range(program.values.size))
    density = program.values / np.maximum(program.tokens, 1)
    yield program.walked(np.argsort(-density, kind="stable").tolist())


def _cut_short(limit: int, gap: int) -> str:
    return (
        f"the search stopped at its limit of {limit} nodes: the set may be worth up to"
        f" {max(0, gap) / MILLIONTHS:.6f} less than the best one"
    )
