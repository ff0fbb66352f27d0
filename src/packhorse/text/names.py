"""What a passage is called, and the words of a text that names are looked for in.

A passage is called by its title, by its title without a part in brackets, by what stands before a
comma in the title, and by what its first sentence defines ("X is ...", "X (born ...)").
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from packhorse.text.analysis import content_terms, terms

__all__ = ["MAX_NAME_WORDS", "WEIGHT_TITLE", "Name", "Word", "names_of", "words_of"]

MAX_NAME_WORDS = 10
"""Longer titles are sentences; nobody mentions them whole."""

WEIGHT_TITLE = 1.0
WEIGHT_DEFINED = 0.8
WEIGHT_BEFORE_COMMA = 0.6

_MAX_DEFINED_WORDS = 7
_WORD = re.compile(r"[^\W_]+(?:[-_.,'\u2019\u2010\u2011@&]+[^\W_]+)*(?:\+\+|#)?")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_DEFINED = re.compile(
    r"\s*[\"'\u201c]?([A-Z0-9][^\n(;:.!?]{1,70}?)[\"'\u201d]?"
    r"\s*(?:\(|,? (?:is|was|are|were|refers to)\b)"
)


class Word(NamedTuple):
    """One word of a text."""

    term: str
    """Its first search term."""
    capital: bool
    """Begins with a capital letter or a digit."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""


class Name(NamedTuple):
    """What a passage is called."""

    key: tuple[str, ...]
    """The search term of each word."""
    capitals: tuple[bool, ...]
    weight: float
    """How sure it is, 0..1: a title is, an alias is less."""


def words_of(text: str) -> list[Word]:
    """The words of a text in reading order, without a possessive 's."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[-2:] in {"'s", "\u2019s"}:
            word = word[:-2]
        term = _first_term(word)
        if term:
            capital = word[0].isupper() or word[0].isdigit()
            found.append(Word(term, capital, match.start(), match.start() + len(word)))
    return found


@lru_cache(maxsize=200_000)
def _first_term(word: str) -> str:
    return next(iter(terms(word)), "")


def names_of(title: str, text: str) -> list[Name]:
    """What a passage is called, surest first; none twice. Empty without a title.

    Aliases must look like names: with a capital, two where they have more than one word.
    """
    bare = _BRACKETS.sub(" ", title).strip()
    found: dict[tuple[str, ...], Name] = {}
    for variant in dict.fromkeys((title, bare)):
        _add(found, variant, WEIGHT_TITLE)
    if not title.strip():
        return list(found.values())
    if "," in bare:
        _add(found, bare.split(",")[0], WEIGHT_BEFORE_COMMA, is_alias=True)
    defined = _DEFINED.match(text.removeprefix(f"{title}\n"))
    if defined and 1 < len(defined.group(1).split()) <= _MAX_DEFINED_WORDS:
        _add(found, defined.group(1), WEIGHT_DEFINED, is_alias=True)
    return list(found.values())


def _add(
    found: dict[tuple[str, ...], Name], called: str, weight: float, *, is_alias: bool = False
) -> None:
    words = words_of(called)
    if not words or len(words) > MAX_NAME_WORDS or not content_terms(called):
        return
    key = tuple(word.term for word in words)
    capitals = tuple(word.capital for word in words)
    if is_alias and sum(capitals) < min(2, len(words)):
        return
    found.setdefault(key, Name(key, capitals, weight))
