"""What a pair of statements looks like: the numbers that the classifier weighs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from packhorse.verify.consistency.antonyms import are_opposite
from packhorse.verify.consistency.dates import ONCE

if TYPE_CHECKING:
    from packhorse.verify.consistency.align import Parallel, Stretch

__all__ = ["FEATURES", "features_of"]


def features_of(parallel: Parallel, twins: int, *, leads: bool, named: bool) -> tuple[float, ...]:
    """The features in the order of `FEATURES`, each from 0 to about 1 (words: their logarithm).

    Args:
        parallel: the two statements side by side.
        twins: sentences that stand word for word in both texts.
        leads: whether both statements open their texts.
        named: whether both texts are known to have one subject.
    """
    described = {name: float(measure(parallel)) for name, measure in _MEASURES.items()}
    described |= {"twins": min(twins, 3) / 3, "leads": float(leads), "named": float(named)}
    return tuple(described[name] for name in FEATURES)


def _is_name(stretch: Stretch) -> bool:
    return all(token.is_name for token in stretch)


def _holds_value(stretch: Stretch) -> bool:
    return any(token.quantity is not None for token in stretch)


def _is_plain(stretch: Stretch) -> bool:
    return not any(token.is_name or token.quantity is not None for token in stretch)


def _head(parallel: Parallel) -> int:
    """Tokens that both begin with."""
    apart = {token for pair in parallel.different_values for token in pair}
    pairs = zip(parallel.a.tokens, parallel.b.tokens, strict=False)
    n = 0
    for one, other in pairs:
        if one.key != other.key or one in apart:
            break
        n += 1
    return n


def _tail(parallel: Parallel) -> int:
    """Tokens that both end with."""
    n = 0
    for one, other in zip(reversed(parallel.a.tokens), reversed(parallel.b.tokens), strict=False):
        if one.key != other.key:
            break
        n += 1
    return n


def _longest(parallel: Parallel) -> int:
    return max((max(len(one), len(other)) for one, other in parallel.facing), default=0)


def _likeness(parallel: Parallel) -> float:
    """How alike in letters the most alike stretches are that face each other."""
    return max(
        (
            SequenceMatcher(
                None, " ".join(t.key for t in one), " ".join(t.key for t in other), autojunk=False
            ).ratio()
            for one, other in parallel.facing
        ),
        default=0.0,
    )


def _same_values(parallel: Parallel) -> int:
    n_values = sum(1 for one, _ in parallel.same if one.quantity is not None)
    return n_values - len(parallel.different_values)


def _of_kind(kind: str) -> Callable[[Parallel], bool]:
    return lambda parallel: any(one.key == kind for one, _ in parallel.different_values)


_MEASURES: Mapping[str, Callable[[Parallel], float]] = {
    "share_in_parallel": lambda p: p.share(p.n_apart),
    "log_words_in_parallel": lambda p: math.log1p(p.n_words),
    "names_in_parallel": lambda p: min(sum(a.is_name and b.is_name for a, b in p.same), 5) / 5,
    "same_values": lambda p: min(_same_values(p), 3) / 3,
    "head": lambda p: min(_head(p), 6) / 6,
    "no_head": lambda p: _head(p) == 0,
    "no_tail": lambda p: _tail(p) == 0,
    "name_in_head": lambda p: any(token.is_name for token in p.a.tokens[: _head(p)]),
    "nothing_facing": lambda p: not p.facing,
    "one_facing": lambda p: len(p.facing) == 1,
    "many_facing": lambda p: len(p.facing) > 2,  # noqa: PLR2004 - the case beyond one and two
    "longest_facing": lambda p: min(_longest(p), 10) / 10,
    "short_facing": lambda p: _longest(p) <= 2,  # noqa: PLR2004 - a word and its adjective
    "likeness_of_facing": _likeness,
    "lone": lambda p: min(len(p.lone), 6) / 6,
    "lone_name": lambda p: any(token.is_name for token in p.lone),
    "lone_value": lambda p: any(token.quantity is not None for token in p.lone),
    "facing_names": lambda p: any(_is_name(a) and _is_name(b) for a, b in p.facing),
    "facing_words": lambda p: any(_is_plain(a) and _is_plain(b) for a, b in p.facing),
    "facing_values": lambda p: any(_holds_value(a) or _holds_value(b) for a, b in p.facing),
    "one_negation": lambda p: sum(token.is_negation for token in p.loose) == 1,
    "opposites": lambda p: any(
        len(a) == len(b) == 1 and are_opposite(a[0].key, b[0].key) for a, b in p.facing
    ),
    "other_date": _of_kind("#date"),
    "other_number": _of_kind("#number"),
    "other_amount": lambda p: any(
        a.key in {"#money", "#percentage", "#duration"} for a, _ in p.different_values
    ),
    "many_values": lambda p: len(p.different_values) > 1,
    "happens_once": lambda p: bool({token.key for token, _ in p.same} & ONCE),
}
FEATURES = (*_MEASURES, "twins", "leads", "named")
"""Names of the features, in the order of the weights."""
