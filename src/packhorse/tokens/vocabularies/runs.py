r"""Long runs of one character, counted by their period.

Engines of byte pairs take a few milliseconds for a megabyte of most texts, and up to half a second
for a megabyte of dashes: vocabularies hold rulers of many lengths, and a long one is merged from
pair to pair through all of them. But merging works on a long run as on a tiled floor. Away from its
ends every tile is the same, so that a run that is longer by a whole number of periods costs as many
more tokens, and both ends cost what they did, whatever stands beside them:

    count(before + c * (n + PERIOD) + after) = count(before + c * n + after) + cost of a period

So a run of `LONG` characters or more is shortened by whole periods before it is counted. The tile
is a token of at most `PERIOD` characters whose length divides it; where a vocabulary has another
one (runs of digits go in threes), differences between lengths show it, and nothing is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from threading import Lock

__all__ = ["LONG", "PERIOD", "RunCounter"]

PERIOD = 2048
LONG = 2 * PERIOD
"""A run of this length or more holds a whole block of `PERIOD` characters, wherever it starts."""
PROBES = (0, 1, 2, 3, 5, 64, 127, 701, 1_365)
"""Lengths beyond the shortest at which the cost of a period is measured."""

Count = Callable[[list[str]], list[int]]


class RunCounter:
    """Counts texts with an engine, long runs shortened.

    Args:
        count: one count a text, in order. It must cut texts with a regular expression and merge
            byte pairs inside the pieces.
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._costs: dict[str, int | None] = {}
        self._lock = Lock()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        shortened = list(texts)
        saved: dict[int, int] = {}
        for row, text in enumerate(texts):
            if len(text) >= LONG and (chars := _run_chars(text)):
                shortened[row], saved[row] = self._shortened(text, chars)
        counts = self._count(shortened)
        for row, tokens in saved.items():
            counts[row] += tokens
        return counts

    def _shortened(self, text: str, chars: Sequence[str]) -> tuple[str, int]:
        """The text with its long runs shortened, and the tokens that this takes off."""
        tokens = 0
        for char in chars:
            cost = self._cost(char)
            if cost is None:
                continue
            text, n_periods = _without_periods(text, char)
            tokens += cost * n_periods
        return text, tokens

    def _cost(self, char: str) -> int | None:
        """Tokens that a period of a character costs; None where that depends on the length."""
        with self._lock:
            if char not in self._costs:
                runs = [char * (PERIOD + more) for more in PROBES]
                longer = [char * (2 * PERIOD + more) for more in PROBES]
                counts = self._count([*runs, *longer])
                pairs = zip(counts, counts[len(runs) :], strict=False)
                costs = {after - before for before, after in pairs}
                self._costs[char] = costs.pop() if len(costs) == 1 else None
            return self._costs[char]


def _without_periods(text: str, char: str) -> tuple[str, int]:
    """The text with long runs of a character shortened, and how many periods that takes off."""
    # A search for `LONG` in one regular expression would begin anew at each place of a shorter run.
    run, rest = char * LONG, re.compile(f"{re.escape(char)}*")
    kept, n_periods, at = [], 0, 0
    while (start := text.find(run, at)) >= 0:
        found = rest.match(text, start)
        end = found.end() if found else start
        n_whole, more = divmod(end - start, PERIOD)
        kept.append(text[at : start + PERIOD + more])
        n_periods += n_whole - 1
        at = end
    return "".join([*kept, text[at:]]), n_periods


def _run_chars(text: str) -> list[str]:
    """Characters that fill a whole block of `PERIOD`, letters and digits left out: those are fast.

    Only the first and last characters of a block are looked at before the block is.
    """
    found: list[str] = []
    for start in range(0, len(text) - PERIOD + 1, PERIOD):
        char = text[start]
        if (
            char == text[start + PERIOD - 1]
            and char == text[start + 1]
            and not char.isalnum()
            and char not in found
            and text.startswith(char * PERIOD, start)
        ):
            found.append(char)
    return found
