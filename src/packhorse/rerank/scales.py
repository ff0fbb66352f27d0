"""Score scales: how the raw numbers of a scorer become relevance in 0..1.

A scorer declares its scale. Nothing is guessed from the numbers: a list of logits may lie in
0..1 by chance, and a threshold would then mean something else from query to query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import InputError, UnknownStrategyError

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["SCALES", "ScaledScores", "scaled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    lowest: float
    highest: float
    to_unit: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScaledScores:
    """A scorer's numbers, raw and as relevance."""

    scale: str
    raw: FloatArray
    """(n,) as the scorer gave them."""
    relevance: FloatArray
    """(n,) 0..1, six decimals, in the same order; NaN where `raw` is not finite (unscored)."""


def _sigmoid(logits: FloatArray) -> FloatArray:
    # exp of a negative number cannot overflow, so each half uses the form that has one.
    small = np.exp(-np.abs(logits))
    return np.where(logits >= 0, 1.0 / (1.0 + small), small / (1.0 + small))


SCALES: Mapping[str, _Scale] = MappingProxyType(
    {
        "unit": _Scale(lowest=0.0, highest=1.0, to_unit=lambda raw: raw),
        "percent": _Scale(lowest=0.0, highest=100.0, to_unit=lambda raw: raw / 100.0),
        "cosine": _Scale(lowest=-1.0, highest=1.0, to_unit=lambda raw: np.maximum(raw, 0.0)),
        "logit": _Scale(lowest=-np.inf, highest=np.inf, to_unit=_sigmoid),
    }
)
"""`unit` 0..1 as it is; `percent` 0..100; `cosine` -1..1, negative ones are 0; `logit` sigmoid."""

_SLACK = 1e-6
"""A cosine of float32 vectors may come out a little above 1."""


def scaled(raw: Sequence[float | None] | FloatArray, scale: str) -> ScaledScores:
    """Converts scores of a declared scale; None, NaN and infinity stay unscored.

    Raises:
        UnknownStrategyError: nobody registered `scale`.
        InputError: a finite score lies outside the declared scale.
    """
    if scale not in SCALES:
        raise UnknownStrategyError("score scale", scale, tuple(SCALES))
    chosen = SCALES[scale]
    numbers = np.array([np.nan if x is None else x for x in raw], dtype=np.float64)
    finite = np.isfinite(numbers)
    outside = finite & ((numbers < chosen.lowest - _SLACK) | (numbers > chosen.highest + _SLACK))
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"Score {numbers[row]:g} of candidate {row + 1} is outside the declared scale"
            f" {scale!r} ({chosen.lowest:g}..{chosen.highest:g})",
            hint=f"Declare the scale that the scorer really uses: {', '.join(sorted(SCALES))}",
        )
    unit = chosen.to_unit(np.where(finite, numbers, 0.0))
    relevance = np.where(finite, np.round(np.clip(unit, 0.0, 1.0), 6), np.nan)
    return ScaledScores(scale=scale, raw=numbers, relevance=relevance)
