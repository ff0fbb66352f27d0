"""Reading order where chunks of one text stand together: they are placed as one, read in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Orderer
    from packhorse.types.candidate import CandidatePool

__all__ = ["reading_order"]


def reading_order(orderer: Orderer, pool: CandidatePool, by_rank: Sequence[int]) -> tuple[int, ...]:
    """Packed rows as they are read.

    A row that came with a chunk it stands around is placed with it, and with all that came with
    the same chunks: the orderer places the best of them, and the others follow or precede it as
    they do in their source, ties by chunk id.

    Args:
        orderer: places what stands by itself.
        pool: rows, and which came with which chunk.
        by_rank: packed rows, best first.
    """
    groups = _together(pool, by_rank)
    heads = [group[0] for group in groups]
    places = orderer.order([pool.chunks[row] for row in heads])

    def place_in_source(row: int) -> tuple[int, str]:
        return pool.chunks[row].position_in_source, pool.chunks[row].chunk_id

    return tuple(row for place in places for row in sorted(groups[place], key=place_in_source))


def _together(pool: CandidatePool, by_rank: Sequence[int]) -> list[list[int]]:
    """Rows in groups that are read in one go, best first; groups by their best row."""
    row_of = {pool.chunks[row].chunk_id: row for row in by_rank} if pool.around else {}
    group_of = {row: [row] for row in by_rank}
    for row in by_rank:
        origin = row_of.get(pool.around[row].chunk_id) if row in pool.around else None
        if origin is not None and group_of[origin] is not group_of[row]:
            joined = [*group_of[origin], *group_of[row]]
            group_of.update(dict.fromkeys(joined, joined))
    place_of = {row: place for place, row in enumerate(by_rank)}
    groups = {id(group): sorted(group, key=place_of.__getitem__) for group in group_of.values()}
    return sorted(groups.values(), key=lambda group: place_of[group[0]])
