"""Which kind of question a query is, by the words and the examples that a profile lists for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.config import QueryTypeConfig
from packhorse.text.analysis import content_terms, terms
from packhorse.types.query import TypeReason

if TYPE_CHECKING:
    from packhorse.config import CoverageConfig

__all__ = ["Cosines", "TypeFinding", "query_type_of"]

Cosines = Callable[[Sequence[str]], Sequence[float] | None]
"""Cosine of the query with each of some texts; None where there is no embedder."""

_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFinding:
    """The kind of a question, and why it is that kind."""

    query_type: QueryTypeConfig
    reason: TypeReason


def query_type_of(
    text: str, coverage: CoverageConfig, cosines: Cosines | None = None
) -> TypeFinding:
    """The type with the most keywords in the query; without any, the one with the likest example.

    Keywords are compared as search terms, so `deductions` finds `deduct`; a phrase has to stand
    in the query word after word; a part of a word never counts. Likeness to an example is the
    share of content words in common (cosine of the two sets), and with an embedder the mean of
    that and the cosine of the two vectors; it decides from `min_example_similarity` on.

    Types that are equal by keywords are told apart by their examples, then by name. A query that
    neither claims is of the default type, with the topics that the profile gives it, if it does.

    Args:
        text: the query.
        coverage: the types.
        cosines: called at most once, and only where examples can decide.
    """
    words = terms(text)
    found = {each.name: _held(each, words) for each in coverage.query_types}
    most = max(map(len, found.values()), default=0)
    leading = [each for each in coverage.query_types if len(found[each.name]) == most]
    leading.sort(key=lambda each: each.name)
    by_keywords = most > 0
    if by_keywords and len(leading) == 1:
        reason = TypeReason(by="keywords", keywords=found[leading[0].name])
        return TypeFinding(query_type=leading[0], reason=reason)
    alike = _alike(text, leading, cosines)
    best = min(leading, key=lambda each: (-alike[each.name][0], each.name), default=None)
    decides = best is not None and alike[best.name][0] >= max(
        coverage.min_example_similarity, 10**-_DECIMALS
    )
    if best is None or not (by_keywords or decides):
        return TypeFinding(query_type=_default(coverage), reason=TypeReason(by="default"))
    chosen = best if decides else leading[0]
    similarity, example = alike[chosen.name] if decides else (0.0, "")
    equal = leading if not decides else [e for e in leading if alike[e.name][0] == similarity]
    return TypeFinding(
        query_type=chosen,
        reason=TypeReason(
            by="keywords" if by_keywords else "example",
            keywords=found[chosen.name],
            example=example,
            similarity=similarity,
            tied_with=tuple(each.name for each in equal if each is not chosen),
        ),
    )


def _default(coverage: CoverageConfig) -> QueryTypeConfig:
    for each in coverage.query_types:
        if each.name == coverage.default_query_type:
            return each
    return QueryTypeConfig(name=coverage.default_query_type)


def _held(query_type: QueryTypeConfig, words: Sequence[str]) -> tuple[str, ...]:
    """Keywords in the query, in their order; those of one stem are one."""
    phrases: dict[tuple[str, ...], str] = {}
    for keyword in query_type.keywords:
        phrases.setdefault(tuple(terms(keyword)), keyword)
    return tuple(keyword for phrase, keyword in phrases.items() if phrase and _holds(words, phrase))


def _holds(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(
        tuple(words[start : start + size]) == phrase for start in range(len(words) - size + 1)
    )


def _alike(
    text: str, types: Sequence[QueryTypeConfig], cosines: Cosines | None
) -> Mapping[str, tuple[float, str]]:
    """Type -> likeness of its likest example and the example, ties by text; (0, "") for none."""
    examples = sorted({example for each in types for example in each.examples})
    directions = cosines(examples) if examples and cosines is not None else None
    asked = frozenset(content_terms(text))
    likeness: dict[str, float] = {}
    for place, example in enumerate(examples):
        alike = _in_common(asked, frozenset(content_terms(example)))
        if directions is not None:
            alike = (alike + min(1.0, max(0.0, float(directions[place])))) / 2
        likeness[example] = round(alike, _DECIMALS)
    return {
        each.name: max(
            ((likeness[example], example) for example in sorted(each.examples, reverse=True)),
            key=lambda pair: pair[0],
            default=(0.0, ""),
        )
        for each in types
    }


def _in_common(one: frozenset[str], other: frozenset[str]) -> float:
    """Cosine of two sets of words, 0..1; 0 where either is empty."""
    if not one or not other:
        return 0.0
    return len(one & other) / math.sqrt(len(one) * len(other))
