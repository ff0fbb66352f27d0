"""A question to search with, made of the user's last word and what the conversation is about.

"How much is it there?" finds nothing by itself. No model takes part: the words that the latest
turns said most, and the last one does not, are put behind it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from packhorse.errors import InputError
from packhorse.text.analysis import content_terms, terms
from packhorse.types.rewritten import AddedWord, RewrittenQuery
from packhorse.window.conversation import read_conversation
from packhorse.window.last_word import summaries_in
from packhorse.window.summary.told import without_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.window.conversation import Request

__all__ = ["AddedWord", "RewrittenQuery", "rewrite_query"]

MOST_WORDS = 3
"""Words added. They weigh as much as the user's own in a search: more of them lead it away."""

SHORT = 4
"""A last word with at most so many different content words does not stand alone."""

DECAY = 0.6
"""Weight of a turn beside the one after it by the same side."""

ANSWERS = 0.5
"""Weight of a word in an answer beside one in a question."""

HORIZON = 12
"""Turns of each side that are looked at."""

COURTESIES = """
    hello hi hey greetings welcome bye goodbye thanks thank please sorry appreciate
    ok okay yes yeah yep nope sure alright maybe
    anything something nothing everything anybody anyone someone everyone thing things stuff
    want wants wanted need needs needed like know tell say said let get got give
    just really also too very
"""
"""Words that a talk is held with, not about, beside the function words that no search looks at.
They are neither counted nor added."""

_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|one"
    r"|ones|such|same|other|others|another|else|more|both|former|latter|so)\b",
    re.IGNORECASE,
)
_EDGES = "\"'`.,;:!?()[]{}<>*_\u201c\u201d\u2018\u2019\u2026"


class _Turn(NamedTuple):
    place: int
    text: str
    weight: float


def rewrite_query(messages: Request) -> RewrittenQuery:
    """The user's last word with the words that the conversation adds to it.

    Words are added where the last word points back ("it", "there", "others") or has at most four
    content words; a last word that stands alone stays as it is. Each word weighs by the turns that
    say it: those of the user 1, answers 0.5, times 0.6 for each turn back on that side. The three
    best go behind the question, ties in the order of the alphabet. Courtesies ("hello", "please",
    "anything") are no content words. Results of tools and instructions are not looked at. Costs
    O(words of the last twelve turns of each side).

    Args:
        messages: oldest first, in any provider's shape, or a request body.

    Raises:
        InputError: not a conversation, or the user says nothing in it.

    Example:
        >>> talk = [
        ...     {"role": "user", "content": "Where is the Sportspark?"},
        ...     {"role": "assistant", "content": "The Sportspark is on Roosevelt Island."},
        ...     {"role": "user", "content": "How much does it cost?"},
        ... ]
        >>> rewrite_query(talk).text
        'How much does it cost? Sportspark Island Roosevelt'
    """
    talk = read_conversation(messages)
    entries, asked = talk.entries, talk.last_word
    if asked is None:
        raise InputError(
            "The user says nothing", hint="Give the conversation with its last question"
        )
    last = entries[asked].text.strip()
    own = set(_subject_terms(last))
    points = _POINTING.search(last)
    if not points and len(own) > SHORT:
        said = f"stands alone: {len(own)} content words, and none that points back"
        return RewrittenQuery(text=last, last=last, added=(), reason=said)
    summaries = summaries_in(entries)
    turns = _weighed(
        [
            (at, entry.text, entry.is_users_word)
            if at not in summaries
            else (at, without_head(entry.text), False)
            for at, entry in enumerate(entries[:asked])
            if not entry.is_instruction and not entry.results
        ]
    )
    added = _best(turns, own)
    why = f"points back: {points.group()}" if points else f"short: {len(own)} content words"
    reason = why if added else f"{why}, but nothing earlier says more"
    return RewrittenQuery(
        text=" ".join([last, *(each.word for each in added)]).strip(),
        last=last,
        added=added,
        reason=reason,
    )


def _weighed(said: Sequence[tuple[int, str, bool]]) -> list[_Turn]:
    """The latest turns, newest first, with what a word in them weighs."""
    n_back = {True: 0, False: 0}
    turns = []
    for at, text, is_users in reversed(said):
        if n_back[is_users] < HORIZON and text:
            weight = DECAY ** n_back[is_users] * (1.0 if is_users else ANSWERS)
            turns.append(_Turn(at, text, weight))
            n_back[is_users] += 1
    return turns


def _best(turns: Sequence[_Turn], own: set[str]) -> tuple[AddedWord, ...]:
    weights: defaultdict[str, float] = defaultdict(float)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for turn in turns:
        for term in sorted(set(_subject_terms(turn.text)) - own):
            weights[term] += turn.weight
            places[term].append(turn.place)
    written = _written(turns)
    added: list[AddedWord] = []
    covered = set(own)
    for term in sorted(weights, key=lambda term: (-round(weights[term], 6), term)):
        if len(added) == MOST_WORDS:
            break
        if term in covered or term not in written:
            continue
        word = written[term]
        covered.update(content_terms(word))
        added.append(AddedWord(word, round(weights[term], 6), tuple(sorted(places[term]))))
    return tuple(added)


def _subject_terms(text: str) -> list[str]:
    """What a text is about: its terms without function words and courtesies."""
    courtesies = _courtesy_terms()
    return [term for term in content_terms(text) if term not in courtesies]


@cache
def _courtesy_terms() -> frozenset[str]:
    return frozenset(terms(COURTESIES))


def _written(turns: Sequence[_Turn]) -> dict[str, str]:
    """Each term as the latest turn writes it, the shortest word of several."""
    written: dict[str, str] = {}
    for turn in turns:
        here: dict[str, str] = {}
        for piece in turn.text.split():
            word = piece.strip(_EDGES)
            for term in content_terms(word):
                if term not in here or (len(word), word) < (len(here[term]), here[term]):
                    here[term] = word
        written = {**here, **written}
    return written
