"""Search terms of a text: the one analysis that the index and every query share."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ANALYSIS_VERSION",
    "MAX_TERM_LENGTH",
    "content_terms",
    "has_spaceless_script",
    "query_terms",
    "terms",
]

ANALYSIS_VERSION = "1"
"""Part of an index's fingerprint: raise it whenever `terms` gives other terms for some text."""

MAX_TERM_LENGTH = 80
"""Longer terms (encoded blobs, rulers of letters) are cut to this many code points."""

# Scripts that are written without spaces between words: searched as character bigrams.
_SPACELESS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han, Kana
    "\U00020000-\U0003ffff"  # Han extensions
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edd\u1000-\u109f\u1780-\u17d3"  # Thai Lao Myanmar Khmer
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
# `re` counts combining marks as no part of a word, which would cut these scripts into pieces.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
_INDIC = "\u0900-\u0963\u0966-\u0dff\u0f18-\u0fbc"
_LETTER = f"(?:[^\\W_]|[{_MARKS}{_INDIC}])"

_TOKEN = re.compile(
    f"{_LETTER}+(?:[-_.,'\u2019\u2010\u2011@&]+{_LETTER}+)*(?:\\+\\+|#)?", re.UNICODE
)
_PLAIN = re.compile(r"[a-z]+")
_PART = re.compile(f"{_LETTER}+", re.UNICODE)
_RUNS = re.compile(f"[{_SPACELESS}]+|[{_HANGUL}]+|[^{_SPACELESS}{_HANGUL}]+")
_SPACELESS_RUN = re.compile(f"[{_SPACELESS}]")
_HANGUL_RUN = re.compile(f"[{_HANGUL}]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CONTRACTION = re.compile(r"[a-z]+'(?:s|t|d|m|re|ve|ll)")
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_INITIALS = re.compile(r"[a-z](?:\.[a-z])+")
_SEPARATORS = re.compile(r",+|-{2,}|\.{2,}")

_UNIFIED = str.maketrans({"\u2019": "'", "\u2010": "-", "\u2011": "-"})
# Latin letters that are distinct, not accented, in Unicode, and typed without their stroke.
_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})

# Snowball algorithm by the script of a word's first letter; other scripts stay as they are.
_STEMMED_SCRIPTS = (
    ("a", "z", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0620", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)

# Words that a question is built with, not about. They are in the index like any other.
_FUNCTION_WORDS = """
    a about am an and any are as at be been being but by can could did do does for from had has have
    how i if in into is it its me my no not of on or our shall should so than that the their them
    then there these they this those to was we were what when where which who whom whose why will
    with would you your
"""
_function_terms: frozenset[str] = frozenset()

_CACHE_LIMIT = 200_000
_stemmers: dict[str, Callable[[str], str]] = {}


def terms(text: str) -> list[str]:
    """Splits a text into search terms, in reading order, repeats included.

    Text is compatibility-normalised (NFKC) and case-folded. A word gives its Snowball stem
    (English for Latin letters, also Greek, Russian, Arabic and Hindi by script), with accents of
    Latin and Greek letters removed. An identifier gives itself and its parts: `BENCH-100821`,
    `snake_case`, `dotted.name`, `camelCase`; `C++` and `C#` keep their marks. Han, Kana and other
    scripts without spaces give character bigrams, one character alone gives itself; a Hangul word
    gives itself and its bigrams. Nothing is dropped as too common. Terms hold no white space.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    elif text.isalnum():
        return list(_known[text])  # one token, as most of what is asked for word by word
    return list(chain.from_iterable(map(_known.__getitem__, _TOKEN.findall(text))))


def query_terms(text: str) -> list[str]:
    """The terms of a question without English function words; all terms when nothing is left.

    In a small corpus "what" can be rarer than the word that is asked about.
    """
    return content_terms(text) or terms(text)


def content_terms(text: str) -> list[str]:
    """The terms of a text without English function words, even where nothing is left."""
    global _function_terms  # noqa: PLW0603 - computed once, on first use: it loads the stemmer
    if not _function_terms:
        _function_terms = frozenset(terms(_FUNCTION_WORDS))
    return [term for term in terms(text) if term not in _function_terms]


def has_spaceless_script(word: str) -> bool:
    """Whether a word holds a script that is written without spaces, so that it may be several."""
    return _SPACELESS_RUN.search(word) is not None


class _KnownTokens(dict[str, tuple[str, ...]]):
    """Terms by token, computed on first use."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        pieces = self[token] = tuple(term[:MAX_TERM_LENGTH] for term in _terms_of(token))
        return pieces


_known = _KnownTokens()


def _terms_of(token: str) -> list[str]:
    """Terms of one raw token: a word, or words that joining characters hold together."""
    folded = token.casefold()
    if _PLAIN.fullmatch(folded) and not _HUMP.search(token):
        return [_stem(folded)]
    folded = folded.translate(_UNIFIED)
    if _CONTRACTION.fullmatch(folded):
        return [_stem(folded)]
    if _GROUPED_NUMBER.fullmatch(folded):
        return [folded.replace(",", "")]
    if _INITIALS.fullmatch(folded):
        return [folded.replace(".", "")]
    if _SEPARATORS.search(folded):
        return [term for piece in _SEPARATORS.split(token) if piece for term in _terms_of(piece)]
    return _compound(token, folded)


def _compound(token: str, folded: str) -> list[str]:
    parts = [
        term
        for part in _PART.findall(token.translate(_UNIFIED))
        for hump in _HUMP.split(part)
        for term in _word(hump.casefold())
    ]
    whole = _fold_accents(folded)
    if _is_identifier(token, parts):
        parts.insert(0, whole)
    return parts


def _is_identifier(token: str, parts: list[str]) -> bool:
    """True when the whole says more than its parts: joined words, or a marked name like C++."""
    if _SPACELESS_RUN.search(token) or _HANGUL_RUN.search(token):
        return False
    return len(parts) > 1 or token.endswith(("++", "#"))


def _word(folded: str) -> list[str]:
    """Terms of letters and digits without joining characters."""
    if folded.isascii():
        return [_stem(folded)]
    found: list[str] = []
    for run in _RUNS.findall(folded):
        if _SPACELESS_RUN.match(run):
            found += _bigrams(run)
        elif _HANGUL_RUN.match(run):
            found += [run, *_bigrams(run)] if len(run) > 2 else [run]  # noqa: PLR2004 - bigram
        else:
            found.append(_stem(_fold_accents(run)))
    return found


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _fold_accents(word: str) -> str:
    """Removes accents from Latin and Greek letters; marks of other scripts carry meaning."""
    if word.isascii():
        return word
    kept: list[str] = []
    base = ""
    for character in unicodedata.normalize("NFD", word.translate(_STROKES)):
        if not unicodedata.combining(character):
            base = character
        elif "a" <= base <= "\u03ff":
            continue
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def _stem(word: str) -> str:
    for first, last, language in _STEMMED_SCRIPTS:
        if first <= word[0] <= last:
            return _stemmer(language)(word) or word
    return word


def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _stemmers:
        import Stemmer

        # `terms` caches per token, so the stemmer's own cache would only hold memory.
        _stemmers[language] = Stemmer.Stemmer(language, 0).stemWord
    return _stemmers[language]
