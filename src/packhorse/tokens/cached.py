"""Counts remembered by text."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter

__all__ = ["CachedCounter"]


class CachedCounter:
    """Remembers the latest counts of another counter; least recently used ones go first.

    Bounded in entries and in characters, because the texts themselves are the keys. A text above
    the character bound is counted and not kept. Safe from several threads; two that miss the same
    text at once may both count it.
    """

    def __init__(
        self, counter: TokenCounter, *, max_entries: int = 65_536, max_chars: int = 64_000_000
    ) -> None:
        self.name = counter.name
        self.library = counter.library
        self.exact = counter.exact
        self.margin = counter.margin
        self._counter = counter
        self._max_entries = max_entries
        self._max_chars = max_chars
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order; unknown ones are counted in one batch, each once."""
        with self._lock:
            found = [self._recall(text) for text in texts]
        missing = dict.fromkeys(
            text for text, count in zip(texts, found, strict=True) if count is None
        )
        if missing:
            fresh = dict(zip(missing, self._counter.count_batch(list(missing)), strict=True))
            with self._lock:
                for text, count in fresh.items():
                    self._remember(text, count)
        return [
            fresh[text] if count is None else count
            for text, count in zip(texts, found, strict=True)
        ]

    def _recall(self, text: str) -> int | None:
        count = self._counts.get(text)
        if count is not None:
            self._counts.move_to_end(text)
        return count

    def _remember(self, text: str, count: int) -> None:
        if len(text) > self._max_chars or text in self._counts:
            return
        self._counts[text] = count
        self._chars += len(text)
        while len(self._counts) > self._max_entries or self._chars > self._max_chars:
            dropped, _ = self._counts.popitem(last=False)
            self._chars -= len(dropped)
