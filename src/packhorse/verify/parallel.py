"""Two statements side by side: where they run in parallel, and the one thing they differ in."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.verify.facts import LIMIT_NOUNS
from packhorse.verify.polarity import are_opposite
from packhorse.verify.quantities import differ

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packhorse.verify.facts import Statement, Token

__all__ = ["Difference", "difference"]

VALUE_WORDS = 2
"""Words in parallel that two different values need around them."""
VALUE_SHARE = 0.6
"""Share of the words that must be in parallel for two values to be about one thing."""
POLARITY_WORDS = 3
"""As `VALUE_WORDS`, for a negation or an opposite."""
POLARITY_SHARE = 0.7
NAME_WORDS = 4
"""As `VALUE_WORDS`, for one name in the place of another."""
NAME_SHARE = 0.75
SPELLING = 0.8
"""Likeness from which two words are spellings of one: `church` and `chuch`."""

Span = tuple[int, int]
Stretch = tuple["Token", ...]


def _terms(listed: str) -> frozenset[str]:
    return frozenset(term for word in listed.split() for term in terms(word))


_HANDLING = _terms(
    "issue process pay credit take arrive ship deliver receive send complete handle review respond"
    " notify cancel request expire start begin"
)
"""What is done about a thing: its time is another than the time in which the thing is allowed."""
_ONCE = _terms(
    "born die death birth found establish release publish launch air premiere form sign enact build"
    " built complete incorporate discover invent elect marry graduate debut win won join retire"
    " create introduce occur abolish date construct"
)
"""What happens once, so that two dates for it cannot both be right."""
_RECURRING = _terms(
    "deadline due expire effective open close begin begun start end hold held set take settle"
)
"""What may happen each year: two dates in one year for it cannot both be right."""
_POINTERS = _terms("see visit view refer contact call click read check go please")
"""What a reader is told to do: two pointers to two places do not contradict each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two parallel statements differ in: the spans of both values, in the chunks' texts."""

    kind: str
    """A kind of value, `polarity` or `name`."""
    a: Span
    b: Span


@dataclass(frozen=True, slots=True)
class _Parallel:
    """The alignment of two statements."""

    a: Statement
    b: Statement
    same: tuple[tuple[Token, Token], ...]
    """Tokens in parallel; a pair of values of one kind is one, whatever they amount to."""
    apart: tuple[tuple[Stretch, Stretch], ...]
    """Stretches that differ; one of the two may be empty."""

    @property
    def n_words(self) -> int:
        """Words in parallel."""
        return sum(1 for one, _ in self.same if one.quantity is None)

    @property
    def n_apart(self) -> int:
        """Tokens that differ; those that face each other count once."""
        return sum(max(len(one), len(other)) for one, other in self.apart)

    @property
    def different_values(self) -> tuple[tuple[Token, Token], ...]:
        """Values in parallel that cannot both hold."""
        return tuple(
            (one, other)
            for one, other in self.same
            if one.quantity is not None
            and other.quantity is not None
            and differ(one.quantity, other.quantity)
        )

    @property
    def facing(self) -> tuple[tuple[Stretch, Stretch], ...]:
        """Stretches that stand in each other's place."""
        return tuple((one, other) for one, other in self.apart if one and other)

    @property
    def lone(self) -> tuple[Token, ...]:
        """Tokens of one side that nothing faces."""
        return tuple(
            token for one, other in self.apart if not (one and other) for token in (*one, *other)
        )

    def share(self, n_apart: float) -> float:
        """Share of the words that are in parallel when `n_apart` count as different."""
        return self.n_words / (self.n_words + n_apart) if self.n_words else 0.0


def difference(a: Statement, b: Statement) -> Difference | None:
    """The one difference that makes two statements of different chunks conflict, or None."""
    parallel = _settled(_align(a, b))
    return _value(parallel) or _polarity(parallel) or _name(parallel)


def _align(a: Statement, b: Statement) -> _Parallel:
    """Longest matching stretches first; what both begin and end with is matched at once."""
    tokens_a, tokens_b = a.tokens, b.tokens
    keys_a, keys_b = [token.key for token in tokens_a], [token.key for token in tokens_b]
    shorter = min(len(keys_a), len(keys_b))
    head = next((i for i in range(shorter) if keys_a[i] != keys_b[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if keys_a[-1 - i] != keys_b[-1 - i]), rest)
    end_a, end_b = len(keys_a) - tail, len(keys_b) - tail
    same = list(zip(tokens_a[:head], tokens_b[:head], strict=True))
    apart: list[tuple[Stretch, Stretch]] = []
    matcher = SequenceMatcher(None, keys_a[head:end_a], keys_b[head:end_b], autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        stretch_a, stretch_b = tokens_a[head + a1 : head + a2], tokens_b[head + b1 : head + b2]
        if tag == "equal":
            same += zip(stretch_a, stretch_b, strict=True)
        else:
            apart.append((stretch_a, stretch_b))
    same += zip(tokens_a[end_a:], tokens_b[end_b:], strict=True)
    return _Parallel(a, b, tuple(same), tuple(apart))


def _settled(parallel: _Parallel) -> _Parallel:
    """Without the differences that mean nothing: a title said twice, and another spelling."""
    known = {one.key for one, _ in parallel.same if one.quantity is None}
    apart = tuple(
        (one, other)
        for one, other in parallel.apart
        if not (
            _spelled_alike(one, other)
            if one and other
            else all(token.key in known for token in (*one, *other))
        )
    )
    return _Parallel(parallel.a, parallel.b, parallel.same, apart)


def _spelled_alike(one: Stretch, other: Stretch) -> bool:
    if len(one) != 1 or len(other) != 1:
        return False
    left, right = one[0], other[0]
    if not (left.key.isalpha() and right.key.isalpha()) or left.is_name or right.is_name:
        return False
    if are_opposite(left.key, right.key) or left.key[0] != right.key[0]:
        return False
    return SequenceMatcher(None, left.key, right.key, autojunk=False).ratio() >= SPELLING


def _value(parallel: _Parallel) -> Difference | None:
    """Different values in the same place, and nothing else that could explain them."""
    pairs = parallel.different_values
    loose = _loose(parallel)
    if not pairs or not _is_one_change(parallel, pairs):
        return None
    if any(token.quantity is not None or token.is_negation for token in loose):
        return None
    one, other = pairs[0]
    if one.key == "#duration" and any(token.key in LIMIT_NOUNS for token in loose):
        agrees = _is_limit_of_one_thing(parallel)
    else:
        agrees = _is_one_thing(parallel) and (
            one.key != "#date" or _is_date_of_one_thing(parallel, one, other)
        )
    return _of(one.key[1:], (one,), (other,)) if agrees else None


def _is_one_change(parallel: _Parallel, pairs: Sequence[tuple[Token, Token]]) -> bool:
    """Whether the values differ in one way; a date that differs too explains the others."""
    kinds = {one.key for one, _ in pairs}
    if "#date" in kinds and len(kinds) > 1:
        return False
    changes = {
        (one.quantity.amount, other.quantity.amount)
        for one, other in pairs
        if one.quantity is not None and other.quantity is not None
    }
    return len(changes) == 1 or (not parallel.apart and parallel.n_words >= NAME_WORDS)


def _is_one_thing(parallel: _Parallel) -> bool:
    """Whether enough words are in parallel, and none that differs could be the reason."""
    if parallel.n_words < VALUE_WORDS or parallel.share(parallel.n_apart) < VALUE_SHARE:
        return False
    return not parallel.facing and not any(token.is_name for token in parallel.lone)


def _is_limit_of_one_thing(parallel: _Parallel) -> bool:
    """`The refund window is 30 days` against `Refunds are accepted within 14 days`."""
    rest = [token for token in _loose(parallel) if token.key not in LIMIT_NOUNS]
    if not parallel.n_words or len(rest) > 1:
        return False
    return not any(token.key in _HANDLING or token.is_name for token in rest)


def _is_date_of_one_thing(parallel: _Parallel, one: Token, other: Token) -> bool:
    """Whether two dates are for something that has one date, and no year is just the edition."""
    words = {token.key for token, _ in parallel.same}
    if words & _ONCE or _in_brackets(parallel.a, one):
        return True
    a, b = one.quantity, other.quantity
    if a is None or b is None or not a.month or not b.month:
        return False
    another_day = (a.month, a.day) != (b.month, b.day)
    if words & _RECURRING:
        return another_day
    return another_day and not parallel.apart and parallel.n_words >= NAME_WORDS


def _in_brackets(statement: Statement, token: Token) -> bool:
    """`Ritchie (June 19, 1910 - ...)`: the dates of a life."""
    before = statement.sentence.text[: token.start - statement.sentence.start].rstrip()
    return before.endswith("(")


def _polarity(parallel: _Parallel) -> Difference | None:
    """One side denies what the other says, or says the opposite, with little else to differ in."""
    if parallel.n_words < POLARITY_WORDS or parallel.different_values:
        return None
    opposites = [
        (one, other)
        for one, other in parallel.facing
        if len(one) == len(other) == 1 and are_opposite(one[0].key, other[0].key)
    ]
    denials = [token for token in _loose(parallel) if token.is_negation]
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
    return _of("polarity", *opposites[0]) if opposites else _denied(parallel, denials[0])


def _denied(parallel: _Parallel, denial: Token) -> Difference:
    """The negation with the word it denies, against that word alone."""
    first = denial in parallel.a.tokens
    tokens = parallel.a.tokens if first else parallel.b.tokens
    place = tokens.index(denial)
    near = tokens[place + 1] if place + 1 < len(tokens) else tokens[place - 1]
    one, other = next((pair for pair in parallel.same if near in pair), parallel.same[-1])
    if first:
        return _of("polarity", _between(denial, one), (other,))
    return _of("polarity", (one,), _between(denial, other))


def _between(one: Token, other: Token) -> Stretch:
    return (one, other) if one.start <= other.start else (other, one)


def _name(parallel: _Parallel) -> Difference | None:
    """One name in the place of another, in a long parallel, and not as its subject."""
    if parallel.n_words < NAME_WORDS or not _is_prose_without_other_values(parallel):
        return None
    faced = sorted(parallel.facing, key=lambda pair: -len(pair[0]) - len(pair[1]))
    if not faced or not _is_one_substitution(faced) or not _are_names(faced[0]):
        return None
    if any(t.is_name or t.is_negation or t.quantity for t in parallel.lone):
        return None
    if _POINTERS & {token.key for token, _ in parallel.same} or any(
        _is_subject(parallel, pair) for pair in faced
    ):
        return None
    if parallel.share(len(faced) + len(parallel.lone)) < NAME_SHARE:
        return None
    return _of("name", *faced[0])


def _is_prose_without_other_values(parallel: _Parallel) -> bool:
    return parallel.a.is_prose and parallel.b.is_prose and not parallel.different_values


def _are_names(pair: tuple[Stretch, Stretch]) -> bool:
    """Names of letters: an identifier says nothing that could be wrong."""
    return all(token.is_name and token.key.isalpha() for side in pair for token in side)


def _is_one_substitution(faced: Sequence[tuple[Stretch, Stretch]]) -> bool:
    """Whether all stretches repeat the first and longest one, or a part of it."""
    left, right = ({token.key for token in side} for side in faced[0])
    return all(
        left.issuperset(token.key for token in one)
        and right.issuperset(token.key for token in other)
        for one, other in faced[1:]
    )


def _is_subject(parallel: _Parallel, pair: tuple[Stretch, Stretch]) -> bool:
    """Whether nothing but names stands before the pair: another subject is no conflict."""
    one, other = pair
    return _opens(parallel.a.tokens, one[0]) or _opens(parallel.b.tokens, other[0])


def _opens(tokens: Sequence[Token], token: Token) -> bool:
    return all(before.is_name for before in tokens[1 : tokens.index(token)])


def _loose(parallel: _Parallel) -> tuple[Token, ...]:
    return tuple(token for one, other in parallel.apart for token in (*one, *other))


def _of(kind: str, one: Iterable[Token], other: Iterable[Token]) -> Difference:
    first, second = tuple(one), tuple(other)
    return Difference(
        kind=kind,
        a=(first[0].start, first[-1].end),
        b=(second[0].start, second[-1].end),
    )
