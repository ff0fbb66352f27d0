"""Freshness: how recent a chunk is, seen from the instant the query is asked on."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["NEUTRAL_FRESHNESS", "ages_in_days", "freshness_signal"]

NEUTRAL_FRESHNESS = 0.5
"""Freshness of a chunk without a date."""

_SECONDS_A_DAY = 86_400.0


def _seconds(instant: datetime) -> float:
    # A naive `timestamp()` would read the machine's time zone; no zone means UTC here.
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()


def ages_in_days(chunks: Sequence[Chunk], as_of: datetime) -> FloatArray:
    """(n,) float64 days from each chunk's date to `as_of`; negative for the future, NaN unknown."""
    dates = [chunk.timestamp for chunk in chunks]
    seconds = [np.nan if date is None else _seconds(date) for date in dates]
    return (_seconds(as_of) - np.array(seconds, dtype=np.float64)) / _SECONDS_A_DAY


def freshness_signal(ages: FloatArray, half_life_days: float) -> FloatArray:
    """(n,) 0..1, six decimals: 0.5 ** (age / half-life).

    A future date is as fresh as today (1.0); an unknown one is `NEUTRAL_FRESHNESS`.
    """
    decayed = np.power(0.5, np.maximum(ages, 0.0) / half_life_days)
    return np.round(np.where(np.isnan(ages), NEUTRAL_FRESHNESS, decayed), 6)
