"""One statement denies what another says, or says the opposite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.verify.consistency.align import Difference, Parallel, Stretch, difference_of
from packhorse.verify.consistency.antonyms import are_opposite

if TYPE_CHECKING:
    from packhorse.verify.consistency.statements import Token

__all__ = ["polarity_difference"]

POLARITY_WORDS = 3
"""Words in parallel that a negation or an opposite needs around it."""
POLARITY_SHARE = 0.7
"""Share of the words that must be in parallel."""


def polarity_difference(parallel: Parallel) -> Difference | None:
    """One side denies what the other says, or says the opposite, with little else to differ in."""
    if parallel.n_words < POLARITY_WORDS or parallel.different_values:
        return None
    opposites = [
        (one, other)
        for one, other in parallel.facing
        if len(one) == len(other) == 1 and are_opposite(one[0].key, other[0].key)
    ]
    denials = [token for token in parallel.loose if token.is_negation]
    if len(denials) + len(opposites) != 1:
        return None
    others = [token for token in parallel.lone if not token.is_negation]
    if any(token.is_name or token.quantity is not None for token in others):
        return None
    if (
        len(parallel.facing) > len(opposites)
        or parallel.share(1 + 2 * len(others)) < POLARITY_SHARE
    ):
        return None
    return difference_of("polarity", *opposites[0]) if opposites else _denied(parallel, denials[0])


def _denied(parallel: Parallel, denial: Token) -> Difference:
    """The negation with the word it denies, against that word alone."""
    first = denial in parallel.a.tokens
    tokens = parallel.a.tokens if first else parallel.b.tokens
    place = tokens.index(denial)
    near = tokens[place + 1] if place + 1 < len(tokens) else tokens[place - 1]
    one, other = next((pair for pair in parallel.same if near in pair), parallel.same[-1])
    if first:
        return difference_of("polarity", _between(denial, one), (other,))
    return difference_of("polarity", (one,), _between(denial, other))


def _between(one: Token, other: Token) -> Stretch:
    return (one, other) if one.start <= other.start else (other, one)
