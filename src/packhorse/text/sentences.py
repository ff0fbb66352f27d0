"""Sentences of a text with their offsets: deterministic, and without a model."""

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Sentence", "sentences"]

WRAPPED_LINE = 50
"""A line of at least this many code points, without an end mark, was wrapped and goes on."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER_FINAL = _words(
    "mr mrs ms dr prof rev hon gen col capt lt sgt gov sen rep st mt ft no nos sec secs art arts"
    " ch fig figs eq vol p pp para pt cf vs v e.g i.e viz ca approx est al reg regs pub"
)
"""Abbreviations that something always follows."""
_SOMETIMES_FINAL = _words("inc ltd co corp jr sr etc dept u.s u.k u.n e.u a.m p.m ph.d")
"""Abbreviations that end a sentence when a word that opens one follows."""
_MONTHS = _words("jan feb mar apr jun jul aug sep sept oct nov dec")
_OPENERS = _words(
    "the a an this that these those it its in on at for if when while as he she they we you i"
    " his her their our your there here however but and so to from under no not all any each both"
)

# The ideographic and the full-width end marks, and the brackets and quotes that may follow one.
_WIDE_END = "\u3002\uff01\uff1f\uff61"
_WIDE_CLOSER = "\u300d\u300f\uff09\u201d\u2019\u300b"
_END = re.compile(
    r"""(?<![.!?\u2026])[.!?\u2026]++["'\u2019\u201d\u00bb)\]*_]*+(?=\s|$)"""
    rf"|[{_WIDE_END}]++[{_WIDE_CLOSER}]*+"
    r"|\n"
)
_STRUCTURE = re.compile(
    r"[ \t]*+(?:[-*+\u2022\u2023\u25e6\u2013\u2014][ \t]|\(?[0-9]{1,3}[.)][ \t]"
    r"|\(?[a-zA-Z][.)][ \t]|\#{1,6}[ \t]|>|\||```|~~~)"
)
"""Start of a line that is a list item, heading, quotation, table row or code fence."""
_HEADING = re.compile(r"[ \t]*+(?:\#{1,6}[ \t]|\|)")
_NEXT_WORD = re.compile(r"\s*+[\"'\u2018\u201c(\[*_]*+(\w*)")
_TERMINAL = frozenset(".!?\u2026:;" + _WIDE_END)
_LAST_WORD = 20


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of a text; `text` is `whole[start:end]`, without space at its ends."""

    text: str
    start: int
    """Offset in code points."""
    end: int


@lru_cache(maxsize=4_096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Splits a text into sentences, in order, not overlapping; all but white space is in one.

    A sentence ends at `.`, `!`, `?` or an ellipsis before white space, unless an abbreviation, an
    initial or a small letter speaks against it; at the full stops of Chinese and Japanese; at a
    blank line; before a list item, heading, quotation or table row; and at the end of a line too
    short to have been wrapped. Linear in the length of the text.
    """
    found: list[Sentence] = []
    start = 0
    for mark in _END.finditer(text):
        end = mark.end()
        ends = _line_ends(text, start, mark.start()) if mark.group() == "\n" else True
        if ends and mark.group()[0] in ".!?\u2026":
            ends = _stops(text, start, mark)
        if ends:
            _add(found, text, start, end)
            start = end
    _add(found, text, start, len(text))
    return tuple(found)


def _add(found: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        offset = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(text=stripped, start=offset, end=offset + len(stripped)))


def _line_ends(text: str, start: int, newline: int) -> bool:
    """Whether a line break also ends the sentence that began at `start`."""
    following = text[newline + 1 : newline + 2]
    if following in {"", "\n"} or _STRUCTURE.match(text, newline + 1):
        return True
    line_start = max(start, text.rfind("\n", 0, newline) + 1)
    if _HEADING.match(text, line_start):
        return True
    line = text[line_start:newline].strip()
    if not line or line[-1] in _TERMINAL:
        return True
    word = _NEXT_WORD.match(text, newline + 1)
    goes_on = word is not None and word.group(1)[:1].islower()
    return not goes_on and len(line) < WRAPPED_LINE


def _stops(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether an end mark before white space ends the sentence."""
    word_after = _NEXT_WORD.match(text, mark.end())
    after = word_after.group(1) if word_after else ""
    if after[:1].islower() and "\n" not in text[mark.end() : mark.end() + 2]:
        return False
    if mark.group() != "." or not after:
        return True
    before = text[max(start, mark.start() - _LAST_WORD) : mark.start()].split()
    word = before[-1].lstrip("([\"'\u2018\u201c*_") if before else ""
    return _ends_after(word, after, alone=len(before) == 1)


def _ends_after(word: str, after: str, *, alone: bool) -> bool:
    """Whether a full stop between `word` and `after` ends a sentence, and not only a word."""
    folded = word.casefold()
    if folded in _MONTHS:
        return not after[:1].isdigit()
    if folded in _SOMETIMES_FINAL or _is_initial(word):
        return after.casefold() in _OPENERS
    return folded not in _NEVER_FINAL and not (alone and _is_list_number(word))


def _is_initial(word: str) -> bool:
    """`J` or `U.S`: a capital, or letters with stops between them."""
    if len(word) == 1:
        return word.isupper()
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts)


def _is_list_number(word: str) -> bool:
    """`1` of an item `1. First`."""
    return word.isdigit() and len(word) <= 3  # noqa: PLR2004 - as in `_STRUCTURE`
