"""Whether sentences and answers stand in the packed text.

Texts are compared by their words: letter case, punctuation and white space do not count.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.text.shingles import words

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["answer_recall", "as_words", "span_recall"]


@lru_cache(maxsize=65_536)
def as_words(text: str) -> str:
    """The words of a text between single spaces, one at each end: what is searched in."""
    return f" {' '.join(words(text))} "


def span_recall(packed: Sequence[str], spans: Sequence[str]) -> float:
    """Share of the evidence sentences that stand word for word in one packed text, 0..1.

    In whichever text: the same sentence from another passage is as good. NaN without spans.
    """
    if not spans:
        return math.nan
    texts = [as_words(text) for text in packed]
    found = sum(any(as_words(span) in text for text in texts) for span in spans)
    return found / len(spans)


def answer_recall(packed: Sequence[str], answers: Sequence[str]) -> float:
    """1 where any of the answers stands in a packed text, else 0; NaN without answers.

    Says that the answer can be read there, not that the passage is about the question.
    """
    if not answers:
        return math.nan
    wanted = [as_words(answer) for answer in answers]
    return float(any(answer in as_words(text) for text in packed for answer in wanted))
