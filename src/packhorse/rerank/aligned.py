"""Two texts word by word, side by side: the stretches in which they are not the same.

Word triples that stand once in each text are where they meet, as in a patience diff (Bram Cohen);
of these the longest chain in the same order is kept. Between two of its links stands what differs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from packhorse.text.shingles import word_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray

__all__ = ["Gap", "Wording", "gaps", "is_figure", "wording"]

_FIGURE = r"\d+(?:[.,:/]\d+)*[^\W_]*"
_MINUS = "(?:(?<![^\\s(])[-\u2212])?"
_RANGE = rf"{_MINUS}{_FIGURE}(?:(?:[ \t]*[-\u2010-\u2015][ \t]*|\s+to\s+){_FIGURE})*"
_CHARACTER = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_WORD = "[^\\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
_TOKEN = re.compile(
    rf"(?P<figure>{_RANGE})|(?P<word>{_CHARACTER}|{_WORD})|(?P<sign>[$\u20ac\u00a3\u00a5%])"
    r"|(?P<operator>(?<=\S )(?:[<>=!]=|[<>\u2264\u2265])(?= \S))"
    r"|(?P<end>[.!?\u3002]+)|(?P<mark>[:;\n|>\u00bb\u2022\u00b7]+)",
    re.IGNORECASE,
)
"""A decimal, a time, a date and a range of figures are one word each, with a minus before it."""

_SIGNS = {
    "$": "dollar",
    "\u20ac": "euro",
    "\u00a3": "pound",
    "\u00a5": "yen",
    "%": "percent",
}
_NOT = re.compile(r"['\u2019][tT]\b")
_BEFORE_NOT = {"can": "can", "won": "will", "shan": "shall"}
"""What stands before `not` in `can't`; elsewhere one letter less, `is` of `isn't`."""

_UNIT = re.compile(r"([-\d.,:/]*\d)(?!st$|nd$|rd$|th$)([^\W\d_]+)")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_DASH = re.compile(r"\s*[-\u2010-\u2015\u2212]\s*|\s+to\s+", re.IGNORECASE)

_PAGE_OF = r"page[ \t]+\d+[ \t]*(?:of|/)[ \t]*\d+"
_PAGE = rf"(?:{_PAGE_OF}|page[ \t]+\d+)"
_RIGHTS = (
    r"(?:copyright[ \t]*)?(?:\u00a9|\(c\)|copyright)[^\n.]{0,60}(?:\.?[ \t]*all rights reserved)?"
)
_MENU_ENTRY = r"[ \t]*[^\W\d_]+(?:[ \t&'-]+[^\W\d_]+){0,3}[ \t]*"
_MENU = rf"{_MENU_ENTRY}(?:[|\u00b7\u2022]{_MENU_ENTRY}){{3,}}"
_FURNITURE = re.compile(
    rf"\[\s*(?:\d{{1,3}}|edit|citation needed)\s*\]"
    rf"|^[^\w\n]*(?:{_PAGE}|{_RIGHTS})[^\w\n]*$|^{_MENU}$"
    rf"|\A\W*{_PAGE_OF}\b|\b{_PAGE_OF}\W*\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks of references, page numbers, notices of copyright and menus of four entries or more: they
say where a text stood and nothing of it."""

_TRIPLE = 3
_FEW = 4
"""Every so-manyth word of texts of the same length may differ for the others to be in place."""

_CACHED_TEXTS = 2_048
"""Texts whose words are held: some 20 kilobytes for 200 words."""

Stretch = tuple[int, int, int]
"""Where it starts in either text, and its words."""

_CACHED_PAIRS = 16
"""A pair is asked about in both directions, one after the other."""

NO_BREAK, MARK, SENTENCE_END = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wording:
    """The words of a text in order, as they are compared."""

    words: tuple[str, ...]
    """Case folded; signs of currency after their figure, `24 to 30` as `24-30`."""
    breaks: tuple[int, ...]
    """What stands before each word, and after the last: nothing, a mark, the end of a sentence."""
    names: tuple[bool, ...]
    """Whether each word has a capital that the beginning of a sentence does not explain."""
    hashes: IntArray
    """The words as numbers."""
    lone: IntArray
    """Word triples that stand once, as numbers, ascending."""
    lone_at: IntArray
    """Where each of them begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A stretch of each text, one of which may be empty, that the other has differently."""

    start: int
    end: int
    other_start: int
    other_end: int


def is_figure(word: str) -> bool:
    """Whether it starts with a digit, or with a minus."""
    return word[:1].isdigit() or word[:1] == "-"


@lru_cache(maxsize=_CACHED_TEXTS)
def wording(text: str) -> Wording:
    """The words of `text`, without page numbers and notices of copyright."""
    words: list[str] = []
    breaks: list[int] = []
    names: list[bool] = []
    pending, currency = MARK, ""
    said = _FURNITURE.sub(_left, text)
    for match in _TOKEN.finditer(said):
        kind, found = match.lastgroup, match.group()
        if kind in {"end", "mark"}:
            pending = max(pending, SENTENCE_END if kind == "end" else MARK)
            continue
        if kind == "sign" and found != "%":
            currency = _SIGNS[found]
            continue
        if words and words[-1].endswith("n") and _NOT.match(said, match.start() - 1):
            words[-1] = _BEFORE_NOT.get(words[-1], words[-1][:-1])
            found = "not"
        spoken = _spoken(found, kind, currency)
        is_name = kind == "word" and found[0].isupper() and pending == NO_BREAK
        words += spoken
        breaks += [pending, *[NO_BREAK] * (len(spoken) - 1)]
        names += [is_name, *[False] * (len(spoken) - 1)]
        pending = NO_BREAK
        currency = ""
    breaks.append(max(pending, MARK))
    hashes = np.fromiter(map(word_hash, words), dtype=np.uint64)
    lone, lone_at = _lone_triples(hashes)
    return Wording(
        words=tuple(words),
        breaks=tuple(breaks),
        names=tuple(names),
        hashes=hashes,
        lone=lone,
        lone_at=lone_at,
    )


def _left(furniture: re.Match[str]) -> str:
    """What stays of it: a mark stands within a sentence, the rest between two."""
    return " " if furniture.group().startswith("[") else "\n"


def _spoken(found: str, kind: str | None, currency: str) -> list[str]:
    """A word as it is compared; a figure, then what it is of."""
    if kind != "figure":
        word = _SIGNS.get(found, found.casefold())
        return ["can", "not"] if word == "cannot" else [word]
    plain = _GROUPED.sub(lambda match: match.group().replace(",", ""), found)
    plain = _DASH.sub("-", plain).casefold()
    unit = _UNIT.fullmatch(plain)
    return [*(unit.groups() if unit else [plain]), *filter(None, [currency])]


def _lone_triples(hashes: IntArray) -> tuple[IntArray, IntArray]:
    if hashes.size < _TRIPLE:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    factor = np.uint64(0x9E3779B97F4A7C15)
    triples = (hashes[:-2] * factor + hashes[1:-1]) * factor + hashes[2:]
    found, at, counts = np.unique(triples, return_index=True, return_counts=True)
    return found[counts == 1], at[counts == 1]


def gaps(one: Wording, other: Wording) -> Sequence[Gap]:
    """Where the texts differ, in order; the same for both, but for which is `one`.

    Cost: comparing the words once where the texts are the same but for one place, or of the same
    length; otherwise sorting the triples.
    """
    if other.words < one.words:
        return [
            Gap(
                start=gap.other_start,
                end=gap.other_end,
                other_start=gap.start,
                other_end=gap.end,
            )
            for gap in _gaps(other, one)
        ]
    return _gaps(one, other)


@lru_cache(maxsize=_CACHED_PAIRS)
def _gaps(one: Wording, other: Wording) -> tuple[Gap, ...]:
    found: list[Gap] = []
    here = there = 0
    for start, other_start, length in _shared(one, other):
        passed = max(here - start, there - other_start, 0)
        if passed and passed >= length:
            continue
        gap = _trimmed(one, other, (here, start + passed, there, other_start + passed))
        if gap.start < gap.end or gap.other_start < gap.other_end:
            found.append(gap)
        here, there = start + length, other_start + length
    return tuple(found)


def _shared(one: Wording, other: Wording) -> list[Stretch]:
    """Stretches that both have, in order in both; the last is the end of both."""
    n_words, n_others = len(one.words), len(other.words)
    start = _n_alike(one.hashes, other.hashes)
    tail = _n_alike(one.hashes[start:][::-1], other.hashes[start:][::-1])
    end, other_end = n_words - tail, n_others - tail
    if min(end, other_end) - start < _TRIPLE:
        middle: list[Stretch] = []
    else:
        middle = _in_place(one, other, start, end) if end == other_end else []
        middle = middle or _chained(one, other, start, (end, other_end))
    return [(0, 0, start), *middle, (end, other_end, tail)]


def _n_alike(hashes: IntArray, others: IntArray) -> int:
    """Words in a row, from the start, that are the same; fewer than three are chance."""
    length = min(hashes.size, others.size)
    differs = hashes[:length] != others[:length]
    first = int(differs.argmax()) if length else 0
    alike = first if length and differs[first] else length
    return alike if alike >= _TRIPLE else 0


def _in_place(one: Wording, other: Wording, start: int, end: int) -> list[Stretch]:
    """Stretches of texts of the same length, most words of which stand at the same places."""
    differing = np.flatnonzero(one.hashes[start:end] != other.hashes[start:end]) + start
    if differing.size * _FEW > end - start:
        return []
    edges = differing.tolist()
    return [
        (before + 1, before + 1, after - before - 1)
        for before, after in pairwise(edges)
        if after - before > _TRIPLE
    ]


def _chained(one: Wording, other: Wording, start: int, ends: tuple[int, int]) -> list[Stretch]:
    """The longest chain of triples that stand once in each text, from `start` to the `ends`."""
    inside = (one.lone_at >= start) & (one.lone_at <= ends[0] - _TRIPLE)
    other_inside = (other.lone_at >= start) & (other.lone_at <= ends[1] - _TRIPLE)
    _, mine, theirs = np.intersect1d(
        one.lone[inside], other.lone[other_inside], assume_unique=True, return_indices=True
    )
    starts, other_starts = one.lone_at[inside][mine], other.lone_at[other_inside][theirs]
    order = np.argsort(starts)
    starts, other_starts = starts[order], other_starts[order]
    if (other_starts[1:] < other_starts[:-1]).any():
        chain = _longest_ascending(other_starts.tolist())
        starts, other_starts = starts[chain], other_starts[chain]
    if not starts.size:
        return []
    jumps = (starts[1:] - starts[:-1] != 1) | (other_starts[1:] - other_starts[:-1] != 1)
    firsts = [0, *(np.flatnonzero(jumps) + 1).tolist()]
    return [
        (int(starts[first]), int(other_starts[first]), after - first + _TRIPLE - 1)
        for first, after in zip(firsts, [*firsts[1:], starts.size], strict=True)
    ]


def _longest_ascending(values: list[int]) -> list[int]:
    """Places of the longest ascending chain; of several, the one with the lowest last values."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at.append(place)
        else:
            ends[length], at[length] = value, place
    chain: list[int] = []
    place = at[-1]
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]


def _trimmed(one: Wording, other: Wording, span: tuple[int, int, int, int]) -> Gap:
    """The gap without what is the same next to words that are the same: not at edges of texts."""
    start, end, other_start, other_end = span
    words, others = one.words, other.words
    if start or other_start:
        while start < end and other_start < other_end and words[start] == others[other_start]:
            start, other_start = start + 1, other_start + 1
    if end < len(words) or other_end < len(others):
        while start < end and other_start < other_end and words[end - 1] == others[other_end - 1]:
            end, other_end = end - 1, other_end - 1
    return Gap(start=start, end=end, other_start=other_start, other_end=other_end)
