"""Exact BM25 over a whole set in memory, and passages as weighted term vectors.

The formula, its constants and the analysis are those of the product's index; only the search is
left out: every passage is scored.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from packhorse.kb.bm25 import K1, B

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["Lexicon"]


class Lexicon:
    """The terms of a set's passages, indexed both ways.

    Args:
        passages: the search terms of each passage, title included, repeats included.
    """

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        self.n = len(passages)
        self.lengths = np.array([len(terms) for terms in passages], dtype=np.float64)
        self._ids: dict[str, int] = {}
        rows, columns, counts = [], [], []
        for row, terms in enumerate(passages):
            for term, count in Counter(terms).items():
                rows.append(row)
                columns.append(self._ids.setdefault(term, len(self._ids)))
                counts.append(count)
        self._rows = np.array(rows, dtype=np.int64)
        self._columns = np.array(columns, dtype=np.int64)
        frequency = np.array(counts, dtype=np.float64)
        df = np.bincount(self._columns, minlength=len(self._ids))
        self._idf: FloatArray = np.log1p((self.n - df + 0.5) / (df + 0.5))
        average = self.lengths.mean() or 1.0
        norm = K1 * (1 - B + B * self.lengths[self._rows] / average)
        gain = frequency * (K1 + 1) / (frequency + norm)
        self._weights = self._idf[self._columns] * gain
        by_term = np.argsort(self._columns, kind="stable")
        self._ends = np.concatenate([[0], np.cumsum(df)])
        self._by_term = by_term
        squares = np.bincount(self._rows, self._weights**2, minlength=self.n)
        self._unit = self._weights / np.maximum(np.sqrt(squares), 1e-9)[self._rows]

    def idf(self, term: str) -> float:
        """ln(1 + (N - df + 0.5) / (df + 0.5)); the highest there is for an unknown term."""
        column = self._ids.get(term)
        if column is None:
            return float(np.log1p((self.n + 0.5) / 0.5))
        return float(self._idf[column])

    def knows(self, term: str) -> bool:
        """True where any passage holds the term."""
        return term in self._ids

    def shares(self, question: Sequence[str]) -> FloatArray:
        """BM25 of every passage over the question's own upper bound, shape (n,), 0..1."""
        scores = np.zeros(self.n)
        distinct = sorted(set(question))
        for term in distinct:
            column = self._ids.get(term)
            if column is not None:
                held = self._by_term[self._ends[column] : self._ends[column + 1]]
                scores[self._rows[held]] += self._weights[held]
        ideal = (K1 + 1) * sum(self.idf(term) for term in distinct)
        return scores / ideal if ideal else scores

    def alikeness(self, rows: Sequence[int], weights: FloatArray) -> FloatArray:
        """Weighted sum of the cosines to some passages, for every passage, shape (n,).

        A passage is the vector of its BM25 term weights, scaled to length 1.
        """
        of_row = np.zeros(self.n)
        of_row[list(rows)] = weights
        chosen = np.flatnonzero(of_row[self._rows])
        direction = np.bincount(
            self._columns[chosen],
            self._unit[chosen] * of_row[self._rows[chosen]],
            minlength=len(self._ids),
        )
        parts = self._unit * direction[self._columns]
        return np.bincount(self._rows, parts, minlength=self.n).astype(np.float64)

    def length_beside_average(self) -> FloatArray:
        """ln(terms / average terms) of every passage; a passage without terms counts as one."""
        ratio: FloatArray = np.log(np.maximum(self.lengths, 1.0) / (self.lengths.mean() or 1.0))
        return ratio
