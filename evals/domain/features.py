"""What a search says about a question that may or may not be about the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.config import RetrievalConfig
from packhorse.kb.searchable import searchable_text
from packhorse.retrieve.fusion import fused, lexical_share
from packhorse.text.analysis import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from packhorse.protocols import KnowledgeBase, SearchResult
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["FEATURES", "CorpusWords", "features_of"]

FEATURES = ("nearest", "gap", "overlap", "known", "share", "relevance")
"""Columns of `features_of`; all but `gap` are what the product knows of every search.

nearest    highest cosine of any chunk
gap        `nearest` less the mean cosine of the best 50 (of all, in a smaller corpus)
overlap    largest share of the question's idf mass that one chunk holds
known      share of the question's idf mass that the corpus knows at all
share      best BM25 score over the question's upper bound
relevance  best fused relevance: half share, half cosine
"""

_NEIGHBOURS = 50


@dataclass(frozen=True, slots=True, eq=False)
class CorpusWords:
    """Document frequencies of a corpus."""

    n: int
    df: dict[str, int]

    @classmethod
    def of(cls, passages: Sequence[Chunk]) -> CorpusWords:
        """Counts the search terms of every passage."""
        df: dict[str, int] = {}
        for passage in passages:
            for term in set(terms(searchable_text(passage))):
                df[term] = df.get(term, 0) + 1
        return cls(len(passages), df)

    def known(self, question: str) -> float:
        """Share of the question's idf mass that stands in any passage, 0..1; 0 without terms."""
        return self._share(question, self.df.keys())

    def overlap(self, question: str, passages: Iterable[Chunk]) -> float:
        """Largest share of the question's idf mass that one of some passages holds, 0..1."""
        held = (set(terms(searchable_text(passage))) for passage in passages)
        return max((self._share(question, each) for each in held), default=0.0)

    def _share(self, question: str, held: Collection[str]) -> float:
        asked = sorted(set(query_terms(question)))
        df = np.array([self.df.get(term, 0) for term in asked], dtype=np.float64)
        idf = np.log1p((self.n - df + 0.5) / (df + 0.5))
        is_held = np.array([term in held for term in asked], dtype=np.bool_)
        return float(idf[is_held].sum() / idf.sum()) if asked else 0.0


def features_of(
    kb: KnowledgeBase, words: CorpusWords, question: str, vector: FloatArray
) -> tuple[float, ...]:
    """The figures of one question, in the order of `FEATURES`."""
    result = kb.search(question, vector, RetrievalConfig().candidates)
    cosines = np.array([hit.score for hit in result.dense[:_NEIGHBOURS]])
    nearest = float(cosines.max(initial=0.0))
    best_share = result.lexical[0].score / result.lexical_ideal if result.lexical else 0.0
    return (
        nearest,
        nearest - float(cosines.mean()) if cosines.size else 0.0,
        words.overlap(question, kb.get([hit.chunk_id for hit in result.lexical]).values()),
        words.known(question),
        best_share,
        _best_relevance(kb, result, vector),
    )


def _best_relevance(kb: KnowledgeBase, result: SearchResult, vector: FloatArray) -> float:
    """Of everything that either channel found, as retrieval mixes them."""
    scores = {hit.chunk_id: hit.score for hit in result.lexical}
    ids = sorted(scores.keys() | {hit.chunk_id for hit in result.dense})
    vectors = kb.vectors(ids)
    if not ids or vectors is None:
        return 0.0
    lexical = lexical_share(np.array([scores.get(name, 0.0) for name in ids]), result.lexical_ideal)
    config = RetrievalConfig()
    cosines = vectors.astype(np.float64) @ vector.astype(np.float64)
    return float(fused(lexical, cosines, config.lexical_weight, config.dense_weight).max())
