"""Units: what is taken whole or not at all, a row alone or the rows of a linked group."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.text.topics import topic_key
from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packhorse.types.constraints import Constraints
    from packhorse.types.ranking import Ranking

__all__ = ["Unit", "because", "linked_groups", "made_units", "topic_bits", "topics_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Competing rows that go together."""

    places: tuple[int, ...]
    """Places in `Ranking.order`, ascending; the first is the unit's own place."""
    rows: tuple[int, ...]
    cost: int
    """Tokens of all rows."""
    value: int
    """Sum of the rows' worth, in millionths."""
    sources: tuple[tuple[str, int], ...]
    """Source id -> rows of it, by source id."""
    topics: int
    """Bit set of the required topics that a row of it offers."""
    rivals: frozenset[int]
    """Rows beside which no row of it may be packed."""
    drawn: bool
    """Whether a required row is linked with it, so that it has to come in as well."""
    barred: Exclusion | None
    """Why it can never be in, whatever the budget; None when it can."""


def made_units(
    ranking: Ranking, costs: Sequence[int], values: Sequence[int], constraints: Constraints
) -> tuple[Unit, ...]:
    """The competing rows as units, by place.

    Args:
        ranking: the candidates.
        costs: (n,) tokens of each row.
        values: (m,) worth in millionths of each place of `ranking.order`.
        constraints: their rows are those of the pool.

    Raises:
        InputError: a constraint names a row that is not in the pool.
    """
    n_rows = len(ranking.pool)
    named = {row for group in (*constraints.linked, *constraints.exclusive) for row in group}
    strange = sorted(row for row in named if not 0 <= row < n_rows)
    if strange:
        raise InputError(
            f"A constraint names row {strange[0]} of {n_rows} candidates",
            hint="Constraints number the rows of the pool, from 0",
        )
    maker = _Maker(ranking, costs, values, constraints)
    group_of = {row: group for group in linked_groups(constraints.linked) for row in group}
    units = []
    done: set[int] = set()
    for row in ranking.order:
        if row not in done:
            group = group_of.get(row, (row,))
            unit = maker.unit(group)
            done.update(unit.rows)
            units.append(unit)
    return tuple(units)


def linked_groups(linked: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """The groups, those that share a row made one; rows ascending, groups by their first row."""
    leader: dict[int, int] = {}

    def lead(row: int) -> int:
        while leader.setdefault(row, row) != row:
            leader[row] = leader[leader[row]]
            row = leader[row]
        return row

    for group in linked:
        for row in group:
            low, high = sorted((lead(group[0]), lead(row)))
            leader[high] = low
    groups: dict[int, list[int]] = {}
    for row in sorted(leader):
        groups.setdefault(lead(row), []).append(row)
    return [tuple(group) for _, group in sorted(groups.items())]


class _Maker:
    def __init__(
        self,
        ranking: Ranking,
        costs: Sequence[int],
        values: Sequence[int],
        constraints: Constraints,
    ) -> None:
        self._ranking = ranking
        self._costs = costs
        self._values = values
        self._constraints = constraints
        self._place_of = {row: place for place, row in enumerate(ranking.order)}
        self._reserved = {row for row, _ in ranking.reserved}
        self._bit_of = topic_bits(constraints.topics)
        self._rivals: dict[int, set[int]] = {}
        for one, other in constraints.exclusive:
            if one != other:
                self._rivals.setdefault(one, set()).add(other)
                self._rivals.setdefault(other, set()).add(one)

    def unit(self, group: Sequence[int]) -> Unit:
        """The unit of the rows of a linked group, or of one row, that compete."""
        chunks = self._ranking.pool.chunks
        places = sorted(self._place_of[row] for row in group if row in self._place_of)
        rows = tuple(self._ranking.order[place] for place in places)
        rivals = frozenset(rival for row in rows for rival in self._rivals.get(row, ()))
        sources = Counter(chunks[row].source_id for row in rows)
        return Unit(
            places=tuple(places),
            rows=rows,
            cost=sum(self._costs[row] for row in rows),
            value=sum(self._values[place] for place in places),
            sources=tuple(sorted(sources.items())),
            topics=topics_of(rows, self._ranking, self._bit_of, self._constraints.topic_strength),
            rivals=rivals,
            drawn=any(row in self._reserved for row in group),
            barred=self._barred(group, rows, rivals, sources),
        )

    def _barred(
        self,
        group: Sequence[int],
        rows: Sequence[int],
        rivals: frozenset[int],
        sources: Mapping[str, int],
    ) -> Exclusion | None:
        chunks, excluded = self._ranking.pool.chunks, self._ranking.excluded
        for row in group:
            if row in excluded:
                detail = f"linked with {chunks[row].chunk_id}, which is out: {excluded[row].reason}"
                return because(ExclusionCode.LINKED_CHUNK_OUT, detail)
        inside = sorted(rivals & set(rows), key=self._place_of.__getitem__)
        if inside:
            pair = " and ".join(chunks[row].chunk_id for row in inside[:2])
            detail = f"{pair} are linked with each other, and never packed together"
            return because(ExclusionCode.EXCLUSIVE_PAIR, detail)
        cap = self._constraints.max_per_source
        for source, count in sorted(sources.items()):
            if cap is not None and count > cap:
                detail = f"{count} linked chunks of {source}, at most {cap} of a source"
                return because(ExclusionCode.SOURCE_CAP, detail)
        return None


def topic_bits(topics: Sequence[str]) -> dict[str, int]:
    """Key of each topic -> its bit, the first topic's the lowest; two of one key have two bits."""
    bits: dict[str, int] = {}
    for bit, topic in enumerate(topics):
        key = topic_key(topic)
        bits[key] = bits.get(key, 0) | 1 << bit
    return bits


def topics_of(
    rows: Iterable[int], ranking: Ranking, bit_of: Mapping[str, int], strength: float
) -> int:
    """Bit set of the topics that one of `rows` offers at `strength` or above.

    `bit_of` is as `topic_bits` gives it.
    """
    bits = 0
    if bit_of:
        for row in rows:
            for topic, offered in ranking.pool.topics_of(ranking.pool.chunks[row]):
                if offered >= strength:
                    bits |= bit_of.get(topic_key(topic), 0)
    return bits


def because(code: ExclusionCode, detail: str) -> Exclusion:
    """An exclusion that reads `code (detail)`."""
    return Exclusion(code=code, reason=f"{code.value} ({detail})")
