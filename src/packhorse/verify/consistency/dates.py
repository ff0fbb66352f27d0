"""Dates and years: whether two of them are for one thing that has one date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from packhorse.verify.consistency.align import Parallel
    from packhorse.verify.consistency.statements import Statement, Token

__all__ = ["ONCE", "is_date_of_one_thing"]

MANY_WORDS = 4
"""Words in parallel, and nothing apart, from which any two days exclude each other."""


def _terms(listed: str) -> frozenset[str]:
    return frozenset(term for word in listed.split() for term in terms(word))


ONCE = _terms(
    "born die death birth found establish release publish launch air premiere form sign enact build"
    " built complete incorporate discover invent elect marry graduate debut win won join retire"
    " create introduce occur abolish date construct"
)
"""What happens once, so that two dates for it cannot both be right."""
_RECURRING = _terms(
    "deadline due expire effective open close begin begun start end hold held set take settle ship"
    " deploy"
)
"""What may happen each year, or more than once: two days for it cannot both be right."""


def is_date_of_one_thing(parallel: Parallel, one: Token, other: Token) -> bool:
    """Whether two dates are for something that has one date, and no year is just the edition."""
    words = {token.key for token, _ in parallel.same}
    if words & ONCE or _in_brackets(parallel.a, one):
        return True
    a, b = one.quantity, other.quantity
    if a is None or b is None or not a.month or not b.month:
        return False
    another_day = (a.month, a.day) != (b.month, b.day)
    if words & _RECURRING:
        return another_day
    return another_day and not parallel.apart and parallel.n_words >= MANY_WORDS


def _in_brackets(statement: Statement, token: Token) -> bool:
    """`Ritchie (June 19, 1910 - ...)`: the dates of a life."""
    before = statement.sentence.text[: token.start - statement.sentence.start].rstrip()
    return before.endswith("(")
