"""A selection under way: what is in, what that leaves room for, and what stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.packing.reserve import reserve
from packhorse.packing.units import because, linked_groups, made_units, topic_bits, topics_of
from packhorse.packing.worth import worths
from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packhorse.packing.units import Unit
    from packhorse.types.arrays import IntArray
    from packhorse.types.constraints import Constraints
    from packhorse.types.ranking import Ranking

__all__ = ["Selection", "begun"]


class Selection:
    """Required rows are in from the start; units come in one by one, each checked first."""

    def __init__(
        self,
        ranking: Ranking,
        units: Sequence[Unit],
        *,
        worths: Sequence[int],
        limit: int,
        reserved: int,
        constraints: Constraints,
    ) -> None:
        self.ranking = ranking
        self.worths = worths
        """Millionths of each place of `ranking.order`."""
        self.units = units
        """All of them, by place."""
        self.constraints = constraints
        self.groups = linked_groups(constraints.linked)
        self.limit = limit
        self.reserved = reserved
        self.used = reserved
        self.room = limit - reserved
        """Tokens that the units compete for: the limit, less what is required or linked with it."""
        self.taken: list[int] = []
        """Numbers of the units that are in, in the order of coming in."""
        self.passed: dict[int, tuple[int, Exclusion | None]] = {}
        """Unit left out -> the tokens that were free, and the constraint in its way, just then."""
        self._cap = constraints.max_per_source
        self._bit_of = topic_bits(constraints.topics)
        self.rows_in = {row for row, _ in ranking.reserved}
        self.per_source: dict[str, int] = {}
        for row in self.rows_in:
            source = ranking.pool.chunks[row].source_id
            self.per_source[source] = self.per_source.get(source, 0) + 1
        self.covered = self.topics_of(self.rows_in)
        """Bit set of the topics that something in offers."""
        self.offered = self.covered
        """Bit set of the topics that something in, or a unit that could come in, offers."""
        for unit in units:
            self.offered |= unit.topics

    @property
    def left(self) -> int:
        """Tokens that are free."""
        return self.limit - self.used

    def topics_of(self, rows: Iterable[int]) -> int:
        """Bit set of the required topics that `rows` offer."""
        return topics_of(rows, self.ranking, self._bit_of, self.constraints.topic_strength)

    def barrier(self, unit: Unit) -> Exclusion | None:
        """The constraint that keeps a unit out now, size aside; None for none."""
        if unit.barred is not None:
            return unit.barred
        if self._cap is not None:
            for source, count in unit.sources:
                held = self.per_source.get(source, 0)
                if held + count > self._cap:
                    detail = f"{source} has {held} packed chunks, at most {self._cap}"
                    return because(ExclusionCode.SOURCE_CAP, detail)
        if unit.rivals:
            beside = sorted(unit.rivals & self.rows_in)
            if beside:
                name = min(self.ranking.pool.chunks[row].chunk_id for row in beside)
                detail = f"never packed beside {name}, which is in"
                return because(ExclusionCode.EXCLUSIVE_PAIR, detail)
        return None

    def admits(self, unit: Unit) -> bool:
        """Whether a unit fits and no constraint keeps it out."""
        return unit.cost <= self.left and self.barrier(unit) is None

    def take(self, number: int) -> None:
        """Takes a unit in; whoever calls has asked `admits`."""
        unit = self.units[number]
        self.taken.append(number)
        self.used += unit.cost
        self.rows_in.update(unit.rows)
        self.covered |= unit.topics
        for source, count in unit.sources:
            self.per_source[source] = self.per_source.get(source, 0) + count

    def pass_over(self, number: int) -> None:
        """Leaves a unit out, for what stands in its way now."""
        self.passed[number] = (self.left, self.barrier(self.units[number]))

    def is_undecided(self, number: int) -> bool:
        """Whether a unit is neither in nor passed over."""
        return number not in self.passed and not self.rows_in.issuperset(self.units[number].rows)

    def open_units(self) -> list[int]:
        """Numbers of the undecided units that could come in now, each taken alone."""
        return [
            number
            for number, unit in enumerate(self.units)
            if self.is_undecided(number) and self.admits(unit)
        ]

    def fill(self) -> None:
        """Takes undecided units that can still come in, by place."""
        for number in self.open_units():
            if self.admits(self.units[number]):
                self.take(number)


def begun(
    ranking: Ranking,
    block_tokens: Sequence[int] | IntArray,
    budget: int,
    constraints: Constraints,
) -> Selection:
    """A selection that holds the required rows and what is linked with them.

    Units that are linked with a required row come first, by place: each is taken when it fits and
    no constraint keeps it out.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: bad token counts, or a constraint names a row that is not there.
        BudgetExceededError: the required rows alone are over `budget`.
    """
    costs, limit, reserved = reserve(ranking, block_tokens, budget)
    values: list[int] = worths(ranking)[list(ranking.order)].tolist()
    units = made_units(ranking, costs.tolist(), values, constraints)
    selection = Selection(
        ranking, units, worths=values, limit=limit, reserved=reserved, constraints=constraints
    )
    for number, unit in enumerate(units):
        if unit.drawn:
            if selection.admits(unit):
                selection.take(number)
            else:
                selection.pass_over(number)
    selection.room = selection.left
    return selection
