"""What in a question says that it takes more than one fact: counts of words and signs, each shown.

All but names are found without regard to capitals, so that a question typed in lower case is read
like one that is written with care. The word lists are English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CUES", "Found", "Question", "found_cues", "read_question"]

WORD = re.compile(r"[\w'\u2019-]+")
POSSESSIVE = re.compile(r"(?:['\u2019]s|s['\u2019])$")
CAPITAL = r"[A-Z0-9][\w'\u2019.-]*"
NAME = re.compile(rf"(?<!^)(?<![.?!] )\b{CAPITAL}(?: (?:of |the |de |van |and |& )?{CAPITAL})*")
QUOTED = re.compile(r'"[^"]{1,200}"|\u201c[^\u201d]{1,200}\u201d')
MOST_CHARACTERS = 4000
"""Of a question that are read: the rest of a longer one is text that it is about."""
NEAR = 2
"""Words behind a possessive among which the relation is: `Ann's older brother`."""
LONG_WORD = 4
WORDS = Path(__file__).parent / "data" / "cue_words.json"


_LISTS = {
    name: frozenset(word for line in lines for word in line.split())
    for name, lines in json.loads(WORDS.read_text("utf-8")).items()
}
FAMILY, ROLES, WORKS = (_LISTS[name] for name in ("family", "roles", "works"))
COMPARING, CLAUSES = (_LISTS[name] for name in ("comparing", "clauses"))
LINKS, DEEDS = (_LISTS[name] for name in ("links", "deeds"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart once."""

    text: str
    words: tuple[str, ...]
    """In order, in lower case."""
    bare: tuple[str, ...]
    """The same without possessive endings."""


@dataclass(frozen=True, slots=True)
class Found:
    """One kind of cue in a question."""

    name: str
    count: int
    """How often, up to the most that counts."""
    words: tuple[str, ...]
    """As they stand there, in lower case but for names; each once."""
    said: str
    """What it means, for the user."""


@dataclass(frozen=True, slots=True)
class _Cue:
    most: int
    """More of it says nothing more."""
    said: str
    find: Callable[[Question], Iterator[str]]


def read_question(text: str) -> Question:
    """The words of a question."""
    shown = text[:MOST_CHARACTERS]
    words = tuple(word.lower() for word in WORD.findall(shown))
    return Question(shown, words, tuple(POSSESSIVE.sub("", word) for word in words))


def found_cues(question: Question) -> list[Found]:
    """The cues that are in a question, in the order of `CUES`."""
    found = []
    for name, cue in CUES.items():
        words = list(cue.find(question))
        if words:
            said = tuple(dict.fromkeys(words))
            found.append(Found(name, min(len(words), cue.most), said, cue.said))
    return found


def _among(known: Collection[str]) -> Callable[[Question], Iterator[str]]:
    return lambda question: (word for word in question.words if word in known)


def _kinds(known: Collection[str]) -> Callable[[Question], Iterator[str]]:
    """Nouns of a list, singular or plural, each kind once."""

    def find(question: Question) -> Iterator[str]:
        return iter(dict.fromkeys(word for word in question.bare if _is_kind(word, known)))

    return find


def _is_kind(word: str, known: Collection[str]) -> bool:
    return word in known or (word.endswith("s") and word[:-1] in known)


def _clauses(question: Question) -> Iterator[str]:
    """Words that open a clause; the one that opens the question, or `in which`, is no clause."""
    opening = 2 if question.words and question.words[0] in LINKS else 1
    return (word for word in question.words[opening:] if word in CLAUSES)


def _deeds(question: Question) -> Iterator[str]:
    for word in question.words:
        if word in DEEDS or (word.endswith("ed") and len(word) > LONG_WORD):
            yield word


def _picks(question: Question) -> Iterator[str]:
    return (word for word in question.words[:2] if word == "which")


def _possessives(question: Question) -> Iterator[str]:
    pairs = zip(question.words, question.bare, strict=True)
    return (word for word, bare in pairs if word != bare and bare)


def _chains(question: Question) -> Iterator[str]:
    """A relation of something, or something of something of something; each form once."""
    words, bare = question.words, question.bare
    if words.count("of") > 1:
        yield "of ... of"
    for at, word in enumerate(words):
        following = bare[at + 1 : at + 1 + NEAR]
        related = [each for each in following if each in FAMILY or each in ROLES]
        if word != bare[at] and related:
            yield f"{word} {related[0]}"
            break
    for word, after in zip(bare, words[1:], strict=False):
        if after == "of" and (word in FAMILY or word in ROLES):
            yield f"{word} of"
            break


def _marks(question: Question) -> Iterator[str]:
    yield from QUOTED.findall(question.text)
    yield from "," * question.text.count(",")


def _more_names(question: Question) -> Iterator[str]:
    """Names behind the first: one name is what nearly every question is about."""
    yield from NAME.findall(question.text)[1:]


CUES: Mapping[str, _Cue] = {
    "choice": _Cue(1, "offers a choice", _among({"or"})),
    "comparison": _Cue(3, "compares", _among(COMPARING)),
    "pick": _Cue(1, "asks for one of a kind", _picks),
    "clauses": _Cue(3, "describes by a clause", _clauses),
    "deeds": _Cue(4, "describes by what was done", _deeds),
    "family": _Cue(2, "names a family relation", _kinds(FAMILY)),
    "roles": _Cue(4, "names a role", _kinds(ROLES)),
    "works": _Cue(2, "names a kind of work", _kinds(WORKS)),
    "chains": _Cue(3, "goes over a relation", _chains),
    "possessives": _Cue(2, "asks for something of something", _possessives),
    "links": _Cue(5, "links things", _among(LINKS)),
    "joins": _Cue(2, "joins things", _among({"and"})),
    "marks": _Cue(3, "sets things off", _marks),
    "names": _Cue(2, "names more than one thing", _more_names),
}
"""Every kind of cue; the points of each come from training."""
