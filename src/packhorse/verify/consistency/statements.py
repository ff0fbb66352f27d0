"""Statements of a text: each sentence as the words that carry its meaning, and its values."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.text.negation import NEGATIONS
from packhorse.text.sentences import Sentence, sentences
from packhorse.verify.consistency.quantities import Quantity, quantities
from packhorse.verify.consistency.unstated import ends_like_prose, states_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LIMIT_NOUNS", "MAX_TOKENS", "Facts", "Statement", "Token", "facts_of"]

MAX_TOKENS = 60
"""Sentences with more tokens are lists or tables and state nothing that can be compared."""

OPENING = 3
"""Tokens within which a sentence names its subject."""

_SMALL_WORDS = """
    a an the of is are was were be been being am it its this that these those and or in on at to
    for with by as from into onto than then so do does did has have had having will would can could
    may might shall should must he she they we you i his her their our your him them us who whom
    which what there here also such any some each per s t within up about approximately around
    roughly nearly da de van von der la le du di del el al
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_LIMIT_WORDS = "window period deadline limit term time length duration cap"
LIMIT_NOUNS = frozenset(term for word in _LIMIT_WORDS.split() for term in terms(word))
"""Nouns that only say that the value is a limit: `the refund window is 30 days`."""
_EXAMPLE = re.compile(
    r"\W*(?:for (?:example|instance)|e\.g\.|examples?\b|suppose|assum(?:e|ing)\b|imagine)",
    re.IGNORECASE,
)
_DEFINED = re.compile(r" (?:is|was|are|were) (?:an?|the|one)\b| \(|, ")
_JOINED = re.compile(r"[\s-]")
_HEADING_OR_PROMPT = re.compile(r"#{1,6}\s|>>> ")
_ITEM_NUMBER = re.compile(r"\(?\d{1,3}[.)]\s+")
"""What counts the items of a list is no value of theirs."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Token:
    """A word that carries meaning, or a value."""

    key: str
    """Search term of a word; `#kind` of a value, whatever it amounts to."""
    start: int
    """Offset in the text, in code points."""
    end: int
    is_name: bool = False
    """Written with a capital inside a sentence."""
    quantity: Quantity | None = None

    @property
    def is_negation(self) -> bool:
        """Whether the word denies what it stands with."""
        return self.key in NEGATIONS


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, taken apart."""

    sentence: Sentence
    tokens: tuple[Token, ...]
    """In reading order; small words are left out."""
    stems: frozenset[str]
    """Keys of the words, without negations and nouns that only name a limit."""
    kinds: frozenset[str]
    """Kinds of the values."""

    @property
    def names(self) -> frozenset[str]:
        """Keys of the names in it."""
        return frozenset(token.key for token in self.tokens if token.is_name)

    @property
    def is_prose(self) -> bool:
        """Whether it ends like a sentence, and is no heading, table row or list item."""
        return ends_like_prose(self.sentence.text)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text states, and what it is about."""

    statements: tuple[Statement, ...]
    subject: frozenset[str]
    """The name that the first sentence of prose opens with, word by word; empty without one."""
    lead: Statement | None
    """That first sentence."""
    title: frozenset[str] = frozenset()
    """Words of the heading or title that the text stands under; empty without one."""


@lru_cache(maxsize=2_048)
def facts_of(text: str) -> Facts:
    """The statements of a text, in order.

    Questions, examples, headings, code, commands and rows of cells state nothing. A long list is no
    statement. Sentences that differ from one another in their values alone are rows of a table, and
    what tells the rows apart stands elsewhere.
    """
    code = _code(text)
    found = [
        each
        for sentence in sentences(text)
        if not any(start <= sentence.start < end for start, end in code)
        and not states_nothing(text, sentence)
        and (each := _statement(sentence)) is not None
    ]
    frames = Counter(_frame(each) for each in found)
    lead = next((each for each in found if each.is_prose), None)
    subject = frozenset(_first_name(lead, text)) if lead else frozenset()
    single = tuple(each for each in found if frames[_frame(each)] == 1)
    return Facts(single, subject, lead)


def _code(text: str) -> list[tuple[int, int]]:
    """Spans between code fences.

    Of a fence that is alone in the text, the other one stands in another chunk: it closes what
    came before when it follows a line of it directly, and else opens what comes.
    """
    fences = [(found.start(), found.end()) for found in _FENCE.finditer(text)]
    if len(fences) % 2:
        start = fences[0][0]
        closes = start > 0 and not text[:start].endswith("\n\n")
        fences = [(0, 0), *fences] if closes else [*fences, (len(text), len(text))]
    return [(start, end) for (start, _), (_, end) in zip(fences[::2], fences[1::2], strict=True)]


def _first_name(lead: Statement, text: str) -> Iterator[str]:
    """The words of the first name, with a number or year that stands in it (the 1964 Games)."""
    begun = False
    end = 0
    for place, token in enumerate(lead.tokens):
        belongs = token.is_name or (
            token.quantity is not None
            and token.quantity.kind in {"number", "date"}
            and token.quantity.bound != "min"
        )
        if place == 0 and _DEFINED.match(text, token.end):
            belongs = True
        if begun and (not belongs or not _JOINED.fullmatch(text, end, token.start)):
            return
        if not begun and place >= OPENING:
            return
        if belongs and (begun or token.is_name or place == 0):
            begun = True
            yield token.key if token.quantity is None else text[token.start : token.end]
        end = token.end


def _statement(sentence: Sentence) -> Statement | None:
    said = sentence.text
    if said.endswith("?") or _EXAMPLE.match(said) or _HEADING_OR_PROMPT.match(said):
        return None
    tokens = tuple(_tokens(sentence))
    words = frozenset(token.key for token in tokens if token.quantity is None)
    kinds = frozenset(token.quantity.kind for token in tokens if token.quantity is not None)
    stems = words - NEGATIONS - LIMIT_NOUNS
    return (
        Statement(sentence, tokens, stems, kinds) if stems and len(tokens) <= MAX_TOKENS else None
    )


def _frame(statement: Statement) -> tuple[str, ...]:
    return tuple(token.key for token in statement.tokens)


def _tokens(sentence: Sentence) -> Iterator[Token]:
    text, offset = sentence.text, sentence.start
    number = _ITEM_NUMBER.match(text)
    position = number.end() if number else 0
    for quantity in quantities(text):
        if quantity.start < position:
            continue
        yield from _words(text, position, quantity.start, offset)
        start, end = quantity.start + offset, quantity.end + offset
        yield Token(f"#{quantity.kind}", start, end, quantity=quantity)
        position = quantity.end
    yield from _words(text, position, len(text), offset)


def _words(text: str, start: int, end: int, offset: int) -> Iterator[Token]:
    for match in _WORD.finditer(text, start, end):
        word = match.group()
        if word.casefold() in _SMALL:
            continue
        key = (terms(word) or [word.casefold()])[0]
        is_name = word[0].isupper() and (
            match.start() > 0 or text[match.end() + 1 : match.end() + 2].isupper()
        )
        yield Token(key, match.start() + offset, match.end() + offset, is_name=is_name)
