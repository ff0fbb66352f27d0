"""How like candidates of two packets are, and which give the text of which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhorse.explain.diff.changed_inputs import chunk_key
from packhorse.rerank.composite import MILLIONTHS
from packhorse.rerank.copies import Copies
from packhorse.rerank.deduplication import similarities

if TYPE_CHECKING:
    from packhorse.explain.diff.mixed_pool import MixedPool
    from packhorse.explain.diff.ties import Ties
    from packhorse.explain.recorded import Recorded
    from packhorse.types.arrays import FloatArray

__all__ = ["MixedPairs"]

Sides = Callable[[str], bool]


class MixedPairs:
    """Similarities and copies of all pairs that one of two packets knows."""

    def __init__(self, sides: tuple[Recorded, Recorded], pool: MixedPool, ties: Ties) -> None:
        self._sides, self._pool, self._ties = sides, pool, ties
        self._row_of = {chunk_id: row for row, chunk_id in enumerate(pool.ids)}
        self._texts = {
            chunk_id: keys
            for chunk_id in pool.ids
            if (keys := pool.own_keys(chunk_id) & {chunk_key(chunk_id, "text"), "attached"})
        }
        self._tables = tuple(self._table(side) for side in (0, 1))
        self._table_key = self._whole_table()
        self._differing = list(self._pairs())
        self._copies = list(self._copied())
        self._tie_unknown()

    def vectors(self, ids: Sequence[str], is_b: Sides) -> FloatArray | None:
        """(n, n) similarities; they stand in the place of vectors, see `CandidatePool.keys`."""
        was, now = self._tables
        if was is None or now is None:
            table = now if is_b(self._table_key) else was
            if table is None:
                return None
        else:
            table = np.where(np.isnan(was), now, was)
            if is_b(self._table_key):
                table = np.where(np.isnan(now), was, now)
            for key, row, other in self._differing:
                table[row, other] = table[other, row] = (now if is_b(key) else was)[row, other]
        rows = [self._row_of[chunk_id] for chunk_id in ids]
        return np.nan_to_num(table[np.ix_(rows, rows)]) / MILLIONTHS

    def copies(self, ids: Sequence[str], is_b: Sides) -> Copies:
        """Which candidates give the text of which, in rows of `ids`."""
        row_of = {chunk_id: row for row, chunk_id in enumerate(ids)}
        given_by: dict[int, dict[int, float]] = {}
        for key, one, two, was, now in self._copies:
            overlap = now if is_b(key) else was
            if overlap is not None and one in row_of and two in row_of:
                given_by.setdefault(row_of[one], {})[row_of[two]] = overlap
        return Copies(given_by=given_by)

    def _table(self, side: int) -> FloatArray | None:
        """In whole millionths, rows as in `pool.ids`, NaN where the packet does not know."""
        own = self._sides[side].pool
        if own.vectors is None:
            return None
        keys = own.vectors if own.keys is None else own.keys
        rows = [self._row_of[chunk.chunk_id] for chunk in own.chunks]
        table = np.full((len(self._row_of), len(self._row_of)), np.nan)
        table[np.ix_(rows, rows)] = similarities(own.vectors, keys)
        return table

    def _whole_table(self) -> str:
        """The input that decides all similarities at once; empty for none."""
        embedder = self._ties.changed(["embedder"])
        has_table = [table is not None for table in self._tables]
        if has_table[0] != has_table[1]:
            # Without a candidate there is no table either.
            return self._ties.tie(embedder or self._ties.changed(["snapshot", "query"]))
        return self._ties.tie(embedder) if embedder and has_table[0] else ""

    def _pairs(self) -> Iterator[tuple[str, int, int]]:
        """(input, row, row) of pairs that both packets know, otherwise."""
        was, now = self._tables
        if was is None or now is None:
            return
        differ = ~np.isnan(was) & ~np.isnan(now) & (was != now)
        ids = self._pool.ids
        for row, other in np.argwhere(np.triu(differ, 1)).tolist():
            keys = {*self._texts.get(ids[row], ()), *self._texts.get(ids[other], ())}
            if self._table_key:
                # The whole table is the other one; what texts did besides is not known apart.
                if keys:
                    self._ties.tie({self._table_key, *keys})
            else:
                yield self._ties.tie(keys), row, other

    def _copied(self) -> Iterator[tuple[str, str, str, float | None, float | None]]:
        """(input, candidate, one that gives its text, overlap in A, in B)."""
        known = [
            {
                (chunks[row].chunk_id, chunks[other].chunk_id): overlap
                for row, others in side.copies.given_by.items()
                for other, overlap in others.items()
            }
            for side, chunks in ((side, side.pool.chunks) for side in self._sides)
        ]
        threshold = self._ties.changed(["dedup_threshold"])
        for one, two in sorted({*known[0], *known[1]}):
            was, now = (pairs.get((one, two)) for pairs in known)
            if not {one, two} <= self._pool.is_shared:
                # Both are there only with the packet that knows of them.
                yield "", one, two, was if was is not None else now, None
            elif was == now:
                yield "", one, two, was, now
            else:
                keys = {*self._texts.get(one, ()), *self._texts.get(two, ()), *threshold}
                yield self._ties.tie(keys), one, two, was, now

    def _tie_unknown(self) -> None:
        """Pairs that neither packet knows must never be there together."""
        pool, ties = self._pool, self._ties
        single = [chunk_id for chunk_id in pool.ids if chunk_id not in pool.is_shared]
        thresholds = [side.profile.rerank.dedup_threshold for side in self._sides]
        compared = [each for each in (*self._tables, *thresholds) if each is not None]
        if not single or not compared:
            return
        others = {key for keys in self._texts.values() for key in keys}
        others |= ties.changed(["dedup_threshold"])
        if self._table_key:
            others.add(self._table_key)
        groups: dict[int, set[frozenset[str]]] = {0: set(), 1: set()}
        for chunk_id in single:
            groups[chunk_id not in pool.rows(0)].add(frozenset(pool.presence(chunk_id)))
        for presence in sorted({*groups[0], *groups[1]}, key=sorted):
            if others:
                ties.tie({*presence, *others})
        for one in sorted(groups[0], key=sorted):
            for two in sorted(groups[1], key=sorted):
                ties.tie({*one, *two})
