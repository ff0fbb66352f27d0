"""Which changed inputs make which difference, found by selecting again with each of them.

Taken for a function of the inputs, selection is known at two points: all inputs of A, all of B.
Between them it is run again. An input *suffices* for a difference when A with this input alone from
B shows it, and is *needed* when B with this input alone from A does not. Where none suffices, the
smallest set that does is looked for. Each answer was run; none is inferred from another.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.explain.diff.mixture import Mixture, Outcome, Standing
    from packhorse.explain.diff.ties import Group

__all__ = ["Attribution", "Attributions", "Effect", "chosen"]

_MOST_SUBSETS = 8
"""Groups of inputs up to which all their sets are tried, in the order of their size."""

_SHOWN = 4
"""Inputs of one group that a sentence names."""

Fact = Callable[["Outcome"], Hashable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one changed input does to the selection, all others staying as in A."""

    entered: tuple[str, ...]
    """Candidates that it takes in, sorted."""
    left: tuple[str, ...]
    switched_with: tuple[str, ...] = ()
    """Inputs that cannot be told apart from it, because no packet records a value with the one
    and without the other; sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The inputs behind one difference.

    Each item is an input, or several that only switch together.
    """

    suffice: tuple[Group, ...]
    """Each of them makes the difference alone."""
    needed: tuple[Group, ...]
    """Without it, B would not show the difference."""
    together: tuple[Group, ...] = ()
    """Where none suffices alone: a set that does, with all others as in A."""
    smallest: bool = True
    """Whether it is certain that no smaller set suffices. Up to eight inputs all sets are tried;
    beyond, for a chunk that entered or left none can be left out of the set, and for any other
    difference the set is all of them."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Keys of a set of inputs that suffices, sorted."""
        groups = self.suffice[:1] or self.together
        return tuple(sorted(key for group in groups for key in group))

    def __str__(self) -> str:
        if self.together:
            return f"{' + '.join(map(_name, self.together))}, together"
        if len(self.suffice) > 1:
            return f"{' or '.join(map(_name, self.suffice))}, each alone"
        (cause,) = self.suffice
        if self.needed == (cause,):
            return _name(cause)
        if not self.needed:
            return f"{_name(cause)} alone; without it, the others together"
        beside = " + ".join(_name(group) for group in self.needed if group != cause)
        return f"{_name(cause)} alone; with the others it takes {beside}, too"


def _name(group: Group) -> str:
    if len(group) == 1:
        return group[0]
    more = f" and {len(group) - _SHOWN} more" if len(group) > _SHOWN else ""
    return f"({', '.join(group[:_SHOWN])}{more})"


def chosen(outcome: Outcome) -> frozenset[str]:
    """Candidates that are in."""
    return frozenset(name for name, standing in outcome.items() if standing.position is not None)


class Attributions:
    """Answers for one pair of packets."""

    def __init__(self, mixture: Mixture) -> None:
        self._mixture = mixture
        self._all = frozenset(mixture.groups)

    def effect(self, key: str) -> Effect | None:
        """What an input does alone; None for one that takes no part in selecting."""
        group = self._mixture.group(key)
        if group is None:
            return None
        was, now = chosen(self._mixture.outcome(())), chosen(self._mixture.outcome([group]))
        return Effect(
            entered=tuple(sorted(now - was)),
            left=tuple(sorted(was - now)),
            switched_with=tuple(each for each in group if each != key),
        )

    def selection(self) -> Attribution | None:
        """What makes the whole set of chosen candidates the other one; None where it is not."""
        return self._of(chosen)

    def decision(self, chunk_id: str) -> Attribution | None:
        """What takes a candidate in, or out."""
        return self._of(lambda outcome: chunk_id in chosen(outcome))

    def presence(self, chunk_id: str) -> Attribution | None:
        """What makes it a candidate, or none."""
        return self._of(lambda outcome: chunk_id in outcome, thorough=False)

    def standing(self, chunk_id: str, field: str) -> Attribution | None:
        """What changes one field of a candidate's `Standing`."""

        def value(outcome: Outcome) -> Any:
            found: Standing | None = outcome.get(chunk_id)
            return None if found is None else getattr(found, field)

        return self._of(value, thorough=False)

    def _of(self, fact: Fact, *, thorough: bool = True) -> Attribution | None:
        groups, run = self._mixture.groups, self._mixture.outcome
        was, now = fact(run(())), fact(run(self._all))
        if was == now:
            return None
        suffice = tuple(group for group in groups if fact(run([group])) == now)
        needed = tuple(group for group in groups if fact(run(self._all - {group})) != now)
        if suffice:
            return Attribution(suffice=suffice, needed=needed)
        if not thorough and len(groups) > _MOST_SUBSETS:
            return Attribution(suffice=(), needed=needed, together=groups, smallest=False)
        together, smallest = self._smallest(fact, now)
        return Attribution(suffice=(), needed=needed, together=together, smallest=smallest)

    def _smallest(self, fact: Fact, now: Hashable) -> tuple[tuple[Group, ...], bool]:
        run = self._mixture.outcome
        if len(self._all) <= _MOST_SUBSETS:
            return next(each for each in self._subsets() if fact(run(each)) == now), True
        left = set(self._all)
        for group in self._mixture.groups:
            if fact(run(left - {group})) == now:
                left.discard(group)
        # Going round once leaves out what can be left out of the last set, not of each before.
        while True:
            extra = next((g for g in sorted(left) if fact(run(left - {g})) == now), None)
            if extra is None:
                return tuple(sorted(left)), False
            left.discard(extra)

    def _subsets(self) -> Iterator[tuple[Group, ...]]:
        groups = self._mixture.groups
        for size in range(2, len(groups) + 1):
            yield from combinations(groups, size)
