"""What stands around a chunk is packed with that chunk, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from packhorse.packing.units import because
from packhorse.packing.would_fit import FoundLater
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.decision import Exclusion, ExclusionCode, Inclusion, InclusionCode

if TYPE_CHECKING:
    from packhorse.protocols import Packer
    from packhorse.types.arrays import IntArray
    from packhorse.types.candidate import Around
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["ExpandedPacker"]

_SIZE = ExclusionCode.EXCEEDED_BUDGET


class ExpandedPacker:
    """Lets another packer choose, and sees to the rows that came with a chunk they stand around.

    Where such a row is in and its chunk is not, it is taken out and the rest is packed again, until
    there is none. Without such rows the other packer's word stands as it is.
    """

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self.name = packer.name

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """As the other packer selects; see there for what is raised."""
        if not ranking.pool.around:
            return self._packer.pack(ranking, block_tokens, budget, constraints)
        whole = ranking
        while True:
            packing = self._packer.pack(ranking, block_tokens, budget, constraints)
            alone = _alone(ranking, packing)
            if not alone:
                return _told(whole, packing, has_left_out=ranking is not whole)
            ranking = replace(
                ranking,
                order=tuple(row for row in ranking.order if row not in alone),
                excluded={**ranking.excluded, **alone},
            )


def _alone(ranking: Ranking, packing: Packing) -> dict[int, Exclusion]:
    """Rows that are in by competition while the chunk that they stand around is out."""
    pool = ranking.pool
    kept = {pool.chunks[row].chunk_id for row, _ in packing.kept}
    required = {row for row, _ in ranking.reserved}
    return {
        row: because(ExclusionCode.ORIGIN_OUT, f"{_where(around)}, which is out")
        for row, around in sorted(pool.around.items())
        if pool.chunks[row].chunk_id in kept and around.chunk_id not in kept and row not in required
    }


def _told(ranking: Ranking, packing: Packing, *, has_left_out: bool) -> Packing:
    """The packing with reasons that say around which chunk a row stands."""
    pool = ranking.pool
    kept = dict(packing.kept)
    n_around = Counter(around.chunk_id for around in pool.around.values())
    n_in = Counter(around.chunk_id for row, around in pool.around.items() if row in kept)
    excluded = dict(packing.excluded)
    for row, around in pool.around.items():
        if row in kept and kept[row].code is InclusionCode.RANKED:
            reason = f"{_where(around)}; {kept[row].reason}"
            kept[row] = Inclusion(code=InclusionCode.EXPANDED, reason=reason)
        elif row in excluded and excluded[row].code is _SIZE:
            beside = f"of {n_around[around.chunk_id]} around {around.chunk_id}"
            reason = f"{excluded[row].reason[:-1]}; {beside}, {n_in[around.chunk_id]} are in)"
            excluded[row] = replace(excluded[row], reason=reason)
    return replace(
        packing,
        kept=tuple(kept.items()),
        excluded=excluded,
        would_fit_at=_would_fit_at(ranking, packing, has_left_out=has_left_out),
    )


def _would_fit_at(ranking: Ranking, packing: Packing, *, has_left_out: bool) -> Mapping[int, int]:
    """What is known of rows that stand by themselves.

    Nothing where rows were left out here: a larger budget may let in the chunk they stand around.
    """
    found, around = packing.would_fit_at, ranking.pool.around
    if has_left_out:
        return {}
    return FoundLater(lambda: {row: at for row, at in found.items() if row not in around})


def _where(around: Around) -> str:
    n = abs(around.steps)
    chunks = "chunk" if n == 1 else "chunks"
    return f"{n} {chunks} {'before' if around.steps < 0 else 'after'} {around.chunk_id}"
