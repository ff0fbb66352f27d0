"""Which texts give which others, for every pair at once: duplicates for any order of the walk.

`duplicates` looks only at pairs that its own walk can meet. What is kept depends on the order of
the walk, so selecting again with another trust or date needs the relation between all texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.rerank.differing_facts import says_otherwise
from packhorse.rerank.duplicates import Duplicate, triples_needed
from packhorse.text.shingles import normalised_hash, shingle_array

if TYPE_CHECKING:
    from packhorse.types.arrays import BoolArray, IntArray

__all__ = ["Copies", "copies_among"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Row -> rows that give its text, each with the share of its word triples found there."""

    given_by: Mapping[int, Mapping[int, float]]

    def duplicates(self, walk: Sequence[int], *, n_required: int = 0) -> dict[int, Duplicate]:
        """As `rerank.duplicates.duplicates`, for the texts of `walk`, best copy first.

        Args:
            walk: rows.
            n_required: how many places at the start are never dropped.
        """
        found: dict[int, Duplicate] = {}
        place_of = {row: place for place, row in enumerate(walk)}
        for place, row in enumerate(walk[n_required:], start=n_required):
            others = self.given_by.get(row)
            if not others:
                continue
            before = [
                at
                for at in map(place_of.get, others)
                if at is not None and at < place and at not in found
            ]
            if before:
                first = min(before)
                found[place] = Duplicate(of=first, overlap=others[walk[first]])
        return found


def copies_among(texts: Sequence[str], threshold: float) -> Copies:
    """The relation between all `texts`, for one share of word triples.

    A text is given by another that is the same but for letter case and white space, or that holds
    at least `threshold` of its triples and says nothing that matters differently. Cost:
    sorting all triples, and one step for each triple that two texts share; space does not grow
    with the number of pairs.
    """
    given_by: dict[int, dict[int, float]] = {}
    sizes = [shingle_array(text).size for text in texts]
    for row, other, n_shared in _sharing(texts, threshold):
        for one, two in ((row, other), (other, row)):
            overlap = n_shared / sizes[one]
            if n_shared >= triples_needed(sizes[one], threshold) and not says_otherwise(
                texts[one], texts[two], overlap
            ):
                given_by.setdefault(one, {})[two] = overlap
    same: dict[bytes, list[int]] = {}
    for row, text in enumerate(texts):
        same.setdefault(normalised_hash(text), []).append(row)
    for rows in same.values():
        for row in rows:
            for other in rows:
                if other != row:
                    given_by.setdefault(row, {})[other] = 1.0
    return Copies(given_by=given_by)


def _sharing(texts: Sequence[str], threshold: float) -> Iterator[tuple[int, int, int]]:
    """Pairs of texts, the lower row first, of which one may give the other; and shared triples."""
    arrays = [shingle_array(text) for text in texts]
    n_texts = len(arrays)
    sizes = np.array([array.size for array in arrays], dtype=np.int64)
    needed = np.array([triples_needed(size, threshold) for size in sizes.tolist()], dtype=np.int64)
    if not sizes.sum():
        return
    triples = np.concatenate(arrays)
    rows = np.repeat(np.arange(n_texts), sizes)
    # Of a pair, one text has to share so much that it may go. Most pools hold no such text, and it
    # is soon told, as most triples stand in one text alone.
    n_shared = np.bincount(rows[_may_be_shared(triples)], minlength=n_texts)
    may_go = n_shared >= needed
    if not may_go.any():
        return
    sharing = n_shared >= needed[may_go].min()
    triples, rows = triples[sharing[rows]], rows[sharing[rows]]
    # Texts with the same triple stand side by side, rows ascending: `n_after` of them come later.
    order = np.argsort(triples, kind="stable")
    triples, rows = triples[order], rows[order]
    ends = np.searchsorted(triples, triples, side="right")
    n_after = ends - np.arange(triples.size) - 1
    of_row = np.split(np.argsort(rows, kind="stable"), np.cumsum(sizes[sharing])[:-1])
    for row, places in zip(np.flatnonzero(sharing).tolist(), of_row, strict=True):
        lengths = n_after[places]
        firsts = places + 1 - (np.cumsum(lengths) - lengths)
        later = rows[np.repeat(firsts, lengths) + np.arange(lengths.sum())]
        shared = np.bincount(later, minlength=n_texts)
        for other in np.flatnonzero(shared >= np.minimum(needed, needed[row])).tolist():
            yield row, other, int(shared[other])


def _may_be_shared(triples: IntArray) -> BoolArray:
    """Whether each triple may occur more than once: those that do, and few others.

    Told by the leading bits alone, without sorting.
    """
    bits = max(10, (8 * triples.size).bit_length())
    slots = (triples >> np.uint64(64 - bits)).astype(np.int64)
    maybe: BoolArray = np.bincount(slots)[slots] > 1
    return maybe
