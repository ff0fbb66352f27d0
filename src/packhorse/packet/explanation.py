"""Why one candidate is in or out: the decision, and the sum behind its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.packet.rows import SIGNALS

if TYPE_CHECKING:
    from packhorse.packet.entries import ExcludedChunk, PackedChunk

__all__ = ["Explanation", "SignalShare", "explain_entry"]

MICRO = 1_000_000
"""Scores have six decimals; shares are added in whole millionths, so that the sum is exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalShare:
    """One summand of a composite score."""

    name: str
    value: float
    """0..1."""
    weight: float
    share: float
    """weight x value in six decimals; the shares of a candidate add up to its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The decision about one candidate. `str()` of it is for people."""

    chunk_id: str
    decision: str
    """`included` or `excluded`."""
    reason: str
    reason_code: str
    signals: tuple[SignalShare, ...]
    """Empty for an unscored candidate."""
    score: float | None
    """Sum of the shares."""
    rank: int | None
    """1-based place in the ranked list; None for a candidate that never competed."""
    ranked: int
    """Length of that list."""
    lexical_rank: int | None
    dense_rank: int | None
    position: int | None
    """1-based place in the text; None for an excluded one."""
    tokens: int
    duplicate_of: str | None
    would_fit_at_budget: int | None
    """Smallest budget that keeps it; None where size is not what keeps it out."""

    def __str__(self) -> str:
        lines = [f"{self.chunk_id}: {self.decision}, {self.reason}"]
        if self.signals:
            parts = " ".join(
                f"{'-' if share.share < 0 or share.weight < 0 else '+'} {abs(share.weight):g} x"
                f" {share.value:.4f} {share.name}"
                for share in self.signals
            )
            lines.append(f"  score {self.score:.6f} = {parts.removeprefix('+ ')}")
            sums = " ".join(f"{share.share:+.6f}" for share in self.signals)
            lines.append(f"  shares {sums.removeprefix('+')}")
        lines.append(f"  {self._ranks()}, {self.tokens} tokens")
        if self.position is not None:
            lines.append(f"  cited as [{self.position}]")
        if self.duplicate_of is not None:
            lines.append(f"  duplicate of {self.duplicate_of}, which was kept")
        if self.would_fit_at_budget is not None:
            lines.append(f"  would be in at a budget of {self.would_fit_at_budget} tokens")
        return "\n".join(lines)

    def _ranks(self) -> str:
        rank = f"rank {self.rank} of {self.ranked}" if self.rank else "not ranked"
        found = {"lexical": self.lexical_rank, "dense": self.dense_rank}
        places = [f"{name} search {place}" for name, place in found.items() if place is not None]
        return ", ".join([rank, *places])


def explain_entry(
    entry: PackedChunk | ExcludedChunk, weights: Mapping[str, float], ranked: int
) -> Explanation:
    """The explanation of one candidate of a packet."""
    from packhorse.packet.entries import ExcludedChunk

    is_out = isinstance(entry, ExcludedChunk)
    return Explanation(
        chunk_id=entry.chunk_id,
        decision="excluded" if is_out else "included",
        reason=entry.excluded_reason if isinstance(entry, ExcludedChunk) else entry.included_reason,
        reason_code=entry.reason_code,
        signals=_shares(entry, weights),
        score=entry.score,
        rank=entry.rank,
        ranked=ranked,
        lexical_rank=entry.lexical_rank,
        dense_rank=entry.dense_rank,
        position=None if isinstance(entry, ExcludedChunk) else entry.position,
        tokens=entry.tokens,
        duplicate_of=entry.duplicate_of if isinstance(entry, ExcludedChunk) else None,
        would_fit_at_budget=(
            entry.would_fit_at_budget if isinstance(entry, ExcludedChunk) else None
        ),
    )


def _shares(
    entry: PackedChunk | ExcludedChunk, weights: Mapping[str, float]
) -> tuple[SignalShare, ...]:
    """The summands; what rounding leaves over goes to the largest, so that they add up."""
    values = {name: getattr(entry, field) for name, field in SIGNALS.items()}
    if entry.score is None or any(value is None for value in values.values()):
        return ()
    millionths = {name: round(weights[name] * values[name] * MICRO) for name in SIGNALS}
    left = round(entry.score * MICRO) - sum(millionths.values())
    if abs(left) <= len(SIGNALS):
        millionths[_largest(list(SIGNALS), millionths)] += left
    return tuple(
        SignalShare(
            name=name,
            value=values[name],
            weight=weights[name],
            share=millionths[name] / MICRO,
        )
        for name in SIGNALS
    )


def _largest(names: Sequence[str], millionths: Mapping[str, int]) -> str:
    return max(names, key=lambda name: (abs(millionths[name]), name))
