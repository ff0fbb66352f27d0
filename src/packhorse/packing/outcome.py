"""What a finished selection says: reasons row by row, how good it is, what it could not keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.packing.bound import MILLIONTHS
from packhorse.packing.units import because
from packhorse.packing.worth import HALVED_BY
from packhorse.types.constraints import UnmetConstraint
from packhorse.types.decision import Exclusion, ExclusionCode, Inclusion, InclusionCode
from packhorse.types.packing import Packing, Quality

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from packhorse.packing.selection import Selection
    from packhorse.packing.units import Unit
    from packhorse.types.arrays import IntArray
    from packhorse.types.ranking import Ranking

__all__ = [
    "OBJECTIVE",
    "REQUIRED_REASONS",
    "by_rank",
    "exceeded",
    "outcome",
    "quality",
    "required_rows",
    "worth_told",
]

OBJECTIVE = f"sum of ranked chunks' worth, which halves for each {HALVED_BY:g} below the best score"
"""What `Quality` adds up, see `worths`; required rows are not in it."""

_TOO_LARGE = ExclusionCode.EXCEEDED_BUDGET
_RANKED = InclusionCode.RANKED

REQUIRED_REASONS = {
    InclusionCode.MANDATORY: "mandatory in this knowledge base",
    InclusionCode.PINNED: "pinned by the caller",
    InclusionCode.ATTACHED: "attached by the caller",
}


def quality(value: int, upper_bound: int, objective: str = OBJECTIVE) -> Quality:
    """Quality from whole millionths."""
    return Quality(
        objective=objective, value=value / MILLIONTHS, upper_bound=upper_bound / MILLIONTHS
    )


def exceeded(needed: int, had: int) -> Exclusion:
    """Out for size, with the numbers."""
    # Spelled out, because there may be thousands of them.
    return Exclusion(
        code=_TOO_LARGE, reason=f"exceeded_remaining_budget (needed {needed}, had {had})"
    )


def by_rank(place: int, score: float, addition: str = "") -> Inclusion:
    """In by competition."""
    return Inclusion(
        code=_RANKED,
        reason=f"rank {place + 1} of what competed (composite score {score:.6f}{addition})",
    )


def outcome(
    selection: Selection,
    costs: IntArray,
    found: Quality,
    *,
    strategy: str,
    would_fit_at: Mapping[int, int] | None = None,
    note: str = "",
) -> Packing:
    """The packing that a selection comes to.

    Args:
        selection: what is in. A unit that is out and was passed over keeps the reason of that
            moment; one that never had its turn was weighed against the whole set.
        costs: (n,) tokens of each row.
        found: value and bound for the strategy's objective.
        strategy: name to record.
        would_fit_at: row -> budget, where it is known.
        note: what a reader has to know about how the selection was found.
    """
    ranking = selection.ranking
    excluded = dict(ranking.excluded)
    for number, unit in enumerate(selection.units):
        if not selection.rows_in.issuperset(unit.rows):
            for row in unit.rows:
                excluded[row] = _exclusion(selection, number, row, costs)
    size = ExclusionCode.EXCEEDED_BUDGET
    return Packing(
        strategy=strategy,
        kept=(*required_rows(ranking), *_ranked(selection, says_worth=strategy != "ranked")),
        excluded=excluded,
        used_tokens=selection.used,
        skipped_for_size=tuple(
            row for row in ranking.order if row in excluded and excluded[row].code is size
        ),
        would_fit_at={} if would_fit_at is None else would_fit_at,
        quality=found,
        unmet=tuple(_unmet(selection, excluded)),
        note=note,
    )


def required_rows(ranking: Ranking) -> Iterator[tuple[int, Inclusion]]:
    """Rows that are in from the start, with why."""
    for row, code in ranking.reserved:
        yield row, Inclusion(code=code, reason=REQUIRED_REASONS[code])


def worth_told(millionths: int) -> str:
    """What a reason says of worth, where worth decided."""
    return f", worth {millionths / MILLIONTHS:.6f}"


def _ranked(selection: Selection, *, says_worth: bool) -> Iterator[tuple[int, Inclusion]]:
    """Rows that came in, by rank, with why."""
    ranking, chunks = selection.ranking, selection.ranking.pool.chunks
    unit_of = {
        place: selection.units[number]
        for number in selection.taken
        for place in selection.units[number].places
    }
    for place in sorted(unit_of):
        row = ranking.order[place]
        others = [chunks[other].chunk_id for other in unit_of[place].rows if other != row]
        addition = worth_told(selection.worths[place]) if says_worth else ""
        linked = f", linked with {', '.join(others)}" if others else ""
        if unit_of[place].drawn:
            linked = f"{linked or ', linked'} and required material"
        addition += linked
        yield row, by_rank(place, max(0.0, float(ranking.signals.score[row])), addition)


def _exclusion(selection: Selection, number: int, row: int, costs: IntArray) -> Exclusion:
    """Why a row is out. Only what would have fitted alone has another reason than its size."""
    unit = selection.units[number]
    needed = int(costs[row])
    if number in selection.passed:
        room, barrier = selection.passed[number]
        beside = room
    else:
        room, beside = selection.room, selection.left
        barrier = selection.barrier(unit) if unit.cost <= beside else unit.barred
    if needed > room:
        return exceeded(needed, room)
    if barrier is not None:
        return barrier
    if unit.cost > room:
        return _too_large_together(selection, unit, row, room)
    worth = f"worth {unit.value / MILLIONTHS:.6f}"
    detail = f"{worth}, needed {unit.cost}, had {beside} beside a set that is worth more"
    if unit.cost <= beside:
        detail = "adds nothing to what is in"
    return because(ExclusionCode.NOT_IN_BEST_SET, detail)


def _too_large_together(selection: Selection, unit: Unit, row: int, room: int) -> Exclusion:
    chunks = selection.ranking.pool.chunks
    others = ", ".join(chunks[other].chunk_id for other in unit.rows if other != row)
    detail = f"linked with {others}, together {unit.cost}, had {room}"
    return because(ExclusionCode.LINKED_CHUNK_OUT, detail)


def _unmet(selection: Selection, excluded: Mapping[int, Exclusion]) -> Iterator[UnmetConstraint]:
    """Every rule that the selection breaks: caps, topics, pairs, groups, in that order."""
    rules, chunks = selection.constraints, selection.ranking.pool.chunks
    for source, count in sorted(selection.per_source.items()):
        if rules.max_per_source is not None and count > rules.max_per_source:
            detail = f"{count} required chunks of {source}, at most {rules.max_per_source}"
            yield UnmetConstraint(kind="max_per_source", detail=detail)
    for bit, topic in enumerate(rules.topics):
        rows = [row for row in selection.ranking.order if selection.topics_of((row,)) >> bit & 1]
        if rows and not selection.covered >> bit & 1:
            best = f"the best, {chunks[rows[0]].chunk_id}, is out: {excluded[rows[0]].reason}"
            detail = f"{topic}: offered by {len(rows)} candidates, and {best}"
            yield UnmetConstraint(kind="topic", detail=detail)
    required_rows = {row for row, _ in selection.ranking.reserved}
    for pair in sorted({(min(pair), max(pair)) for pair in rules.exclusive}):
        if pair[0] != pair[1] and required_rows.issuperset(pair):
            names = " and ".join(sorted(chunks[row].chunk_id for row in pair))
            yield UnmetConstraint(kind="exclusive", detail=f"{names} are both required")
    for group in selection.groups:
        missing = [row for row in group if row not in selection.rows_in]
        if missing and len(missing) < len(group):
            name = next(
                chunks[row].chunk_id for row, _ in selection.ranking.reserved if row in group
            )
            first = chunks[missing[0]].chunk_id
            detail = f"{name} is required; {first}, linked with it, is out"
            detail = f"{detail}: {excluded[missing[0]].reason}"
            yield UnmetConstraint(kind="linked", detail=detail)
