"""What must not get lost in a summary: numbers, names, decisions, what the user wants."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from packhorse.text.analysis import content_terms
from packhorse.window.relevance import values_in

__all__ = ["Facts", "facts_of", "holds", "numbers_in", "words_of"]

REMEMBERED = 8192
"""Sentences of which the facts are remembered: a summary that is extended holds most of them."""

SAME_DECISION = 0.5
"""Share of the words of a decision that a text must hold to tell it."""

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_UNIT = re.compile(r"[$\u20ac\u00a3]\s?\d|\d\s?(?:%|\u00b0|[a-z\u00b5]{1,12}\b)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[:.'\u2019/-][^\W_]+)*")
_DECISION = re.compile(
    r"\b(?:decid\w+|decision|agree[ds]?|agreed|settled? (?:on|for)|conclu\w+|confirm(?:ed|s)?"
    r"|approved?|chos(?:e|en)|go(?:ing)? with|went with|will|won't|shall|booked|scheduled"
    r"|deadline|due (?:on|by)|must|resolved|rejected|root cause|the (?:fix|answer|result) is)\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:i(?:'d| would)? (?:need|want|like|prefer)|we (?:need|want)|please|must(?:n't)?|should"
    r"|don't|do not|never|always|only|at (?:least|most)|no (?:more|later|less) than|without"
    r"|instead|prefer(?:ably)?|budget|requirements?|looking for|make sure)\b",
    re.IGNORECASE,
)


class Facts(NamedTuple):
    """What one sentence states."""

    values: frozenset[str]
    """Numbers and names, case folded, numbers without grouping."""
    has_unit: bool
    """Whether a number has a unit or a currency."""
    decides: bool
    """Whether it says what was decided, or what will be done."""
    wishes: bool
    """Whether it says what somebody wants; it counts where the user says it."""


@lru_cache(maxsize=REMEMBERED)
def facts_of(sentence: str) -> Facts:
    """The facts of a sentence, by its form alone. The words of decisions are English."""
    plain = sentence.replace("\u2019", "'")
    return Facts(
        values=values_in(_GROUPED.sub("", sentence)),
        has_unit=bool(_UNIT.search(plain)),
        decides=bool(_DECISION.search(plain)),
        wishes=bool(_WISH.search(plain)),
    )


def numbers_in(text: str) -> frozenset[str]:
    """Numbers of a text as they are written, without grouping."""
    return frozenset(_NUMBER.findall(_GROUPED.sub("", text)))


def words_of(text: str) -> frozenset[str]:
    """All words and numbers, case folded: where a fact is looked for."""
    return frozenset(
        match.group().casefold() for match in _WORD.finditer(_GROUPED.sub("", text))
    ) | numbers_in(text)


def holds(text: str, sentence: str) -> bool:
    """Whether a text tells the facts of a sentence: each value, and half a decision's words."""
    facts = facts_of(sentence)
    if not facts.values <= words_of(text):
        return False
    if not facts.decides:
        return True
    said = set(content_terms(sentence))
    return not said or len(said & set(content_terms(text))) >= SAME_DECISION * len(said)
