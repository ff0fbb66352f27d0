"""Near-identical texts that do not say the same: one word is another, or a `not` more or less.

The same rule for two tax years shares nearly every word, and so does a policy that allowed what it
forbids by now. Dropping one of the two would lose a fact silently, which is worse than a repeated
sentence, so such pairs are no duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from packhorse.text.analysis import terms
from packhorse.text.shingles import words

__all__ = ["NEARLY_IDENTICAL", "says_otherwise", "stated_places"]

NEARLY_IDENTICAL = 0.9
"""Overlap from which a text must not hold any figure that the other one lacks."""

_AROUND = 2
"""Words on each side that make a place."""

_AROUND_WORD = 3
"""The same for words that are neither figures nor names, which stand between common words too."""

_MIN_TELLING = 2
"""Words around that must be more than function words: `in the _ of the` is no place."""

_MOST_IN_NAME = 4
"""Words; what goes on longer in capitals is a heading."""

_WORD_OR_END = re.compile(r"[^\W_]+|[.!?:;\n\u3002]+")

_SYMBOLS = str.maketrans(
    {"$": " dollar ", "\u20ac": " euro ", "\u00a3": " pound ", "\u00a5": " yen ", "%": " percent "}
)
"""Signs that say what a figure is of; other marks say nothing here."""

_SMALL = "a an and are be been had has have is it its of or that the these this those was were"
_WEIGHTLESS = frozenset(_SMALL.split())
"""Words of which one may stand for another without another meaning, here at least."""

_NEGATIONS = frozenset({"not", "no", "never", "without", "neither", "nor"})
_BEFORE_NOT = {"can": "can", "won": "will", "shan": "shall"}
_CACHED_TEXTS = 16_384
_CACHED_WORD_BY_WORD = 1_024
"""Texts of which every word is held: some 80 kilobytes for 200 words."""

Window = tuple[str, ...]


def says_otherwise(dropped: str, kept: str, overlap: float) -> bool:
    """Whether `dropped` states something that `kept` states differently.

    Five ways: a figure between the same words as another figure; a name between the same words as
    another name; any figure of its own when the two are nearly identical (`overlap` is 0.9 or
    more); another word, of another stem, between three words on each side that are the same; a
    negation between words that follow each other without one in the other text, in either direction
    (English).
    """
    if overlap >= NEARLY_IDENTICAL and not _figures(dropped) <= _figures(kept):
        return True
    theirs = stated_places(kept)
    if any(
        place in theirs and not stated <= theirs[place]
        for place, stated in stated_places(dropped).items()
    ):
        return True
    others = _word_places(kept)
    if any(
        place in others and said.isdisjoint(others[place])
        for place, said in _word_places(dropped).items()
    ):
        return True
    (here, plain_here), (there, plain_there) = _negated(dropped), _negated(kept)
    return not plain_there.isdisjoint(here - there) or not plain_here.isdisjoint(there - here)


@lru_cache(maxsize=_CACHED_TEXTS)
def stated_places(text: str) -> Mapping[Window, frozenset[Window]]:
    """Places of figures and names: the words around, these masked -> the words as they stand.

    A figure is a word that starts with a digit. A name is up to four words in a row that start with
    a capital letter, none of which begins a sentence: there any word has a capital.
    """
    found: dict[Window, set[Window]] = {}
    for place, name in _names(text):
        found.setdefault(place, set()).add(name)
    padded = _padded(_said(text))
    for at in [at for at, word in enumerate(padded) if _is_figure(word)]:
        stated = tuple(padded[at - _AROUND : at + _AROUND + 1])
        place = tuple("#" if _is_figure(word) else word for word in stated)
        found.setdefault(place, set()).add(stated)
    return {place: frozenset(windows) for place, windows in found.items()}


def _names(text: str) -> Iterator[tuple[Window, Window]]:
    """The two words on each side of every name, and the name."""
    pieces: list[tuple[bool, Window]] = []
    begins = True
    for match in _WORD_OR_END.finditer(text):
        word = match.group()
        if not word[0].isalnum():
            begins = True
            continue
        is_name = word[0].isupper() and not begins
        if is_name and pieces and pieces[-1][0]:
            pieces[-1] = True, (*pieces[-1][1], word.casefold())
        else:
            pieces.append((is_name, (word.casefold(),)))
        begins = False
    edge = [(False, ("",))] * _AROUND
    padded = [*edge, *pieces, *edge]
    for at in range(_AROUND, len(padded) - _AROUND):
        is_name, name = padded[at]
        if is_name and len(name) <= _MOST_IN_NAME:
            around = [
                "@" if masked else plain[0]
                for masked, plain in padded[at - _AROUND : at + _AROUND + 1]
            ]
            yield tuple(around), name


@lru_cache(maxsize=_CACHED_TEXTS)
def _figures(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if _is_figure(word))


@lru_cache(maxsize=_CACHED_WORD_BY_WORD)
def _word_places(text: str) -> Mapping[Window, frozenset[str]]:
    """Three words on each side -> the stems of the words that stand between them.

    Figures are masked, as they are compared by themselves. Left out are function words that stand
    for each other, and places whose words around are hardly anything else.
    """
    masked = ["#" if _is_figure(word) else word for word in _said(text)]
    edge = [""] * _AROUND_WORD
    padded = [*edge, *masked, *edge]
    found: dict[Window, set[str]] = {}
    for at in range(_AROUND_WORD, len(padded) - _AROUND_WORD):
        word = padded[at]
        if word == "#" or word in _WEIGHTLESS:
            continue
        around = (*padded[at - _AROUND_WORD : at], *padded[at + 1 : at + 1 + _AROUND_WORD])
        if sum(1 for each in around if each and each not in _WEIGHTLESS) >= _MIN_TELLING:
            found.setdefault(around, set()).update(terms(word)[:1] or [word])
    return {place: frozenset(said) for place, said in found.items()}


@lru_cache(maxsize=_CACHED_WORD_BY_WORD)
def _negated(text: str) -> tuple[frozenset[Window], frozenset[Window]]:
    """Words around each negation, the negation left out; and all words that stand like that."""
    padded = _padded(_with_plain_nots(words(text)))
    inner = range(_AROUND, len(padded) - _AROUND)
    negated = {
        (*padded[at - _AROUND : at], *padded[at + 1 : at + 1 + _AROUND])
        for at in inner
        if padded[at] in _NEGATIONS
    }
    plain = {tuple(padded[at - _AROUND : at + _AROUND]) for at in (*inner, len(padded) - _AROUND)}
    return frozenset(negated), frozenset(plain)


def _with_plain_nots(found: list[str]) -> list[str]:
    """`isn't` and `cannot` as two words, so that they compare with `is` and `can`."""
    plain: list[str] = []
    for word in found:
        if word == "t" and plain and plain[-1].endswith("n"):
            stem = plain.pop()
            plain += [_BEFORE_NOT.get(stem, stem[:-1]), "not"]
        elif word == "cannot":
            plain += ["can", "not"]
        else:
            plain.append(word)
    return plain


def _said(text: str) -> list[str]:
    """Words, and the signs that say what a figure is of."""
    return words(text.translate(_SYMBOLS))


def _padded(found: list[str]) -> list[str]:
    edge = [""] * _AROUND
    return [*edge, *found, *edge]


def _is_figure(word: str) -> bool:
    return word[:1].isdigit()
