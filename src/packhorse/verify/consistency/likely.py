"""Differences that no rule settles: a candidate for the classifier, and what it would be called.

A candidate differs in a value, a name, what the subject is said to be (`is a lighthouse`), or
in a negation or opposite. What one statement only adds, and another choice of words, are none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.verify.consistency.align import Difference, Parallel, Stretch, difference_of
from packhorse.verify.consistency.antonyms import are_opposite
from packhorse.verify.consistency.entities import POINTERS, is_one_substitution

if TYPE_CHECKING:
    from packhorse.verify.consistency.statements import Statement, Token

__all__ = ["candidate_difference"]

MIN_TOKENS = 3
"""Words and values in parallel that a candidate needs."""
DATED_TOKENS = 5
"""As `MIN_TOKENS`, for two dates of a thing of which it is not known that it happens once."""
LONG_TOKENS = 8
"""Tokens in parallel from which more than one name may differ."""
MIN_WORDS = 1
"""As `MIN_TOKENS`, for words that are no names: names alone state nothing."""

_COPULA = re.compile(
    r"\b(?:is|was|are|were|as|be|been|became|becoming)\s+(?:an?|the|one of the|his|her|its|their)?"
    r"\s*(?:[\w'-]+\s+){0,6}$"
)
_ENGLISH = re.compile(
    r"\b(?:the|and|by|an|from|with|were|has|had|its|his|her|their|that|for|is a)\b", re.IGNORECASE
)
"""One of these is in nearly every English sentence that says something."""


def candidate_difference(parallel: Parallel) -> Difference | None:
    """What two statements would conflict in, or None when they cannot."""
    if len(parallel.same) < MIN_TOKENS or not (parallel.a.is_prose and parallel.b.is_prose):
        return None
    if not all(_ENGLISH.search(side.sentence.text) for side in (parallel.a, parallel.b)):
        return None
    if sum(not one.is_name and one.quantity is None for one, _ in parallel.same) < MIN_WORDS:
        return None
    if _opens_otherwise(parallel) or POINTERS & {token.key for token, _ in parallel.same}:
        return None
    return _opposed(parallel) or _valued(parallel) or _named(parallel) or _described(parallel)


def _opens_otherwise(parallel: Parallel) -> bool:
    """Whether each statement opens with a word that the other does not hold: another subject."""
    keys_a, keys_b = ({token.key for token in side.tokens} for side in (parallel.a, parallel.b))
    return parallel.a.tokens[0].key not in keys_b and parallel.b.tokens[0].key not in keys_a


def _inner(parallel: Parallel) -> list[tuple[Stretch, Stretch]]:
    """Facing stretches but for those that both statements open with: their subjects."""
    first_a, first_b = parallel.a.tokens[0], parallel.b.tokens[0]
    return [
        (one, other)
        for one, other in parallel.facing
        if not (one[0] is first_a or other[0] is first_b)
    ]


def _opposed(parallel: Parallel) -> Difference | None:
    for one, other in parallel.facing:
        if len(one) == len(other) == 1 and are_opposite(one[0].key, other[0].key):
            return difference_of("polarity", one, other)
    return None


def _valued(parallel: Parallel) -> Difference | None:
    """Different values where no other word, name or value could be the reason."""
    pairs = parallel.different_values
    if not pairs or (parallel.facing and not _follow_a_date(parallel)):
        return None
    if any(token.is_name or token.quantity or token.is_negation for token in parallel.lone):
        return None
    kinds = {one.key for one, _ in pairs}
    if "#date" in kinds and (len(kinds) > 1 or not _is_dated_once(parallel)):
        return None
    one, other = pairs[0]
    return difference_of(one.key[1:], (one,), (other,))


def _is_dated_once(parallel: Parallel) -> bool:
    """Whether much is the same around two dates, and neither statement opens with its date."""
    opening = (parallel.a.tokens[0], parallel.b.tokens[0])
    return len(parallel.same) >= DATED_TOKENS and not any(token.quantity for token in opening)


def _follow_a_date(parallel: Parallel) -> bool:
    """Whether other words stand only behind the date, in a long parallel: `built in 1866, when`.

    What comes before a value, or behind an amount (`$5 for adults`), may be its condition.
    """
    one, other = parallel.different_values[0]
    return (
        one.key == "#date"
        and len(parallel.same) >= LONG_TOKENS
        and all(
            left[0].start > one.start and right[0].start > other.start
            for left, right in parallel.facing
        )
    )


def _named(parallel: Parallel) -> Difference | None:
    """The longest stretches with a name on both sides; of two names, one explains the other.

    So do units: versions of one thing are no versions of another.
    """
    if any(
        one.quantity and other.quantity and one.quantity.unit != other.quantity.unit
        for one, other in parallel.same
    ):
        return None
    faced = [
        (one, other)
        for one, other in _inner(parallel)
        if any(token.is_name for token in one) and any(token.is_name for token in other)
    ]
    if len(faced) > 1 and len(parallel.same) < LONG_TOKENS and not is_one_substitution(faced):
        return None
    names = [token for pair in faced for side in pair for token in side if token.is_name]
    if any(_is_identifier(token) for token in names):
        return None
    return _longest("name", faced)


def _is_identifier(token: Token) -> bool:
    """Letters and digits in one word: `ABC123` says nothing that could be wrong."""
    return any(letter.isdigit() for letter in token.key)


def _described(parallel: Parallel) -> Difference | None:
    """The longest stretches that say what the subject is."""
    faced = [
        (one, other)
        for one, other in _inner(parallel)
        if _is_said(parallel.a, one)
        and _is_said(parallel.b, other)
        and not any(_is_identifier(token) for token in (*one, *other))
    ]
    return _longest("description", faced)


def _is_said(statement: Statement, stretch: Stretch) -> bool:
    before = statement.sentence.text[: stretch[0].start - statement.sentence.start]
    return _COPULA.search(before) is not None


def _longest(kind: str, faced: list[tuple[Stretch, Stretch]]) -> Difference | None:
    if not faced:
        return None
    one, other = max(faced, key=lambda pair: len(pair[0]) + len(pair[1]))
    return difference_of(kind, one, other)
