"""Which changed inputs can be told apart, and which only changed together."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["RECOUNT", "UNRECORDED", "Ties"]

UNRECORDED = "unrecorded"
"""Stands for whatever no packet records: other code, an index built another way."""

RECOUNT = "recount"
"""What blocks count more joined than apart, for tokenizers that do not add up."""

Group = tuple[str, ...]


class Ties:
    """Inputs in groups. Inputs that decide one recorded value together are in one group.

    A packet says what a value is with all of its own inputs. What it would be with the one input
    of A and the other of B is nowhere recorded, so the two can only be switched together.
    """

    def __init__(self, changed: Iterable[str]) -> None:
        self._next = {key: key for key in changed}
        self._active: set[str] = set()

    def changed(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that have changed."""
        return {key for key in keys if key in self._next}

    def add(self, key: str) -> None:
        """One more input, in a group of its own."""
        self._next.setdefault(key, key)

    def tie(self, causes: Iterable[str]) -> str:
        """Puts the inputs that decide one value into one group; returns one of them.

        Without any, the value has changed for no reason that a packet records.
        """
        first, *others = sorted(causes) or [UNRECORDED]
        for key in (first, *others):
            self.add(key)
        root = self._root(first)
        for other in others:
            self._next[self._root(other)] = root
        self._active.add(first)
        return first

    def group(self, key: str) -> Group:
        """All inputs that can only be switched together with this one, sorted."""
        root = self._root(key)
        return tuple(sorted(each for each in self._next if self._root(each) == root))

    def groups(self) -> tuple[Group, ...]:
        """Groups that take part in selecting, sorted."""
        return tuple(sorted({self.group(key) for key in self._active}))

    def _root(self, key: str) -> str:
        while self._next[key] != key:
            key = self._next[key]
        return key
