"""Two values in the same place: amounts, shares, durations, dates and plain numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.verify.consistency.align import Difference, Parallel, difference_of
from packhorse.verify.consistency.dates import is_date_of_one_thing
from packhorse.verify.consistency.statements import LIMIT_NOUNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.verify.consistency.statements import Statement, Token

__all__ = ["value_difference"]

VALUE_WORDS = 2
"""Words in parallel that two different values need around them."""
VALUE_SHARE = 0.6
"""Share of the words that must be in parallel for two values to be about one thing."""
MANY_WORDS = 4
"""Words in parallel from which values may differ in more than one way."""


def _terms(listed: str) -> frozenset[str]:
    return frozenset(term for word in listed.split() for term in terms(word))


_SAID_OF_ONE = re.compile(r"(?:the|our) [\w-]+ (?:is|are|was|were|will be) ", re.IGNORECASE)
_HANDLING = _terms(
    "issue process pay credit take arrive ship deliver receive send complete handle review respond"
    " notify cancel request expire start begin"
)
"""What is done about a thing: its time is another than the time in which the thing is allowed."""


def value_difference(parallel: Parallel) -> Difference | None:
    """Different values in the same place, and nothing else that could explain them."""
    pairs = parallel.different_values
    loose = parallel.loose
    if not pairs or not _is_one_change(parallel, pairs):
        return None
    if any(token.quantity is not None or token.is_negation for token in loose):
        return None
    one, other = pairs[0]
    if one.key == "#duration" and any(token.key in LIMIT_NOUNS for token in loose):
        agrees = _is_limit_of_one_thing(parallel)
    else:
        agrees = _is_one_thing(parallel) and (
            one.key != "#date" or is_date_of_one_thing(parallel, one, other)
        )
    return difference_of(one.key[1:], (one,), (other,)) if agrees else None


def _is_one_change(parallel: Parallel, pairs: Sequence[tuple[Token, Token]]) -> bool:
    """Whether the values differ in one way; a date that differs too explains the others."""
    kinds = {one.key for one, _ in pairs}
    if "#date" in kinds and len(kinds) > 1:
        return False
    changes = {
        (one.quantity.amount, other.quantity.amount)
        for one, other in pairs
        if one.quantity is not None and other.quantity is not None
    }
    return len(changes) == 1 or (not parallel.apart and parallel.n_words >= MANY_WORDS)


def _is_one_thing(parallel: Parallel) -> bool:
    """Whether enough words are in parallel, and none that differs could be the reason."""
    if not parallel.apart and all(_is_said_of_one(side) for side in (parallel.a, parallel.b)):
        return True
    if parallel.n_words < VALUE_WORDS or parallel.share(parallel.n_apart) < VALUE_SHARE:
        return False
    return not parallel.facing and not any(token.is_name for token in parallel.lone)


def _is_said_of_one(statement: Statement) -> bool:
    """`The discount is 15%.`: one word, and what it amounts to."""
    return (
        len(statement.tokens) == 2  # noqa: PLR2004 - the word and the value
        and statement.tokens[1].key in {"#percentage", "#money", "#duration"}
        and _SAID_OF_ONE.match(statement.sentence.text) is not None
    )


def _is_limit_of_one_thing(parallel: Parallel) -> bool:
    """`The refund window is 30 days` against `Refunds are accepted within 14 days`."""
    rest = [token for token in parallel.loose if token.key not in LIMIT_NOUNS]
    if not parallel.n_words or len(rest) > 1:
        return False
    return not any(token.key in _HANDLING or token.is_name for token in rest)
