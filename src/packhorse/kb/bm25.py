"""BM25 over search terms: tantivy finds the candidates, exact arithmetic scores them.

Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), in Lucene's form:

    score(q, d) = sum over t in q of  idf(t) * (k1 + 1) * tf / (tf + k1 * (1 - b + b * |d| / avg))
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)),  k1 = 1.2,  b = 0.75

tantivy adds up in single precision and in an order of its own, and breaks ties by storage order.
So it is asked for more than is wanted, until the score has clearly dropped, and what it found is
scored again in float64. Few rows in memory need no tantivy: each that holds a term is scored. A
query is a bag of terms, each counted once; there is no query language.
"""

from __future__ import annotations

import math
import operator
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from packhorse.kb.damage import damage_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.kb.forward import ForwardIndex
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = [
    "FIELD_NORMS",
    "MAX_QUERY_TERMS",
    "Bm25Index",
    "Bm25Writer",
    "EveryRow",
    "LexicalMatches",
    "RowFinder",
    "TantivyRows",
    "as_indexed",
    "idf",
]

K1 = 1.2
B = 0.75
MAX_QUERY_TERMS = 512
"""Of a longer query, the terms with the highest idf are searched."""

_FIRST_PASS_EXTRA = 32
_SINGLE_PRECISION_SLACK = 1e-5
_MIN_HEAP_BYTES = 32_000_000
_FIELD = "terms"
_ROW = "row"


@dataclass(frozen=True, slots=True, eq=False)
class LexicalMatches:
    """Every row that can be among the best, in no order, and the scale of their scores."""

    rows: IntArray
    scores: FloatArray
    """float64, not rounded."""
    ideal: float
    """What no row can exceed: the score of a row made of the query's terms alone, without end."""


class Bm25Writer:
    """Builds the inverted index, in a directory or in memory (`path` None).

    One writer thread and rows in order, so that the same rows always give the same index.
    """

    def __init__(self, path: Path | None, *, heap_bytes: int = 64_000_000) -> None:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field(_FIELD, tokenizer_name="whitespace", index_option="freq")
        schema.add_integer_field(_ROW, fast=True)
        if path is not None:
            path.mkdir(parents=True)
        self._document = tantivy.Document
        self._index = tantivy.Index(schema.build(), path=None if path is None else str(path))
        self._writer = self._index.writer(heap_size=max(heap_bytes, _MIN_HEAP_BYTES), num_threads=1)

    def add(self, row: int, terms: Sequence[str]) -> None:
        """Adds a row; rows come in ascending order."""
        self._writer.add_document(self._document(**{_FIELD: " ".join(terms), _ROW: row}))

    def finish(self) -> Any:
        """Commits, and returns the tantivy index."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        return self._index


class RowFinder(Protocol):
    """Says which rows are worth scoring, and how rare terms are."""

    def frequencies(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms),) float64: how many rows hold each term."""
        ...

    def rows(self, terms: Sequence[str], limit: int) -> IntArray:
        """Ascending: every row that may be among the best `limit`, and perhaps others."""
        ...


class Bm25Index:
    """Searches one finished index. Safe from several threads.

    Args:
        finder: finds rows.
        forward: the terms of its rows.
        where: what an error calls it.
    """

    def __init__(
        self, finder: RowFinder, forward: ForwardIndex, where: str = "The search index in memory"
    ) -> None:
        self._where = where
        self._finder = finder
        self._forward = forward
        self._n = len(forward.lengths)
        self._average = forward.total_terms / self._n if self._n else 0.0

    @classmethod
    def open(cls, path: Path, forward: ForwardIndex) -> Bm25Index:
        """Opens what a writer left in a directory, which the reader need not be able to write.

        Raises:
            StoreError: it is damaged, or a file of it cannot be read.
        """
        with damage_named(path):
            return cls._opened(path, forward)

    @classmethod
    def _opened(cls, path: Path, forward: ForwardIndex) -> Bm25Index:
        import tantivy

        try:
            return cls(_tantivy_rows(tantivy.Index.open(str(path)), forward), forward, str(path))
        except ValueError:
            # tantivy opens a lock file for writing. Where that is not allowed, it gets links to the
            # files in a directory of its own; they are mapped once it is open.
            with tempfile.TemporaryDirectory(prefix="packhorse-") as links:
                for file in path.iterdir():
                    if not file.name.startswith(".tantivy-"):
                        (Path(links) / file.name).symlink_to(file.resolve())
                return cls(_tantivy_rows(tantivy.Index.open(links), forward), forward, str(path))

    @property
    def has_terms(self) -> bool:
        """False when no row holds any term."""
        return self._forward.total_terms > 0

    def rows_with(self, term: str) -> int:
        """In how many rows a term occurs.

        Raises:
            StoreError: the index is damaged.
        """
        with damage_named(self._where):
            return int(self._finder.frequencies([term])[0])

    def search(self, terms: Sequence[str], limit: int) -> LexicalMatches:
        """Everything that may be among the best `limit` rows for these terms, scored exactly.

        Raises:
            StoreError: the index is damaged.
        """
        limit = operator.index(limit)
        with damage_named(self._where):
            return self._found(terms, limit)

    def _found(self, terms: Sequence[str], limit: int) -> LexicalMatches:
        query, idf = self._weighted(terms)
        rows = self._finder.rows(query, limit)
        return LexicalMatches(rows, self._scored(rows, query, idf), float(idf.sum()) * (K1 + 1))

    def scores(self, terms: Sequence[str], rows: IntArray) -> FloatArray:
        """float64, shape (n,), not rounded: the score of each row for these terms.

        Raises:
            StoreError: the index is damaged.
        """
        with damage_named(self._where):
            return self._scored(rows, *self._weighted(terms))

    def _scored(self, rows: IntArray, query: Sequence[str], idf: FloatArray) -> FloatArray:
        """The score of each row."""
        counts = self._forward.counts_of(rows, query)
        norm = K1 * (1 - B + B * as_indexed(self._forward.lengths[rows]) / (self._average or 1.0))
        scores: FloatArray = (idf * (K1 + 1) * counts / (counts + norm[:, None])).sum(axis=1)
        return scores

    def _weighted(self, terms: Sequence[str]) -> tuple[list[str], FloatArray]:
        """Distinct terms in alphabetic order (a fixed order of summing) and their idf."""
        query = sorted(set(terms))
        df = self._finder.frequencies(query)
        idf = np.log1p((self._n - df + 0.5) / (df + 0.5))
        if len(query) > MAX_QUERY_TERMS:
            best = sorted(range(len(query)), key=lambda at: (-idf[at], query[at]))
            kept = sorted(best[:MAX_QUERY_TERMS])
            query, idf = [query[at] for at in kept], idf[kept]
        return query, idf


class TantivyRows:
    """Asks an inverted index of `n_rows` rows."""

    def __init__(self, index: Any, n_rows: int) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._n = n_rows

    def frequencies(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms),) float64: how many rows hold each term."""
        return np.array([self._searcher.doc_freq(_FIELD, term) for term in terms], dtype=np.float64)

    def rows(self, terms: Sequence[str], limit: int) -> IntArray:
        """Ascending: asked for more and more, until the score has clearly dropped."""
        from tantivy import Occur, Query

        clauses = [
            (Occur.Should, Query.term_query(self._schema, _FIELD, term, "freq")) for term in terms
        ]
        wanted = min(limit, self._n)
        if not clauses or not wanted:
            return np.zeros(0, dtype=np.int64)
        asked = min(wanted + _FIRST_PASS_EXTRA, self._n)
        while True:
            hits = self._searcher.search(
                Query.boolean_query(clauses), limit=asked, count=False
            ).hits
            complete = len(hits) < asked or asked == self._n
            if complete or hits[-1][0] < hits[wanted - 1][0] * (1 - _SINGLE_PRECISION_SLACK):
                break
            asked = min(asked * 2, self._n)
        found = sorted(self._searcher.fast_field_values(_ROW, [address for _, address in hits]))
        if found and not 0 <= found[0] <= found[-1] < self._n:
            raise IndexError(f"rows {found[0]} to {found[-1]} of {self._n}")
        return np.array(found, dtype=np.int64)


def _tantivy_rows(index: Any, forward: ForwardIndex) -> TantivyRows:
    return TantivyRows(index, len(forward.lengths))


class EveryRow:
    """Looks at all rows: for so few that it is sooner done than an inverted index is built."""

    def __init__(self, forward: ForwardIndex) -> None:
        self._forward = forward

    def frequencies(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms),) float64: how many rows hold each term."""
        return self._forward.frequencies(terms)

    def rows(self, terms: Sequence[str], limit: int) -> IntArray:
        """Ascending: every row that holds a term, whatever the limit; none where that is 0."""
        if not limit:
            return np.zeros(0, dtype=np.int64)
        counts = self._forward.counts_of(np.arange(len(self._forward.lengths)), terms)
        return np.flatnonzero(counts.any(axis=1))


def idf(n_rows: int, n_with: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)) of a term that `n_with` of `n_rows` rows hold."""
    return math.log1p((n_rows - n_with + 0.5) / (n_with + 0.5))


def _field_norms() -> FloatArray:
    """Lengths that one byte can say: 0..40 exactly, then eight steps of 2, of 4, of 8, ..."""
    values = list(range(41))
    step = 2
    while len(values) < 256:  # noqa: PLR2004 - one byte
        values += [values[-1] + step * (i + 1) for i in range(8)]
        step *= 2
    return np.array(values[:256], dtype=np.float64)


FIELD_NORMS = _field_norms()
"""Lengths of a row that the inverted index can tell apart."""


def as_indexed(lengths: IntArray) -> FloatArray:
    """The lengths as the inverted index remembers them, so that both passes rank alike."""
    norms: FloatArray = FIELD_NORMS[np.searchsorted(FIELD_NORMS, lengths, side="right") - 1]
    return norms
