"""What a passage's neighbours and the first passages found say of it, by direction and by words.

Three old ways to let the candidates vote on each other, each on the channel that it changes:

rocchio  the question's vector moves towards the mean of the best passages (Rocchio 1971)
smooth   relevance is mixed with that of the nearest candidates (Diaz, "Regularizing Ad Hoc
         Retrieval Scores", 2005; one step)
expand   the question's words with words that the best passages share (RM3: Abdul-Jaleel and
         others, 2004). A word must stand in half of them, so that one passage alone adds nothing
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evals.ranking.lexical import Lexicon
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["best_of", "expansion", "rocchio", "smoothed"]

_LEAST = 1e-9


def best_of(first: FloatArray, n: int) -> IntArray:
    """The best rows, ties by row."""
    found: IntArray = np.argsort(-np.round(first, 6), kind="stable")[:n]
    return found


def rocchio(
    question: FloatArray, vectors: FloatArray, first: FloatArray, *, n: int, share: float
) -> FloatArray:
    """Cosines with the moved question, at least 0, shape (n,).

    Args:
        question: of length 1.
        vectors: of the candidates, rows of length 1.
        first: their relevance so far, which weighs the best `n`.
        n: passages that move the question.
        share: 0..1, of their mean in the moved question.
    """
    best = best_of(first, n)
    weights = np.maximum(first[best], _LEAST)
    mean = (weights[:, None] * vectors[best]).sum(axis=0) / weights.sum()
    moved = (1 - share) * question + share * mean / (np.linalg.norm(mean) or 1.0)
    cosines: FloatArray = np.clip(vectors @ (moved / (np.linalg.norm(moved) or 1.0)), 0.0, 1.0)
    return cosines


def smoothed(first: FloatArray, alike: FloatArray, *, n: int, share: float) -> FloatArray:
    """Relevance mixed with the mean of each row's `n` nearest others, weighed by alikeness.

    Args:
        first: (k,) relevance so far.
        alike: (k, k) 0..1.
        n: neighbours.
        share: 0..1, of theirs.
    """
    others = alike.copy()
    np.fill_diagonal(others, -1.0)
    nearest = np.argsort(-np.round(others, 6), axis=1, kind="stable")[:, :n]
    weights = np.maximum(np.take_along_axis(others, nearest, axis=1), _LEAST)
    theirs = (weights * first[nearest]).sum(axis=1) / weights.sum(axis=1)
    mixed: FloatArray = (1 - share) * first + share * theirs
    return mixed


def expansion(
    asked: Sequence[str],
    passages: Sequence[Mapping[str, int]],
    relevance: Sequence[float],
    lexicon: Lexicon,
    *,
    n_terms: int,
) -> dict[str, float]:
    """Term -> weight, adding up to 1: what the best passages share and the question does not say.

    Args:
        asked: terms of the question.
        passages: the counts of terms of the best ones.
        relevance: of each.
        lexicon: says how rare a term is.
        n_terms: terms added.
    """
    held: Counter[str] = Counter()
    weights: defaultdict[str, float] = defaultdict(float)
    for counts, worth in zip(passages, relevance, strict=True):
        n = sum(counts.values()) or 1
        for term, count in counts.items():
            held[term] += 1
            weights[term] += worth * count / n
    known = set(asked)
    worth_adding = {
        term: weight * lexicon.idf(term)
        for term, weight in weights.items()
        if term not in known and held[term] * 2 >= len(passages)
    }
    best = sorted(worth_adding, key=lambda term: (-round(worth_adding[term], 9), term))[:n_terms]
    total = sum(worth_adding[term] for term in best) or 1.0
    return {term: worth_adding[term] / total for term in best}
