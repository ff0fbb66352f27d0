"""Two statements side by side: where they run in parallel, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from packhorse.verify.consistency.antonyms import are_opposite
from packhorse.verify.consistency.quantities import differ

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packhorse.verify.consistency.statements import Statement, Token

__all__ = ["Difference", "Parallel", "Stretch", "align", "difference_of"]

SPELLING = 0.8
"""Likeness from which two words are spellings of one: `church` and `chuch`."""

Span = tuple[int, int]
Stretch = tuple["Token", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two parallel statements differ in: the spans of both values, in the chunks' texts."""

    kind: str
    """A kind of value, `polarity`, `name` or `description`."""
    a: Span
    b: Span


@dataclass(frozen=True, slots=True)
class Parallel:
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

    @property
    def loose(self) -> tuple[Token, ...]:
        """Tokens that are in parallel with nothing, of both sides."""
        return tuple(token for one, other in self.apart for token in (*one, *other))

    def share(self, n_apart: float) -> float:
        """Share of the words that are in parallel when `n_apart` count as different."""
        return self.n_words / (self.n_words + n_apart) if self.n_words else 0.0


def align(a: Statement, b: Statement) -> Parallel:
    """Two statements side by side, without the differences that mean nothing."""
    return _settled(_align(a, b))


def _align(a: Statement, b: Statement) -> Parallel:
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
    return Parallel(a, b, tuple(same), tuple(apart))


def _settled(parallel: Parallel) -> Parallel:
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
    return Parallel(parallel.a, parallel.b, parallel.same, apart)


def _spelled_alike(one: Stretch, other: Stretch) -> bool:
    if len(one) != 1 or len(other) != 1:
        return False
    left, right = one[0], other[0]
    if not (left.key.isalpha() and right.key.isalpha()) or left.is_name or right.is_name:
        return False
    if are_opposite(left.key, right.key) or left.key[0] != right.key[0]:
        return False
    return SequenceMatcher(None, left.key, right.key, autojunk=False).ratio() >= SPELLING


def difference_of(kind: str, one: Iterable[Token], other: Iterable[Token]) -> Difference:
    """The difference between two stretches, as spans of the chunks' texts."""
    first, second = tuple(one), tuple(other)
    return Difference(
        kind=kind,
        a=(first[0].start, first[-1].end),
        b=(second[0].start, second[-1].end),
    )
