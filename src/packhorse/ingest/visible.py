"""Whether a text holds anything that a reader could see."""

import re
import unicodedata

__all__ = ["has_visible_text"]

WORD = re.compile(r"[^\W_]")
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Hangul fillers and the empty Braille cell: letters and a symbol by category, blank by design."""


def has_visible_text(text: str) -> bool:
    """False for a text of nothing but white space, control, format and combining characters."""
    first_word = WORD.search(text)
    if first_word and first_word.group() not in BLANK_LETTERS:
        return True
    return any(
        unicodedata.category(char)[0] in "LNPS" and char not in BLANK_LETTERS for char in text
    )
