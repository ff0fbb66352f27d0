"""Counts remembered by text."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from packhorse.tokens.framed import cuts_at_words, recount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.protocols import TokenCounter

__all__ = ["CachedCounter"]

UNKNOWN = -1


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
        self.cuts_at_words = cuts_at_words(counter)
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
        counts = self._counts
        known: list[int] = []
        missing: dict[str, None] = {}
        with self._lock:
            for text in texts:
                count = counts.get(text)
                if count is None:
                    missing[text] = None
                    count = UNKNOWN
                else:
                    counts.move_to_end(text)
                known.append(count)
        if not missing:
            return known
        fresh = dict(zip(missing, self._counter.count_batch(list(missing)), strict=True))
        with self._lock:
            self._remember(fresh)
        return [
            fresh[text] if count == UNKNOWN else count
            for text, count in zip(texts, known, strict=True)
        ]

    def recount(self, text: str) -> int:
        """Tokens of one text, counted now: neither remembered nor taken from a file."""
        return recount(self._counter, text)

    def _remember(self, fresh: Mapping[str, int]) -> None:
        counts, most = self._counts, self._max_chars
        for text, count in fresh.items():
            if text not in counts and len(text) <= most:
                counts[text] = count
                self._chars += len(text)
        while len(counts) > self._max_entries or self._chars > most:
            dropped, _ = counts.popitem(last=False)
            self._chars -= len(dropped)
