"""The patterns that byte-pair vocabularies cut texts with, and which engine knows each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CL100K",
    "GRAMMARS",
    "LLAMA_3",
    "O200K",
    "PATTERNS",
    "QWEN_2",
    "QWEN_35",
    "TEKKEN",
    "Grammar",
]

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CASED = rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+"
_CAPITALS = rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*"
_PATHS = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How a vocabulary cuts a text before it merges bytes."""

    name: str
    pattern: str
    """The regular expression of the vocabulary's authors; each match is one piece."""
    scanner: str
    """The compiled scanner of quicktok that cuts in the same places."""
    cased: bool = False
    """Whether the scanner tells upper from lower case."""
    marks_are_letters: bool = False
    """Whether combining marks belong to words, which the scanner is told by its character table."""


def _words(*, letters: str, others: str, digits: str) -> str:
    return (
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?{letters}+|{digits}"
        rf"| ?[^\s{others}\p{{N}}]+[\r\n]*|{_SPACES}"
    )


CL100K = Grammar(
    name="cl100k",
    pattern=r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    scanner="cl100k",
)
LLAMA_3 = Grammar(
    name="llama-3",
    pattern=_words(letters=r"\p{L}", others=r"\p{L}", digits=r"\p{N}{1,3}"),
    scanner="llama3",
)
QWEN_2 = Grammar(
    name="qwen-2",
    pattern=_words(letters=r"\p{L}", others=r"\p{L}", digits=r"\p{N}"),
    scanner="qwen",
)
QWEN_35 = Grammar(
    name="qwen-3.5",
    pattern=_words(letters=r"[\p{L}\p{M}]", others=r"\p{L}\p{M}", digits=r"\p{N}"),
    scanner="qwen",
    marks_are_letters=True,
)
O200K = Grammar(
    name="o200k",
    pattern=rf"{_CASED}{_CONTRACTIONS}?|{_CAPITALS}{_CONTRACTIONS}?|\p{{N}}{{1,3}}"
    rf"|{_PATHS}|{_SPACES}",
    scanner="o200k",
    cased=True,
)
TEKKEN = Grammar(
    name="tekken",
    pattern=rf"{_CASED}|{_CAPITALS}|\p{{N}}|{_PATHS}|{_SPACES}",
    scanner="tekken",
    cased=True,
)

GRAMMARS: Mapping[str, Grammar] = {
    grammar.name: grammar for grammar in (CL100K, LLAMA_3, QWEN_2, QWEN_35, O200K, TEKKEN)
}

PATTERNS: Mapping[str, Grammar] = {grammar.pattern: grammar for grammar in GRAMMARS.values()}
"""Every pattern that a scanner cuts exactly like."""
