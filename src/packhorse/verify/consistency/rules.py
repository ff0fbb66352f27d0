"""The rules in order: the first that finds a difference names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.verify.consistency.entities import name_difference
from packhorse.verify.consistency.numbers import value_difference
from packhorse.verify.consistency.polarity import polarity_difference

if TYPE_CHECKING:
    from packhorse.verify.consistency.align import Difference, Parallel

__all__ = ["difference"]


def difference(parallel: Parallel) -> Difference | None:
    """The one difference that makes two statements of different chunks conflict, or None."""
    return value_difference(parallel) or polarity_difference(parallel) or name_difference(parallel)
