"""Pairs of statements with enough words in common to be compared word by word."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.verify.consistency.statements import Facts, Statement

    Stated = tuple[int, Statement]

__all__ = ["MIN_SHARE", "similar_statements"]

SHORT = 2
"""Words up to which a statement is so short that one word in common is enough."""
MIN_SHARE = 0.4
"""Share of the larger statement's words that both must hold to be compared word by word."""


def similar_statements(facts: Sequence[Facts]) -> Iterator[tuple[Stated, Stated]]:
    """Pairs of statements of different texts with enough words in common, earlier text first.

    All-pairs search by prefix filtering (Bayardo, Ma and Srikant, 2007): two sets that share
    enough words share one of the rarest, so that only those need an index.
    """
    held = Counter(stem for each in facts for a in each.statements for stem in a.stems)
    index: dict[str, list[tuple[int, int, Statement]]] = {}
    for row, each in enumerate(facts):
        added: list[tuple[str, tuple[int, int, Statement]]] = []
        for place, b in enumerate(each.statements):
            rarest = sorted(b.stems, key=lambda stem: (held[stem], stem))
            prefix = rarest[: len(rarest) - _needed(len(rarest)) + 1]
            met = {(other, at): a for stem in prefix for other, at, a in index.get(stem, ())}
            for (other, _), a in met.items():
                if len(a.stems & b.stems) >= _needed(max(len(a.stems), len(b.stems))):
                    yield (other, a), (row, b)
            added += [(stem, (row, place, b)) for stem in prefix]
        for stem, entry in added:
            index.setdefault(stem, []).append(entry)


def _needed(size: int) -> int:
    """How many words two statements must share when the larger one has `size`."""
    return 1 if size <= SHORT else math.ceil(MIN_SHARE * size)
