"""Duplicates: chunks whose text another, better chunk already gives.

Two chunks with the same text (letter case and white space aside) are duplicates. So are near
copies: at least `threshold` of the word triples of the one that goes must stand in the one that
stays, and it must not state a figure or a negation that the other states differently.

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

from packhorse.rerank.differing_facts import figure_places, says_otherwise
from packhorse.text.shingles import normalised_hash, shingle_array, shingles
from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["Duplicate", "duplicates", "triples_needed"]


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
    kept = _Kept(texts, threshold, _coverable(texts, threshold))
    found: dict[int, Duplicate] = {}
    for place in range(len(texts)):
        duplicate = kept.cover_of(place) if place >= n_required else None
        if duplicate is None:
            kept.add(place)
        else:
            found[place] = duplicate
    return found


def _coverable(texts: Sequence[str], threshold: float) -> list[int]:
    """Places of which enough triples stand in earlier places for a cover to be possible.

    A superset: triples are looked up in a table without collision handling, where the first
    writer stays, so a foreign triple may stand in for the right one.
    """
    arrays = [shingle_array(text) for text in texts]
    sizes = np.array([array.size for array in arrays], dtype=np.int64)
    total = int(sizes.sum())
    if total == 0:
        return []
    bits = max(10, (8 * total - 1).bit_length())
    slots = (np.concatenate(arrays) >> np.uint64(64 - bits)).astype(np.int64)
    places = np.repeat(np.arange(len(texts), dtype=np.int32), sizes)
    first = np.empty(1 << bits, dtype=np.int32)
    # Of repeated indices the last assignment stays, so the earliest place is written last.
    first[slots[::-1]] = places[::-1]
    known_before = np.concatenate(([0], np.cumsum(first[slots] < places)))
    ends = np.cumsum(sizes)
    shared = known_before[ends] - known_before[ends - sizes]
    needed = np.maximum(1, np.ceil(threshold * sizes - 1e-6))
    return np.flatnonzero((shared >= needed) & (sizes > 0)).tolist()


class _Kept:
    """What stays so far, indexed by the triples and figures that later texts will ask for.

    Sets of places are integers used as bit sets: joining two of five thousand places takes less
    than a microsecond, so a pool of form letters that differ in their figures stays cheap.
    """

    def __init__(self, texts: Sequence[str], threshold: float, coverable: list[int]) -> None:
        self._texts = texts
        self._threshold = threshold
        self._same_text: dict[bytes, int] = {}
        self._with_triple: dict[int, int] = {}
        self._with_place: dict[tuple[str, ...], int] = {}
        self._with_figure: dict[tuple[str, ...], int] = {}
        counts = Counter(triple for place in coverable for triple in shingles(texts[place]))
        self._probes = {place: self._rarest(place, counts) for place in coverable}
        self._asked = frozenset(t for probe in self._probes.values() for t in probe)

    def _rarest(self, place: int, counts: Counter[int]) -> list[int]:
        """Triples of which a cover must hold at least one (prefix filter), rare ones first."""
        triples = sorted(shingles(self._texts[place]), key=lambda t: (counts[t], t))
        return triples[: len(triples) - triples_needed(len(triples), self._threshold) + 1]

    def cover_of(self, place: int) -> Duplicate | None:
        """The earliest kept place that gives the text of `place`, if any."""
        text = self._texts[place]
        same = self._same_text.get(normalised_hash(text))
        found = None if same is None else Duplicate(of=same, overlap=1.0)
        if place not in self._probes:
            return found
        triples = shingles(text)
        needed = triples_needed(len(triples), self._threshold)
        for other in _places(self._candidates(place)):
            if found is not None and other >= found.of:
                break
            n_shared = len(triples & shingles(self._texts[other]))
            overlap = n_shared / len(triples)
            if n_shared >= needed and not says_otherwise(text, self._texts[other], overlap):
                return Duplicate(of=other, overlap=overlap)
        return found

    def _candidates(self, place: int) -> int:
        """Kept places that share a probe and contradict no figure, as a bit set."""
        candidates = 0
        for triple in self._probes[place]:
            candidates |= self._with_triple.get(triple, 0)
        if candidates:
            for around, stated in figure_places(self._texts[place]).items():
                for figure in stated:
                    contradicting = self._with_place.get(around, 0)
                    candidates &= ~contradicting | self._with_figure.get(figure, 0)
        return candidates

    def add(self, place: int) -> None:
        """Keeps `place`."""
        text = self._texts[place]
        self._same_text.setdefault(normalised_hash(text), place)
        if not self._asked:
            return
        asked = self._asked & shingles(text)
        if not asked:
            return
        bit = 1 << place
        for triple in asked:
            self._with_triple[triple] = self._with_triple.get(triple, 0) | bit
        for around, stated in figure_places(text).items():
            self._with_place[around] = self._with_place.get(around, 0) | bit
            for figure in stated:
                self._with_figure[figure] = self._with_figure.get(figure, 0) | bit


def _places(bits: int) -> list[int]:
    """Places in a bit set, ascending."""
    places = []
    while bits:
        lowest = bits & -bits
        places.append(lowest.bit_length() - 1)
        bits ^= lowest
    return places
