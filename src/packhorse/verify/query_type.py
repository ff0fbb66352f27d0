"""Which kind of question a query is, by the words that the profile lists for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.config import QueryTypeConfig
from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import CoverageConfig

__all__ = ["query_type_of"]


def query_type_of(text: str, coverage: CoverageConfig) -> QueryTypeConfig:
    """The type with the most keywords in the query, ties by name.

    Keywords are compared as search terms, so `deductions` finds `deduct`; a phrase has to stand
    in the query word after word; a part of a word never counts. A query that no keyword claims
    is of the default type, with the topics that the profile gives it, if it does.
    """
    words = terms(text)
    best = min(
        ((-_matches(each, words), each.name, each) for each in coverage.query_types),
        key=lambda scored: scored[:2],
        default=None,
    )
    if best is not None and best[0] < 0:
        return best[2]
    for each in coverage.query_types:
        if each.name == coverage.default_query_type:
            return each
    return QueryTypeConfig(name=coverage.default_query_type)


def _matches(query_type: QueryTypeConfig, words: Sequence[str]) -> int:
    phrases = {tuple(terms(keyword)) for keyword in query_type.keywords}
    return sum(1 for phrase in phrases if phrase and _holds(words, phrase))


def _holds(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(
        tuple(words[start : start + size]) == phrase for start in range(len(words) - size + 1)
    )
