"""How alike a question and examples are: by words, or by vectors where there is an embedder."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.embed.questions import embed_questions
from packhorse.text.analysis import query_terms
from packhorse.text.shingles import normalised_hash, shingles, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder

__all__ = ["Likeness", "by_vectors", "by_words", "is_twin"]

TWIN_SHARE = 0.8
"""Words that two texts share, of those of either, from which on they are twins."""
TWIN_LENGTH = 0.9
"""Words of the shorter, as a share of those of the longer, below which they are not."""


class Likeness:
    """Cosines of rows, the question last; rounded to six decimals, 0 to 1."""

    def __init__(self, rows: Sequence[dict[str, float]] | Sequence[Sequence[float]]) -> None:
        self._rows = rows
        self._known = lru_cache(maxsize=None)(self._cosine)

    def to_question(self, at: int) -> float:
        """How alike example `at` and the question are."""
        return self._known(at, len(self._rows) - 1)

    def between(self, at: int, other: int) -> float:
        """How alike two examples are."""
        return self._known(min(at, other), max(at, other))

    def _cosine(self, at: int, other: int) -> float:
        one, two = self._rows[at], self._rows[other]
        if isinstance(one, dict) and isinstance(two, dict):
            dot = math.fsum(one[term] * two[term] for term in sorted(one.keys() & two.keys()))
        else:
            dot = math.fsum(a * b for a, b in zip(one, two, strict=True))  # type: ignore[operator] # numbers
        return round(min(1.0, max(0.0, dot)), 6)


def by_words(texts: Sequence[str], question: str) -> Likeness:
    """Cosine of the words of two texts, each weighed by (1 + log count) x its rarity.

    Rarity is log(1 + (n - k + 0.5) / (k + 0.5)) for a word that k of the n examples hold. A text
    without words is like nothing.
    """
    said = [Counter(query_terms(text)) if text.strip() else Counter() for text in texts]
    held: Counter[str] = Counter()
    for each in said:
        held.update(each.keys())
    n = len(texts)
    asked = Counter(query_terms(question)) if question.strip() else Counter[str]()

    def row(counts: Counter[str]) -> dict[str, float]:
        weights = {
            term: (1 + math.log(count)) * math.log(1 + (n - held[term] + 0.5) / (held[term] + 0.5))
            for term, count in sorted(counts.items())
        }
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return {term: weight / length for term, weight in weights.items()} if length else {}

    return Likeness([row(each) for each in (*said, asked)])


def by_vectors(texts: Sequence[str], question: str, embedder: Embedder) -> Likeness:
    """Cosine of the vectors of two texts; below 0 counts as 0.

    All are embedded as questions: the inputs of examples are what was asked before.

    Raises:
        RetrievalError: the embedder gives no vectors.
    """
    return Likeness(embed_questions(embedder, [*texts, question]).tolist())


def is_twin(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words, whatever their vectors say."""
    if normalised_hash(one) == normalised_hash(other):
        return True
    sizes = sorted((len(words(one)), len(words(other))))
    if not sizes[0] or sizes[0] < TWIN_LENGTH * sizes[1]:
        return False
    first, second = shingles(one, 1), shingles(other, 1)
    return len(first & second) >= TWIN_SHARE * len(first | second)
