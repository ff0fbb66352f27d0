"""One name in the place of another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.verify.consistency.align import Difference, Parallel, Stretch, difference_of
from packhorse.verify.consistency.subject import leans_on_its_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.verify.consistency.statements import Token

__all__ = ["POINTERS", "is_one_substitution", "name_difference"]

NAME_WORDS = 4
"""Words in parallel that a name in the place of another needs around it."""
PLACED_WORDS = 2
"""As `NAME_WORDS`, where the name is the one place that a thing is in."""
NAME_SHARE = 0.75
"""Share of the words that must be in parallel."""


_PLACED = re.compile(
    r"\b(?:is|are|was|were) (?:only |always )?(?:stored|hosted|kept|held|based|located|situated"
    r"|headquartered|processed|archived|registered) (?:only )?(?:in|at) (?:the )?$",
    re.IGNORECASE,
)


def _terms(listed: str) -> frozenset[str]:
    return frozenset(term for word in listed.split() for term in terms(word))


POINTERS = _terms("see visit view refer contact call click read check go please")
"""What a reader is told to do: two pointers to two places do not contradict each other."""


def name_difference(parallel: Parallel) -> Difference | None:
    """One name in the place of another, and not as its subject.

    In a long parallel, or as the one place where a thing is.
    """
    if _is_placed_once(parallel):
        return difference_of("name", *parallel.facing[0])
    return _in_long_parallel(parallel)


def _in_long_parallel(parallel: Parallel) -> Difference | None:
    if parallel.n_words < NAME_WORDS or not _is_prose_without_other_values(parallel):
        return None
    faced = sorted(parallel.facing, key=lambda pair: -len(pair[0]) - len(pair[1]))
    if not faced or not is_one_substitution(faced) or not _are_names(faced[0]):
        return None
    if any(t.is_name or t.is_negation or t.quantity for t in parallel.lone):
        return None
    if POINTERS & {token.key for token, _ in parallel.same} or any(
        _is_subject(parallel, pair) for pair in faced
    ):
        return None
    if parallel.share(len(faced) + len(parallel.lone)) < NAME_SHARE:
        return None
    return difference_of("name", *faced[0])


def _is_placed_once(parallel: Parallel) -> bool:
    """`Customer data is stored in Frankfurt`: both end with where a thing is kept or based."""
    if len(parallel.apart) != 1 or len(parallel.facing) != 1 or parallel.n_words < PLACED_WORDS:
        return False
    if not _is_prose_without_other_values(parallel) or not _are_names(parallel.facing[0]):
        return False
    return all(
        side.tokens[-1] is stretch[-1]
        and not leans_on_its_text(side)
        and _PLACED.search(side.sentence.text[: stretch[0].start - side.sentence.start])
        for side, stretch in zip((parallel.a, parallel.b), parallel.facing[0], strict=True)
    )


def _is_prose_without_other_values(parallel: Parallel) -> bool:
    return parallel.a.is_prose and parallel.b.is_prose and not parallel.different_values


def _are_names(pair: tuple[Stretch, Stretch]) -> bool:
    """Names of letters: an identifier says nothing that could be wrong."""
    return all(token.is_name and token.key.isalpha() for side in pair for token in side)


def is_one_substitution(faced: Sequence[tuple[Stretch, Stretch]]) -> bool:
    """Whether all stretches repeat the longest one, or a part of it."""
    longest = max(faced, key=lambda pair: len(pair[0]) + len(pair[1]))
    left, right = ({token.key for token in side} for side in longest)
    return all(
        left.issuperset(token.key for token in one)
        and right.issuperset(token.key for token in other)
        for one, other in faced
    )


def _is_subject(parallel: Parallel, pair: tuple[Stretch, Stretch]) -> bool:
    """Whether nothing but names stands before the pair: another subject is no conflict."""
    one, other = pair
    return _opens(parallel.a.tokens, one[0]) or _opens(parallel.b.tokens, other[0])


def _opens(tokens: Sequence[Token], token: Token) -> bool:
    return all(before.is_name for before in tokens[1 : tokens.index(token)])
