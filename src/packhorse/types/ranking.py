"""What reranking says: five signals for every candidate, an order, and who fell out on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.decision import Exclusion, InclusionCode

__all__ = ["Ranking", "Signals"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signals:
    """The five signals and their weighted sum, one row a candidate, each (n,) in 0..1.

    `score` = sum of weight x signal, rounded to six decimals; `coverage` and `deduplication`
    are those of the moment the candidate was ranked (against what had been chosen before it).
    """

    relevance: FloatArray
    trust: FloatArray
    freshness: FloatArray
    coverage: FloatArray
    deduplication: FloatArray
    """Highest similarity to what was chosen before: a penalty, so its weight is negative."""
    score: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """A pool in order. Every row is in `reserved`, in `order` or in `excluded`, once."""

    pool: CandidatePool
    signals: Signals
    reserved: tuple[tuple[int, InclusionCode], ...]
    """Rows that must be in, in the order of reservation: mandatory, pinned, attached."""
    order: tuple[int, ...]
    """Rows that compete for what is left, best first."""
    excluded: Mapping[int, Exclusion]
    """Rows that filters, duplicate removal, the source cap or the top-k cut took out."""
