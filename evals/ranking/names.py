"""Names of passages, and where texts mention them.

A passage is called by its title, by its title without a part in brackets, by what stands before a
comma in the title, and by what its first sentence defines ("X is ...", "X (born ...)"). Letters are
compared by search term, so that "Panthers" mentions "Panther"; capitals must be kept after the
first word, so that "the north face" does not mention "The North Face".
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.text.analysis import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Mention", "Name", "NameTable", "Word", "names_of", "words_of"]

MAX_WORDS = 10
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
_ANCHOR = "packhorse"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text."""

    term: str
    """Its first search term."""
    capital: bool
    """Begins with a capital letter or a digit."""


@dataclass(frozen=True, slots=True)
class Name:
    """What a passage is called."""

    key: tuple[str, ...]
    """The search term of each word."""
    capitals: tuple[bool, ...]
    weight: float
    """How sure it is, 0..1: a title is, an alias is less."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that stands in a text."""

    key: tuple[str, ...]
    called: tuple[tuple[int, float], ...]
    """(row, weight of the name) of every passage that is called so, by row."""
    at: int
    """Place of its first word, from 0."""
    capital: bool
    """First and last word begin with a capital."""


def words_of(text: str) -> list[Word]:
    """The words of a text in reading order, without a possessive 's."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[-2:] in {"'s", "\u2019s"}:
            word = word[:-2]
        term = _first_term(word)
        if term:
            found.append(Word(term, word[0].isupper() or word[0].isdigit()))
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
    if not words or len(words) > MAX_WORDS or _is_all_function_words(called):
        return
    key = tuple(word.term for word in words)
    capitals = tuple(word.capital for word in words)
    if is_alias and sum(capitals) < min(2, len(words)):
        return
    found.setdefault(key, Name(key, capitals, weight))


def _is_all_function_words(called: str) -> bool:
    # `query_terms` keeps function words where nothing else is left: give it something else.
    return query_terms(f"{called} {_ANCHOR}") == terms(_ANCHOR)


class NameTable:
    """The names of all passages.

    Args:
        titles: of every row; empty where it has none.
        texts: of every row, without the title.
    """

    def __init__(self, titles: Sequence[str], texts: Sequence[str]) -> None:
        self._called: dict[tuple[str, ...], dict[int, Name]] = defaultdict(dict)
        for row, (title, text) in enumerate(zip(titles, texts, strict=True)):
            for name in names_of(title, text):
                self._called[name.key][row] = name
        lengths: dict[str, set[int]] = defaultdict(set)
        for key in self._called:
            lengths[key[0]].add(len(key))
        self._lengths = {first: sorted(some, reverse=True) for first, some in lengths.items()}

    def mentions(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Every mention in reading order; at each place the longest name, and none inside it."""
        terms_of = tuple(word.term for word in words)
        at = 0
        while at < len(words):
            found = next(self._at(words, terms_of, at), None)
            if found is None:
                at += 1
            else:
                yield found
                at += len(found.key)

    def _at(self, words: Sequence[Word], terms_of: tuple[str, ...], at: int) -> Iterator[Mention]:
        for length in self._lengths.get(terms_of[at], ()):
            key = terms_of[at : at + length]
            if key not in self._called:
                continue
            here = words[at : at + length]
            called = tuple(
                (row, name.weight)
                for row, name in sorted(self._called[key].items())
                if _is_written_so(here, name)
            )
            if called:
                yield Mention(key, called, at, here[0].capital and here[-1].capital)


def _is_written_so(here: Sequence[Word], name: Name) -> bool:
    keeps_capitals = all(
        word.capital or not capital
        for word, capital in zip(here[1:], name.capitals[1:], strict=True)
    )
    return keeps_capitals and (name.weight == WEIGHT_TITLE or here[0].capital)
