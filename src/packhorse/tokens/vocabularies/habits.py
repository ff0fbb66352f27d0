"""What is known of how unpublished tokenizers cut, beyond what another vocabulary tells.

Applied to the count of each piece before the margin. Where the evidence is from: the concept page
on counting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

__all__ = ["HABITS", "Habit", "larger_scripts", "single_digits"]

Habit = Callable[[str, int, int], int]
"""Piece, its count by the public vocabulary, margin in per mille -> the count to add the margin to.
"""

PER_MILLE = 1000
DIGITS = re.compile(r"[0-9]{2,}")
RUN = re.compile(r"([ !-/:-@\[-`{-~])\1{15,}")
RUN_TOKEN = 16
"""Symbols of a run that one token of Gemma's vocabulary holds."""

SCRIPTS = re.compile("[\u0600-\u07bf\u0980-\u109f\u1200-\u137f\u1780-\u17ff\u1ea0-\u1ef9]")
"""Arabic, Syriac, Thaana; Bengali to Burmese, with Tamil, Thai and Lao; Ethiopic; Khmer; and the
letters that Vietnamese alone writes."""
SCRIPTS_FACTOR = 2000
"""Per mille of the larger public count that such texts are planned with, margin included."""


def single_digits(piece: str, count: int, _margin: int) -> int:
    """Gemma's vocabulary has a token for each digit, where the public ones have one for three.

    Runs of one symbol are cut at 16, where the public vocabularies have tokens for 64 and more.
    """
    runs = (len(digits) for digits in DIGITS.findall(piece))
    digits = sum(length - -(-length // 3) for length in runs)
    return count + digits + sum(-(-len(run[0]) // RUN_TOKEN) for run in RUN.finditer(piece))


def larger_scripts(piece: str, count: int, margin: int) -> int:
    """Claude has few tokens for some scripts: margin and this together make it twice the count."""
    if piece.isascii() or not SCRIPTS.search(piece):
        return count
    with_margin = PER_MILLE + margin
    return max(count, -(-count * SCRIPTS_FACTOR // with_margin))


HABITS: Mapping[str, Habit] = {"anthropic": larger_scripts, "google": single_digits}
"""By the name of the provider in the model table."""
