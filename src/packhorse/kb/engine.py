"""Both channels over one list of rows: the search that memory and disk share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from packhorse.protocols import SearchHit, SearchResult
from packhorse.text.analysis import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.kb.bm25 import Bm25Index
    from packhorse.kb.dense import DenseIndex
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["SCORE_DECIMALS", "RowIds", "SearchEngine"]

SCORE_DECIMALS = 6


class RowIds(Protocol):
    """Chunk ids by row: a list, or a table on disk."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> str: ...


class SearchEngine:
    """Rows in ascending order of chunk id, an inverted index and (or not) their vectors."""

    def __init__(self, ids: RowIds, lexical: Bm25Index, dense: DenseIndex | None) -> None:
        self._ids = ids
        self.lexical = lexical
        self._dense = dense

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        """The best `limit` of each channel, by (score to six decimals, chunk id).

        A query without any term finds nothing in either channel: marks and white space are no
        question, and a vector for them would point somewhere by accident.
        """
        if not len(self._ids):
            return SearchResult(note="empty_knowledge_base")
        if not self.lexical.has_terms:
            return SearchResult(note="no_searchable_text")
        query = query_terms(text)
        if not query:
            return SearchResult(note="no_searchable_terms")
        found = self.lexical.search(query, limit)
        scores, best = _best(found.rows, found.scores, limit)
        dense: tuple[SearchHit, ...] = ()
        if self._dense is not None and vector is not None:
            rows, exact = self._dense.search(vector, limit)
            cosines, nearest = _best(rows, exact, limit)
            dense = self._hits(rows[nearest], cosines)
        return SearchResult(
            lexical=self._hits(found.rows[best], scores),
            dense=dense,
            lexical_ideal=round(found.ideal, SCORE_DECIMALS),
        )

    def lexical_scores(self, text: str, rows: Sequence[int | None]) -> FloatArray:
        """float64, shape (n,), six decimals: the lexical score of each row, found or not.

        0 for no row, and for all where there are no terms to search for.
        """
        import numpy as np

        scores = np.zeros(len(rows))
        query = query_terms(text)
        there = [at for at, row in enumerate(rows) if row is not None]
        if query and there and self.lexical.has_terms:
            known = np.array([rows[at] for at in there], dtype=np.int64)
            scores[there] = np.round(self.lexical.scores(query, known), SCORE_DECIMALS)
        return scores

    def _hits(self, rows: IntArray, scores: FloatArray) -> tuple[SearchHit, ...]:
        ids = self._ids
        return tuple(
            SearchHit(chunk_id=ids[row], score=score)
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        )


def _best(rows: IntArray, scores: FloatArray, limit: int) -> tuple[FloatArray, IntArray]:
    """Rounded scores of the best `limit` and their places; ties by row, which is id order."""
    import numpy as np

    rounded = np.round(scores, SCORE_DECIMALS)
    places = np.lexsort((rows, -rounded))[: max(0, limit)]
    return rounded[places], places
