"""Receiver operating characteristic of one figure: inside questions against the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["MAX_FALSE_ALARMS", "Rates", "area", "curve", "highest_threshold", "rates"]

MAX_FALSE_ALARMS = 0.025
"""Share of inside questions that a threshold may call outside: a false alarm sets the coverage of
a good packet to 0, a miss only leaves a warning out."""

_STEPS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a threshold gets wrong, 0..1."""

    false_alarm: float
    """Share of inside questions that are called outside."""
    miss: float
    """Share of the others that are called inside."""


def area(inside: FloatArray, others: FloatArray) -> float:
    """Area under the curve: how often an inside question is above another one, ties half."""
    above = (inside[:, None] > others[None, :]).mean()
    return float(above + (inside[:, None] == others[None, :]).mean() / 2)


def rates(inside: FloatArray, others: FloatArray, threshold: float) -> Rates:
    """Errors when questions at the threshold or above it are called inside."""
    return Rates(
        false_alarm=float((inside < threshold).mean()), miss=float((others >= threshold).mean())
    )


def curve(inside: FloatArray, others: FloatArray) -> tuple[tuple[float, float], ...]:
    """(false alarm, share of the others caught) at thresholds from 0 to 1."""
    points = [(0.0, 0.0)]
    for step in range(_STEPS + 1):
        at = rates(inside, others, step / _STEPS)
        points.append((at.false_alarm, 1.0 - at.miss))
    return tuple(points)


def highest_threshold(inside: FloatArray) -> float:
    """The highest hundredth that calls at most `MAX_FALSE_ALARMS` of the questions outside."""
    return max(
        hundredths / 100
        for hundredths in range(101)
        if (inside < hundredths / 100).mean() <= MAX_FALSE_ALARMS
    )
