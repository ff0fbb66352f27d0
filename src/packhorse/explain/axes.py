"""Kinds of change to one candidate, as steps: how far each goes, and what a step is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from packhorse.explain.selection import Change
from packhorse.packet.canonical import iso_instant
from packhorse.rerank.freshness import ages_in_days
from packhorse.rerank.trust import NEUTRAL_TRUST

if TYPE_CHECKING:
    from packhorse.explain.recorded import Recorded

__all__ = ["Axis", "date_axis", "relevance_axis", "trust_axis"]

_MICRO = 1_000_000

_HALVINGS = 22
"""Half-lives after which a freshness of six decimals is 0."""

_FIRST_DAY = datetime(2, 1, 1, tzinfo=UTC)
"""Nothing is dated earlier, so that arithmetic on dates stays inside their range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One kind of change, from the smallest step to the largest."""

    kind: str
    was: float | str | None
    n_steps: int
    """Steps that there are; step 0 is no change."""
    change_at: Callable[[int], Change]
    value_at: Callable[[int], float | str]
    amount_at: Callable[[int], float | None]
    """The change with its sign; None from what nobody said."""
    points: tuple[int, ...]
    """Steps around which the candidate changes places with a copy of its text. Between them,
    which texts are dropped as copies does not depend on the step."""


def relevance_axis(own: Recorded, row: int, sign: int) -> Axis:
    """Relevance in millionths, up or down; for an unscored candidate up from 0."""
    relevance = float(own.pool.relevance[row])
    is_scored = math.isfinite(relevance)
    start = round(relevance * _MICRO) if is_scored else -1

    def value_at(step: int) -> float:
        return round((start + sign * step) / _MICRO, 6)

    others = [
        round(float(own.pool.relevance[r]) * _MICRO)
        for r in _related(own, row)
        if math.isfinite(float(own.pool.relevance[r]))
    ]
    return Axis(
        kind="relevance",
        was=relevance if is_scored else None,
        n_steps=_MICRO - start if sign > 0 else max(0, start),
        change_at=lambda step: Change(row=row, relevance=value_at(step)),
        value_at=value_at,
        amount_at=lambda step: sign * step / _MICRO if is_scored else None,
        points=_around([sign * (other - start) for other in others]),
    )


def trust_axis(own: Recorded, row: int, sign: int) -> Axis:
    """The operator's trust in millionths, up or down; from neutral where nobody rated it."""
    stated = own.pool.chunks[row].trust_score
    start = _trust(own, row)

    def value_at(step: int) -> float:
        return round((start + sign * step) / _MICRO, 6)

    return Axis(
        kind="trust",
        was=stated,
        n_steps=_MICRO - start if sign > 0 else start,
        change_at=lambda step: Change(row=row, trust=value_at(step)),
        value_at=value_at,
        amount_at=lambda step: None if stated is None else sign * step / _MICRO,
        points=_around([sign * (_trust(own, other) - start) for other in _related(own, row)]),
    )


def date_axis(own: Recorded, row: int, sign: int) -> Axis:
    """Whole days, newer (up to `as_of`) or older.

    A chunk without a date counts as one half-life old: the first step gives it a date of about
    that age, in whole days, and further steps go on from there.
    """
    as_of = own.query.as_of
    stamp = own.pool.chunks[row].timestamp
    half_life = own.profile.rerank.freshness_half_life_days
    oldest = (as_of - _FIRST_DAY).days
    ages = ages_in_days(own.pool.chunks, as_of)
    if stamp is not None:
        first, age = stamp, float(ages[row])
    else:
        whole = math.floor(half_life) if sign > 0 else math.ceil(half_life)
        age = float(min(whole, oldest))
        # Step 1 is the whole number of days next to a half-life, on the side of the change.
        first = as_of - timedelta(days=age + sign)
        age += sign
    if sign > 0:
        n_steps = max(0, math.floor(age))
    else:
        limits = [own.profile.rerank.max_age_days or 0, own.policy.max_age_days or 0]
        furthest = min(oldest, math.ceil(max(_HALVINGS * half_life, *limits)) + 1)
        n_steps = max(0, furthest - math.floor(age))

    def stamp_at(step: int) -> datetime:
        return first + timedelta(days=sign * step)

    apart = [sign * (age - float(ages[other])) for other in _related(own, row)]
    return Axis(
        kind="date",
        was=iso_instant(stamp),
        n_steps=n_steps,
        change_at=lambda step: Change(row=row, timestamp=stamp_at(step)),
        value_at=lambda step: iso_instant(stamp_at(step)) or "",
        amount_at=lambda step: None if stamp is None else sign * step,
        points=_around([math.floor(days) for days in apart if math.isfinite(days)]),
    )


def _trust(own: Recorded, row: int) -> int:
    stated = own.pool.chunks[row].trust_score
    return round((NEUTRAL_TRUST if stated is None else stated) * _MICRO)


def _related(own: Recorded, row: int) -> Iterator[int]:
    """Candidates of which one text of the two gives the other."""
    given_by = own.copies.given_by
    for other in range(len(own.entries)):
        if other != row and (other in given_by.get(row, ()) or row in given_by.get(other, ())):
            yield other


def _around(steps: Sequence[int]) -> tuple[int, ...]:
    """The steps and their neighbours, ascending."""
    return tuple(sorted({at for step in steps for at in range(step - 1, step + 3)}))
