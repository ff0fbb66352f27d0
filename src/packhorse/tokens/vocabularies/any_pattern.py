"""Ranks with a pattern of any form, through `tokenizers`.

tiktoken merges whatever pair of neighbours makes the token of the lowest rank. The same merges
come out of a list of *all* pairs that make a token, in the order of the tokens' ranks: 0 of 20,000
random strings differed in each of two vocabularies. (A list of one pair a token, as many converted
files have it, is not the same.)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.tokens.vocabularies.hf import TokenizersCounter, translated

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["pattern_counter"]

LITERALS = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
"""What stands for characters: a class by name, an escaped character, a set."""

NOT_PORTABLE = {
    "$": r"`$` is the end of a line there: write \z for the end of the text",
    "^": r"`^` is the start of a line there: write \A for the start of the text",
    "}+": "`}+` repeats there instead of being possessive: leave the plus out",
}
"""Syntax with another meaning in the library's regular expressions (Oniguruma) than in tiktoken."""


def pattern_counter(
    name: str, ranks: Mapping[bytes, int], pattern: str, *, where: str
) -> TokenizersCounter:
    """A counter for ranks and a regular expression, loaded in 1 to 2 s.

    Args:
        name: of the vocabulary.
        ranks: byte strings and their ranks.
        pattern: each match is a piece that is merged by itself.
        where: what the pattern comes from, for an error.

    Raises:
        InputError: not a regular expression, or one that would cut elsewhere than tiktoken.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    bare = LITERALS.sub("", pattern)
    for syntax, reason in NOT_PORTABLE.items():
        if syntax in bare:
            raise InputError(f"The pattern of {where} cannot be used: {reason}", hint="Rewrite it")
    letters = _byte_letters()
    spelled = {token: "".join(letters[byte] for byte in token) for token in ranks}
    with translated(where, "cannot be used"):
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        model = models.BPE(
            vocab={spelled[token]: rank for token, rank in ranks.items()},
            merges=[(spelled[left], spelled[right]) for left, right in _pairs(ranks)],
            ignore_merges=True,
        )
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        )
    return TokenizersCounter(name, tokenizer)


def _pairs(ranks: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """Every pair of tokens that makes a token, by the rank of what it makes."""
    pairs = []
    for token, _ in sorted(ranks.items(), key=lambda entry: entry[1]):
        halves = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        known = [(left, right) for left, right in halves if left in ranks and right in ranks]
        pairs += sorted(known, key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
    return pairs


def _byte_letters() -> list[str]:
    """The printable character that stands for each byte in a byte-level vocabulary (GPT-2)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    letters |= {byte: chr(0x100 + place) for place, byte in enumerate(others)}
    return [letters[byte] for byte in range(0x100)]
