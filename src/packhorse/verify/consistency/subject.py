"""What two statements are about, and whether that may be one thing.

A sentence does not say it all: `The season has 12 episodes` is about the thing that the heading,
the title or the first sentence of its text names. Two texts with other titles speak of other
things, and two editions of a thing (`Deadpool`, `Deadpool 2`) are two things.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from packhorse.verify.consistency.align import Parallel
    from packhorse.verify.consistency.statements import Facts, Statement

__all__ = ["Subject", "explained_by_titles", "leans_on_its_text", "same_subject", "title_words"]

_PRONOUNS = frozenset(
    ["it", "he", "she", "they", "we", "its", "his", "her", "their", "this", "these", "those"]
)
_POINTING = frozenset(("the", "this", "that", "each"))
_ROLE_WORDS = """
    season film movie album series show book novel song single episode town city village township
    county district state country company team club band group school college university building
    house church museum park bridge station airport population game programme program tournament
    event race match election party war battle character player actor actress singer author artist
    river lake island species record story play festival hospital library office agency department
    organization organisation project system version release edition model ship aircraft squadron
    division regiment center centre first second third fourth fifth sixth seventh eighth ninth tenth
    final last following next previous current new title two other same main site page category
"""
_ROLES = frozenset(_ROLE_WORDS.split())
"""What `the ...` says of something that was named before."""
_PLACING = frozenset(
    [
        "in",
        "at",
        "as",
        "on",
        "by",
        "during",
        "after",
        "before",
        "from",
        "since",
        "for",
        "with",
        "to",
        "of",
    ]
)
_WORD = re.compile(r"[A-Za-z']+")
_OPENING = 5
"""Words within which a sentence's subject stands."""
_LOOK = 80
_IGNORED = frozenset(terms("a an the of in on and for to"))


class Subject(Enum):
    """How the subjects of two statements relate."""

    SAME = "same"
    """Both texts name it."""
    UNKNOWN = "unknown"
    """Nothing speaks against one subject."""
    OTHER = "other"


@lru_cache(maxsize=4_096)
def title_words(header: str) -> frozenset[str]:
    """Search terms of a header, the title with the headings below it.

    The nearest heading alone would not do: every manual has an `Installation`.
    """
    return frozenset(terms(header)) - _IGNORED


def leans_on_its_text(statement: Statement) -> bool:
    """Whether a sentence names its subject by a pronoun or a role alone: `it`, `the album`."""
    found = _WORD.findall(statement.sentence.text[:_LOOK])[:_OPENING]
    words = [word.casefold().removesuffix("'s") for word in found]
    if not words:
        return True
    if words[0] in _POINTING and words[1:2] and words[1] in _ROLES:
        return True
    return words[0] in _PRONOUNS or any(word in {"he", "she", "it", "they"} for word in words[1:])


def same_subject(facts_a: Facts, facts_b: Facts, a: Statement, b: Statement) -> Subject:
    """Whether two statements may be about the same thing.

    Titles decide where both texts have one: the same title, or one within the other. Titles that
    differ in a number are editions. Under other titles, only sentences that name their subject
    themselves, and the same, are compared. Without titles, the names that the texts open with
    decide: other names are other things, unless the shorter name shares half of its words and
    the statements have a name in common. Opening sentences are compared name and all.
    """
    if facts_a.title and facts_b.title:
        return _under_titles(facts_a.title, facts_b.title, a, b)
    name_a, name_b = facts_a.subject, facts_b.subject
    common = name_a & name_b
    if common and _numbers(name_a) != _numbers(name_b):
        return Subject.OTHER
    if common and common in (name_a, name_b):
        return Subject.SAME
    leads = a is facts_a.lead and b is facts_b.lead
    if leads or not name_a or not name_b:
        return Subject.UNKNOWN
    leaning = leans_on_its_text(a) or leans_on_its_text(b)
    near = bool(a.names & b.names) and 2 * len(common) >= min(len(name_a), len(name_b))
    return Subject.UNKNOWN if near and not leaning else Subject.OTHER


def _under_titles(
    title_a: frozenset[str], title_b: frozenset[str], a: Statement, b: Statement
) -> Subject:
    if title_a == title_b:
        return Subject.SAME
    if title_a & title_b and _numbers(title_a) != _numbers(title_b):
        return Subject.OTHER
    if title_a < title_b or title_b < title_a:
        return Subject.UNKNOWN
    if leans_on_its_text(a) or leans_on_its_text(b) or a.tokens[0].key != b.tokens[0].key:
        return Subject.OTHER
    if _opening_name(a) != _opening_name(b):
        return Subject.OTHER
    named = a.names & b.names or not (_is_placed(a) or _is_placed(b))
    return Subject.UNKNOWN if named else Subject.OTHER


def _opening_name(statement: Statement) -> tuple[str, ...]:
    """The first word and the names that follow it: `Maria Annunciata`."""
    text, offset = statement.sentence.text, statement.sentence.start
    first, *rest = statement.tokens
    name, end = [first.key], first.end
    for token in rest:
        if not token.is_name or text[end - offset : token.start - offset].strip(" -"):
            break
        name.append(token.key)
        end = token.end
    return tuple(name)


def explained_by_titles(facts_a: Facts, facts_b: Facts, parallel: Parallel) -> bool:
    """Whether the titles of two texts already differ by a word that the statements differ in."""
    if not (facts_a.title and facts_b.title):
        return False
    only_a, only_b = facts_a.title - facts_b.title, facts_b.title - facts_a.title
    return any(
        any(token.key in only_a for token in one) or any(token.key in only_b for token in other)
        for one, other in parallel.apart
    )


def _is_placed(statement: Statement) -> bool:
    """Whether it opens with a place, time or condition, so that its subject comes later."""
    return statement.sentence.text.partition(" ")[0].casefold() in _PLACING


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(letter.isdigit() for letter in word))
