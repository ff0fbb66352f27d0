"""Which texts give which others, for every pair at once: duplicates for any order of the walk.

`duplicates` looks only at pairs that its own walk can meet. What is kept depends on the order of
the walk, so selecting again with another trust or date needs the relation between all texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from packhorse.rerank.differing_facts import says_otherwise
from packhorse.rerank.duplicates import Duplicate, triples_needed
from packhorse.text.shingles import normalised_hash, shingle_array

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
    at least `threshold` of its triples and states no figure and no negation differently. Cost:
    sorting all triples, and one step for each triple that two texts share.
    """
    given_by: dict[int, dict[int, float]] = {}
    sizes = [shingle_array(text).size for text in texts]
    for row, other, n_shared in _sharing(texts):
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


def _sharing(texts: Sequence[str]) -> list[tuple[int, int, int]]:
    """Pairs of texts with a triple in common, the lower row first, and how many they share."""
    arrays = [shingle_array(text) for text in texts]
    n_texts = len(arrays)
    if not n_texts:
        return []
    triples = np.concatenate(arrays)
    rows = np.repeat(np.arange(n_texts), [array.size for array in arrays])
    order = np.argsort(triples, kind="stable")
    triples, rows = triples[order], rows[order]
    pairs = []
    # Texts with the same triple stand side by side, rows ascending: first neighbours, then those
    # two apart, and so on for as long as any are left.
    at = np.arange(triples.size)
    for step in range(1, n_texts):
        at = at[: np.searchsorted(at, triples.size - step)]
        at = at[triples[at] == triples[at + step]]
        if not at.size:
            break
        pairs.append(rows[at] * n_texts + rows[at + step])
    if not pairs:
        return []
    codes, counts = np.unique(np.concatenate(pairs), return_counts=True)
    return [
        (code // n_texts, code % n_texts, count)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
    ]
