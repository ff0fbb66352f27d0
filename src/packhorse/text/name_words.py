"""The words of a text that names are looked for in: links and numbered references are among them.

A link stands as a word for the document that it leads to, and one for the place in it. The first
word of a reference such as `Section 4.2` or `§ 280A` is marked: it may be that of its own source.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from packhorse.text.addresses import address, anchor, resolved
from packhorse.text.analysis import has_spaceless_script, terms

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MAX_WORDS",
    "PlacedWords",
    "Word",
    "link_words",
    "source_mark",
    "words_of",
]

MAX_WORDS = 20_000
"""Of a longer text, the first so many words are looked through."""

_WORD = r"[^\W_]+(?:[-_.,'\u2019\u2010\u2011@&]+[^\W_]+)*(?:\+\+|#)?"
_TARGET = r"(?:[^()<>\s]|\([^()<>\s]{0,200}\)){1,500}"
# Every repetition is of one class of characters, or bounded: the time is linear in the text.
_LINK = re.compile(
    r"href=[\"'][^\"'<>\s]{1,500}"
    rf"|\]\({_TARGET}"
    r"|\]\(<[^<>\n]{1,500}"
    r"|\]:[ \t]{1,4}(?:\.{0,2}/|#|https?://)[^\s<>]{0,500}"
    r"|:doc:`[^`\n]{1,300}"
    r"|<[^<>\s]{1,300}>`__?"
    r"|https?://[^\s<>\"'()\[\]`]{1,500}"
)
_TOKEN = re.compile(rf"{_LINK.pattern}|\u00a7+|{_WORD}")
_LINK_OPENERS = ("](", "]:", "href=", ":doc:`", "`_", "://")
_LINK_MARKS = re.compile(r"href=[\"']|\]\(<?|\]:[ \t]*|:doc:`(?:[^`<\n]*<)?|<")
_CACHE_LIMIT = 200_000
_MAX_CACHED_CHARS = 100
_DOCUMENT = "\x00"
_PLACE = "\x01"
_SOURCE = "\x02"
_REFERENCE_KINDS = {
    "\u00a7": "section", "section": "section", "sec": "section", "sect": "section",
    "chapter": "chapter", "ch": "chapter", "chap": "chapter",
    "articl": "articl", "art": "articl", "part": "part", "appendix": "appendix",
    "appendic": "appendix", "annex": "annex", "exhibit": "exhibit", "schedul": "schedul",
    "figur": "figur", "fig": "figur", "tabl": "tabl", "rule": "rule", "claus": "claus",
    "step": "step", "item": "item", "paragraph": "paragraph", "para": "paragraph",
}  # fmt: skip
"""Search terms of what is numbered, and the term that they are looked up by."""
_NUMBER = re.compile(r"\d|[a-z]$|[ivxlc]{1,6}$")


class Word(NamedTuple):
    """One word of a text."""

    term: str
    """Its first search term."""
    capital: bool
    """Begins with a capital letter or a digit, or is a link."""
    is_reference: bool = False
    """Says what kind of thing the number behind it is."""


class PlacedWords:
    """The words of a text, as `words_of` gives them, and how they are written."""

    def __init__(self, text: str, source_id: str | None = None) -> None:
        self._text = _normalised(text)
        self._tokens, self._of_token = _words_by_token(self._text, source_id)
        self.words = _in_order(self._of_token)

    def written(self, at: int, n_words: int) -> str:
        """How some words are written, on one line."""
        if self._is_word_a_token:
            # Most names stand as their words with a space between; that saves to look for places.
            found = " ".join(self._tokens[at : at + n_words])
            if n_words == 1 or found in self._text:
                return _bare(found)
        here = self._spans[at : at + n_words]
        if len(set(here)) == 1 and has_spaceless_script(self._text[slice(*here[0])]):
            pairs = [word.term for word in self.words[at : at + n_words]]
            return "".join(pair[0] for pair in pairs[:-1]) + pairs[-1]
        return _bare(" ".join(self._text[here[0][0] : here[-1][1]].split()))

    @cached_property
    def _is_word_a_token(self) -> bool:
        return all(len(words) == 1 for words in self._of_token)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """Where the token of each word stands; most texts are looked through without asking."""
        spans = [match.span() for match in islice(_TOKEN.finditer(self._text), MAX_WORDS)]
        pairs = zip(spans, self._of_token, strict=True)
        return [span for span, words in pairs for _ in words]


def words_of(text: str, source_id: str | None = None) -> list[Word]:
    """The words of a text in reading order, without a possessive 's.

    A script without spaces gives a word for each pair of characters. Time and memory are linear.

    Args:
        text: any; behind the first 20,000 words it is not looked at.
        source_id: what the text comes from: links lead from there. None for a question.
    """
    return _in_order(_words_by_token(_normalised(text), source_id)[1])


def link_words(source_id: str, place: str = "") -> list[Word]:
    """The words that a link to a document, or to a place in it, stands as."""
    document = Word(_DOCUMENT + address(source_id), capital=True)
    return [document, Word(_PLACE + anchor(place), capital=True)] if place else [document]


def source_mark(source_id: str) -> str:
    """Stands before the words of a name that means something in one source alone."""
    return _SOURCE + source_id


def _normalised(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _words_by_token(text: str, source_id: str | None) -> tuple[list[str], list[tuple[Word, ...]]]:
    """The tokens of a text, and the words of each."""
    tokens = _TOKEN.findall(text)[:MAX_WORDS]
    if source_id is not None and any(opener in text for opener in _LINK_OPENERS):
        return tokens, [_token_words(token, source_id) for token in tokens]
    return tokens, list(map(_known_words.__getitem__, tokens))


def _bare(written: str) -> str:
    """Without the marks of a link, or a possessive 's; a bracket that it opens is closed."""
    found = _without_marks(written)
    if _is_possessive(found):
        found = found[:-2]
    return f"{found})" if found.count("(") > found.count(")") else found


def _is_possessive(token: str) -> bool:
    return token[-2:] in {"'s", "\u2019s"}


def _token_words(token: str, source_id: str | None) -> tuple[Word, ...]:
    if source_id is None or not _LINK.match(token):
        return _known_words[token]
    target = resolved(_without_marks(token), source_id)
    return () if target is None else tuple(link_words(*target))


def _without_marks(token: str) -> str:
    """A link's target; any other text as it is."""
    opened = _LINK_MARKS.match(token)
    return token[opened.end() :].rstrip("`_>") if opened else token


class _KnownWords(dict[str, tuple[Word, ...]]):
    """The words of a token, computed on first use."""

    def __missing__(self, token: str) -> tuple[Word, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        words = _plain_words(token[:MAX_WORDS])
        if len(token) <= _MAX_CACHED_CHARS:
            self[token] = words
        return words


_known_words = _KnownWords()


def _plain_words(token: str) -> tuple[Word, ...]:
    if token[0] == "\u00a7":
        return (Word("\u00a7", capital=True),)
    if _is_possessive(token):
        token = token[:-2]
    found = terms(token)
    if has_spaceless_script(token):
        return tuple(Word(term, capital=False) for term in found)
    capital = token[0].isupper() or token[0].isdigit()
    return (Word(found[0], capital),) if found else ()


def _in_order(words_of_tokens: Iterable[tuple[Word, ...]]) -> list[Word]:
    """The words, with those marked and spelled out that say what is numbered."""
    words = list(islice(chain.from_iterable(words_of_tokens), MAX_WORDS))
    kinds = _REFERENCE_KINDS
    for at in [at for at, word in enumerate(words) if word[0] in kinds]:
        if at + 1 < len(words) and _NUMBER.match(words[at + 1].term):
            words[at] = Word(kinds[words[at].term], words[at].capital, is_reference=True)
    return words
