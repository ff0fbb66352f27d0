"""Greedy choice by marginal value, exact, without comparing every pair of candidates.

At each step the row with the highest marginal value is chosen. While more is chosen, similarity
can only rise and added coverage can only fall, so a value computed earlier is an upper bound of
the value now (Minoux, 1978: accelerated greedy). Rows are therefore looked at in windows of the
most promising ones: inside a window all values are current, and as soon as the best of them could
be beaten by the bound of a row outside, the next window is formed. The order is the one that
plain greedy gives, digit by digit.

Cost: O(c^2 d) a window, where c is the number of rows in it that can still win, usually a few
dozen; plain greedy costs O(k n d) with one product of a matrix and a vector a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.deduplication import highest_similarity, similarities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.rerank.columns import Columns
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Chosen", "GreedyWalk"]

_WINDOW = 192
"""Rows looked at together; up to this many, one window holds them all."""

_SLICE = 128
"""Chosen rows compared at a time."""

_GONE = -np.inf


class Chosen:
    """What stands in the packet so far: directions, covered topics, rows a source."""

    def __init__(self, dimension: int, n_topics: int, *, room: int) -> None:
        """Takes the length of vectors, the number of topics, and how many rows may come."""
        # Not filled with zeros: memory that no row comes to is never touched.
        self._vectors = np.empty((room, dimension), dtype=np.float32)
        self.count = 0
        self.covered: FloatArray = np.zeros(n_topics, dtype=np.float64)
        """(t,) best strength among the chosen rows."""
        self.per_source: dict[int, int] = {}

    def add(self, vectors: FloatArray, strengths: FloatArray, sources: Sequence[int]) -> None:
        """Counts k more rows: (k, d) directions, (k, t) strengths, k sources."""
        count = self.count + len(sources)
        self._vectors[self.count : count] = vectors
        self.count = count
        if self.covered.size:
            self.covered = np.maximum(self.covered, strengths.max(axis=0))
        for source in sources:
            self.per_source[source] = self.per_source.get(source, 0) + 1

    def vectors(self, since: int = 0) -> FloatArray:
        """(k, d) directions of the rows chosen from number `since` on."""
        return self._vectors[since : self.count]


class GreedyWalk:
    """One walk over rows in tie order (among equals the first wins): `run`, then `finish`."""

    def __init__(self, columns: Columns, chosen: Chosen, *, cap: int | None) -> None:
        self._columns = columns
        self._chosen = chosen
        self._n_before = chosen.count
        self._cap = cap
        self._open = np.ones(len(columns), dtype=np.bool_)
        self._seen = np.zeros(len(columns), dtype=np.int64)
        self.order: list[int] = []
        """Rows in the order of choice."""
        self.capped: list[int] = []
        """Rows passed over because their source had reached the cap."""

    def run(self, limit: int) -> None:
        """Chooses up to `limit` rows."""
        self._columns.revalue(self._chosen.covered)
        for source in sorted(self._chosen.per_source):
            self._close_if_full(source)
        while len(self.order) < limit:
            rows = np.flatnonzero(self._open)
            if rows.size == 0:
                return
            if rows.size <= _WINDOW:
                window: IntArray = rows
                rival = -1
            else:
                window, rival = _most_promising(rows, self._columns.value[rows], _WINDOW)
            self._choose_inside(window, rival, limit)

    def finish(self, limit: int) -> list[int]:
        """Ranks what `run` left, up to `limit` rows in all; returns the rows cut, best first.

        When `run` reached `limit`, nothing is ranked, and the rows cut are measured against
        everything chosen. Otherwise they follow by value, all at once, compared with what was
        there before the walk alone: the similarity of thousands of rows to hundreds of chosen
        ones is what the depth of a walk saves. The source cap holds all along.
        """
        chosen = self._chosen.vectors()
        compared = chosen if len(self.order) >= limit else chosen[: self._n_before]
        rows = np.flatnonzero(self._open)
        if not rows.size and not self.capped:
            return []
        measured = np.concatenate((rows, np.array(self.capped, dtype=np.int64)))
        self._columns.measure(measured, compared, self._chosen.covered)
        cut: list[int] = []
        for row in self._best_first(rows).tolist():
            source = int(self._columns.sources[row])
            if self._is_full(source):
                self.capped.append(row)
            elif len(self.order) < limit:
                self.order.append(row)
                self._chosen.per_source[source] = self._chosen.per_source.get(source, 0) + 1
            else:
                cut.append(row)
        return cut

    def _best_first(self, rows: IntArray) -> IntArray:
        # Stable, so that equal values stay in tie order.
        return rows[np.argsort(-self._columns.value[rows], kind="stable")]

    def _is_full(self, source: int) -> bool:
        return self._cap is not None and self._chosen.per_source.get(source, 0) >= self._cap

    def _close_if_full(self, source: int) -> None:
        """Takes out the rest of a source that has reached the cap."""
        if self._is_full(source):
            rest = np.flatnonzero(self._open & (self._columns.sources == source))
            self._open[rest] = False
            self.capped += rest.tolist()

    def _choose_inside(self, window: IntArray, rival: int, limit: int) -> None:
        """Chooses rows of `window` for as long as none outside could be better.

        Args:
            window: rows in tie order.
            rival: the row outside with the highest bound, the first among equals; -1 for none.
            limit: rows to choose in all.
        """
        bound = (float(self._columns.value[rival]), -rival) if rival >= 0 else (_GONE, 0)
        window, part = self._contenders(window, bound[0])
        if window.size == 0:
            return
        inside = _Inside(window, part)
        while inside.coverage_may_change(self._chosen.covered):
            if not self._choose_best(inside, bound, limit):
                break
        else:
            self._choose_by_table(inside, bound, limit)
        self._leave(inside)

    def _choose_best(self, inside: _Inside, bound: tuple[float, int], limit: int) -> bool:
        """Chooses the best row of a window and brings the others up to date; False for none."""
        part = inside.part
        best = int(part.value.argmax())
        row = int(inside.window[best])
        if (float(part.value[best]), -row) <= bound or len(self.order) >= limit:
            return False
        before = self._chosen.covered
        self._choose(inside, [best])
        covered = self._chosen.covered
        np.maximum(part.similarity, inside.between[best], out=part.similarity)
        part.revalue(covered if (covered > before).any() else None)
        part.value[~self._open[inside.window]] = _GONE
        return True

    def _choose_by_table(self, inside: _Inside, bound: tuple[float, int], limit: int) -> None:
        """Chooses rows while coverage stays as it is: then a pair of rows has one value for good.

        A row's value never rises with its similarity, so what it is worth now is the lowest of
        what it is worth beside each chosen row.
        """
        part = inside.part
        worth, between = list(part.values_at(inside.between)), list(inside.between)
        value, similarity = part.value, part.similarity
        floor, last = bound
        chosen: list[int] = []
        at_choice: list[float] = []
        per_source = dict(self._chosen.per_source)
        for _ in range(limit - len(self.order)):
            best = int(value.argmax())
            height = value.item(best)
            if height <= floor and (height < floor or -int(inside.window[best]) <= last):
                break
            chosen.append(best)
            at_choice.append(similarity.item(best))
            np.minimum(value, worth[best], value)
            np.maximum(similarity, between[best], similarity)
            value[best] = _GONE
            if self._cap is not None:
                source = int(part.sources[best])
                per_source[source] = per_source.get(source, 0) + 1
                if per_source[source] >= self._cap:
                    value[part.sources == source] = _GONE
        similarity[chosen] = at_choice
        part.revalue(None)
        self._choose(inside, chosen)

    def _choose(self, inside: _Inside, places: list[int]) -> None:
        """Counts rows of a window as chosen, in turn, with the columns they have now."""
        if places:
            rows, part = inside.window[places], inside.part
            self._columns.put(rows, part, np.array(places))
            self.order += rows.tolist()
            self._open[rows] = False
            sources = part.sources[places].tolist()
            self._chosen.add(part.keys[places], part.strengths[places], sources)
            if self._cap is not None:
                for source in dict.fromkeys(sources):
                    self._close_if_full(source)

    def _leave(self, inside: _Inside) -> None:
        """Writes back what is known of the rows of a window that were not chosen."""
        still_open = np.flatnonzero(self._open[inside.window])
        if still_open.size:
            self._columns.put(inside.window[still_open], inside.part, still_open)
        self._seen[inside.window] = self._chosen.count

    def _contenders(self, window: IntArray, bound: float) -> tuple[IntArray, Columns]:
        """Rows of `window` that are worth at least `bound` now, and their columns, up to date.

        Each row is compared with what was chosen since it was last looked at, a slice at a time;
        a row that falls below the bound needs no further slice.
        """
        # A window of everything needs no copy, where no chosen row's coverage is written over.
        is_all = window.size == len(self._columns) and not self._chosen.covered.size
        part = self._columns if is_all else self._columns.part(window)
        seen = self._seen[window]
        while window.size and int(seen.min()) < self._chosen.count:
            for since in sorted(set(seen.tolist())):
                places = np.flatnonzero(seen == since)
                compared = self._chosen.vectors(since)[:_SLICE]
                rows = part.vectors if places.size == window.size else part.vectors[places]
                similar = highest_similarity(rows, compared)
                part.similarity[places] = np.maximum(part.similarity[places], similar)
            seen = np.minimum(seen + _SLICE, self._chosen.count)
            part.revalue(self._chosen.covered)
            self._columns.put(window, part)
            self._seen[window] = seen
            contends = np.flatnonzero(part.value >= bound)
            if contends.size < window.size:
                window, seen, part = window[contends], seen[contends], part.part(contends)
        return window, part


class _Inside:
    """The rows of a window, and what each of them has to do with each other."""

    def __init__(self, window: IntArray, part: Columns) -> None:
        self.window = window
        """(c,) row numbers, ascending."""
        self.part = part
        self.between = similarities(part.vectors, part.keys)
        """(c, c) in whole millionths."""

    def coverage_may_change(self, covered: FloatArray) -> bool:
        """Whether any row offers a topic more strongly than what is chosen."""
        return bool(covered.size) and bool((self.part.strengths > covered).any())


def _most_promising(rows: IntArray, value: FloatArray, size: int) -> tuple[IntArray, int]:
    """The `size` rows of the highest value, in tie order, and the row that comes next."""
    next_value = np.partition(value, -size - 1)[-size - 1]
    above = value > next_value
    ties = np.flatnonzero(value == next_value)
    n_missing = size - int(np.count_nonzero(above))
    above[ties[:n_missing]] = True
    return rows[above], int(rows[ties[n_missing]])
