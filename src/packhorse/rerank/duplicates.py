"""Duplicates: chunks whose text another, better chunk already gives.

Two chunks with the same text (letter case and white space aside) are duplicates. So are near
copies: at least `threshold` of the word triples of the one that goes must stand in the one that
stays, and it must say nothing otherwise, see `differing_facts`.

The walk goes from the best copy down: required chunks first, then trust (unknown is neutral),
date (newest first, unknown last), relevance, chunk id. A chunk goes when a chunk kept before it
covers it; so what is lost is always said, by a source at least as good. A long chunk is not
dropped for a short one that it happens to contain.

Cost: near linear. A shared table of triples finds the few rows that can be covered at all; only
those are compared, and only with kept rows that share one of their rarest triples.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.differing_facts import says_otherwise
from packhorse.rerank.stated_places import stated_places
from packhorse.text.shingles import normalised_hash, shingle_array, shingles
from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray
    from packhorse.types.chunk import Chunk

__all__ = ["Duplicate", "duplicates", "triples_needed"]

_MANY = 16
"""Texts that share a rare triple above which comparing their figures at once is cheaper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A place in the walk whose text an earlier place gives."""

    of: int
    """The earliest kept place that covers it."""
    overlap: float
    """Share of its triples found there, 0..1; 1 for the same text."""

    def exclusion(self, survivor: Chunk) -> Exclusion:
        """The reason to record, with the survivor's id."""
        return Exclusion(
            code=ExclusionCode.DUPLICATE,
            reason=f"duplicate of {survivor.chunk_id} (overlap {self.overlap:.2f})",
            duplicate_of=survivor.chunk_id,
        )


def triples_needed(n_triples: int, threshold: float) -> int:
    """Shared triples from which a text of `n_triples` is covered; at least one."""
    # 0.55 * 20 is a little above 11 in floating point, and 11 triples are enough.
    return max(1, math.ceil(threshold * n_triples - 1e-9))


def duplicates(
    texts: Sequence[str], threshold: float, *, n_required: int = 0
) -> dict[int, Duplicate]:
    """Places of `texts` that go, each with the place that stays.

    Args:
        texts: best copy first; the first `n_required` are kept whatever they repeat.
        threshold: 0..1, share of a text's triples.
        n_required: how many places at the start are never dropped.
    """
    covers = _Covers(texts, threshold)
    same_text: dict[bytes, int] = {}
    found: dict[int, Duplicate] = {}
    for place, digest in enumerate(map(normalised_hash, texts)):
        copy_of = same_text.setdefault(digest, place)
        if place < n_required or (copy_of == place and place not in covers.probes):
            continue
        duplicate = covers.cover_of(place, copy_of)
        if duplicate is not None:
            found[place] = duplicate
            covers.drop(place)
            if copy_of == place:
                del same_text[digest]
    return found


class _Covers:
    """Which kept place covers a later one.

    Sets of places are integers used as bit sets: joining two of five thousand places takes less
    than a microsecond, so a pool of form letters that differ in their figures stays cheap.
    """

    def __init__(self, texts: Sequence[str], threshold: float) -> None:
        self._texts = texts
        self._threshold = threshold
        self._dropped = 0
        self._figured = 0
        self._with_place: dict[tuple[str, ...], int] = {}
        self._with_figure: dict[tuple[str, ...], int] = {}
        table = _TripleTable(texts)
        coverable = table.coverable(threshold)
        counts = Counter(triple for place in coverable for triple in shingles(texts[place]))
        self.probes = {place: self._rarest(place, counts) for place in coverable}
        """The places that may have a cover, each with triples of which a cover holds one."""
        self._with_triple = table.holders({t for probe in self.probes.values() for t in probe})

    def _rarest(self, place: int, counts: Counter[int]) -> list[int]:
        """Triples of which a cover must hold at least one (prefix filter), rare ones first."""
        triples = sorted(shingles(self._texts[place]), key=lambda t: (counts[t], t))
        return triples[: len(triples) - triples_needed(len(triples), self._threshold) + 1]

    def drop(self, place: int) -> None:
        """Takes `place` out: it covers no later one."""
        self._dropped |= 1 << place

    def cover_of(self, place: int, copy_of: int) -> Duplicate | None:
        """The earliest kept place that gives the text of `place`.

        `copy_of` is the earliest kept place with the same text, `place` itself when it is the
        first.
        """
        same = None if copy_of == place else Duplicate(of=copy_of, overlap=1.0)
        if place not in self.probes:
            return same
        text = self._texts[place]
        triples = shingles(text)
        needed = triples_needed(len(triples), self._threshold)
        for other in self._candidates(place):
            if other >= copy_of:
                break
            n_shared = len(triples & shingles(self._texts[other]))
            overlap = n_shared / len(triples)
            if n_shared >= needed and not says_otherwise(text, self._texts[other], overlap):
                return Duplicate(of=other, overlap=overlap)
        return same

    def _candidates(self, place: int) -> list[int]:
        """Kept places that share a probe, ascending; many are first sifted by their figures."""
        sharing = 0
        for triple in self.probes[place]:
            sharing |= self._with_triple.get(triple, 0)
        sharing &= ~self._dropped & ((1 << place) - 1)
        if sharing.bit_count() > _MANY:
            self._index_figures(sharing & ~self._figured)
            for around, stated in stated_places(self._texts[place]).items():
                elsewhere = ~self._with_place.get(around, 0)
                for figure in stated:
                    sharing &= elsewhere | self._with_figure.get(figure, 0)
        return _places(sharing)

    def _index_figures(self, places: int) -> None:
        for place in _places(places):
            bit = 1 << place
            for around, stated in stated_places(self._texts[place]).items():
                self._with_place[around] = self._with_place.get(around, 0) | bit
                for figure in stated:
                    self._with_figure[figure] = self._with_figure.get(figure, 0) | bit
        self._figured |= places


class _TripleTable:
    """The triples of all texts side by side, and a table of slots to look them up by.

    Slots are the leading bits of a triple, without collision handling: answers about slots are
    supersets, which later steps check against the triples themselves.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        arrays = [shingle_array(text) for text in texts]
        self._sizes = np.fromiter(map(len, arrays), dtype=np.int64, count=len(arrays))
        self._triples = np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.uint64)
        self._bits = max(10, (8 * self._triples.size).bit_length())
        self._slots = self._slots_of(self._triples)
        self._places = np.repeat(np.arange(len(texts), dtype=np.int32), self._sizes)

    def _slots_of(self, triples: IntArray) -> IntArray:
        return (triples >> np.uint64(64 - self._bits)).astype(np.int64)

    def coverable(self, threshold: float) -> list[int]:
        """Places of which enough triples stand in earlier places for a cover to be possible."""
        first = np.empty(1 << self._bits, dtype=np.int32)
        # Of repeated indices the last assignment stays, so the earliest place is written last.
        first[self._slots[::-1]] = self._places[::-1]
        known_before = np.concatenate(([0], np.cumsum(first[self._slots] < self._places)))
        ends = np.cumsum(self._sizes)
        shared = known_before[ends] - known_before[ends - self._sizes]
        needed = np.maximum(1, np.ceil(threshold * self._sizes - 1e-6))
        return [int(place) for place in np.flatnonzero(shared >= needed)]

    def holders(self, asked: set[int]) -> dict[int, int]:
        """Triple -> the places that hold it, as a bit set, for the triples asked about."""
        wanted = np.zeros(1 << self._bits, dtype=np.bool_)
        wanted[self._slots_of(np.array(sorted(asked), dtype=np.uint64))] = True
        hits = np.flatnonzero(wanted[self._slots])
        found = dict.fromkeys(asked, 0)
        for triple, place in zip(
            self._triples[hits].tolist(), self._places[hits].tolist(), strict=True
        ):
            if triple in found:
                found[triple] |= 1 << place
        return found


def _places(bits: int) -> list[int]:
    """Places in a bit set, ascending."""
    places = []
    while bits:
        lowest = bits & -bits
        places.append(lowest.bit_length() - 1)
        bits ^= lowest
    return places
