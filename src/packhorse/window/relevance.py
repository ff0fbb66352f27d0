"""How much each unit of a conversation matters to the user's last word, in parts that add up.

Recency alone is a strong guess, and mixing word overlap into it naively loses more than it gains:
most replies share no word with what they answer. What helps is who speaks to whom, and words that
are rare in the conversation; recency decides among the rest. Those weights are the log-odds of a
logistic regression on annotated reply threads, rounded; those of the user's own words, of values
and of length were chosen by hand. `bench/bench_history.py` measures them.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packhorse.text.analysis import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.window.speakers import Said, Talk

__all__ = ["NEW_VALUES", "Relevance", "relevances", "values_in"]

RECENCY = -0.2
"""Times the squared logarithm of the number of units back, 1 for the latest."""
SHARED_WORDS = 0.25
SHARED_WORDS_MOST = 3.0
"""Of the sum of inverse frequencies of the words shared with the last word of the user."""
SAME_SPEAKER = 2.5
FROM_PARTNER = 2.5
"""Times how much the asker talks with the speaker, 0 to 1."""
TO_ASKER = 1.0
TO_OTHERS = -0.7
ASKER_TO_OTHERS = -4.0
NOTICE = -5.0
"""What nobody said where everybody has a name: people who join and leave."""
USERS_OWN = 1.0
"""What the user said, where there are two sides: wishes stand there, answers repeat them."""
NEW_VALUES = 1.5
"""Times log(1 + numbers and names that no kept unit holds yet), where there are two sides."""
LENGTH = -0.3
"""Times the logarithm of the tokens: what is short leaves room for more."""

PARTNER_HALF_LIFE = 30
"""Units after which an address counts half."""
ADDRESSED_NOW = 0.3
"""What earlier partners count where the last word names its addressee."""

REMEMBERED = 8192
"""Texts of which words and values are remembered: the next request says most of them again."""

_WORD = re.compile(r"[^\W_]+(?:[:.'\u2019/-][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n]\s*)$")


class Relevance(NamedTuple):
    """The score of one unit without its new values, and what it is made of."""

    score: float
    """Log-odds up to a constant: higher is kept first."""
    parts: tuple[tuple[str, float], ...]


def relevances(talk: Talk, asked: int, costs: Sequence[int]) -> list[Relevance]:
    """The relevance of each unit to unit `asked`, rounded to six decimals.

    Args:
        talk: the conversation.
        asked: the unit with the user's last word.
        costs: tokens of each unit.

    Costs O(words).
    """
    said = talk.said
    words = [_terms_in(each.text) for each in said]
    weights = _rarity(words, asked)
    partners = _partners(said, asked) if talk.is_crowd else {}
    found = []
    for at, each in enumerate(said):
        shared = min(
            SHARED_WORDS_MOST,
            SHARED_WORDS * sum(weights[word] for word in sorted(words[at] & weights.keys())),
        )
        parts = [
            ("recency", RECENCY * math.log(max(1, len(said) - at)) ** 2),
            ("shared words", shared),
            *(
                _between(each, said[asked], partners)
                if talk.is_crowd
                else [("the user's own", USERS_OWN)] * (each.speaker == said[asked].speaker)
            ),
            ("length", LENGTH * math.log(max(1, costs[at]))),
        ]
        told = tuple((name, round(part, 6)) for name, part in parts if part)
        found.append(Relevance(round(math.fsum(part for _, part in told), 6), told))
    return found


@lru_cache(maxsize=REMEMBERED)
def values_in(text: str) -> frozenset[str]:
    """Numbers and names of a text: words with a digit, and capitals inside a sentence."""
    values = set()
    for match in _WORD.finditer(text):
        word = match.group()
        if any(map(str.isdigit, word)):
            values.add(word.casefold())
        elif len(word) > 1 and word[0].isupper():
            before = text[max(0, match.start() - 4) : match.start()]
            if not _SENTENCE_START.search(before):
                values.add(word.casefold())
    return frozenset(values)


@lru_cache(maxsize=REMEMBERED)
def _terms_in(text: str) -> frozenset[str]:
    return frozenset(query_terms(text)) if text.strip() else frozenset()


def _rarity(words: Sequence[frozenset[str]], asked: int) -> dict[str, float]:
    """Inverse frequency of each word of the question that another unit holds, as BM25 has it."""
    held: Counter[str] = Counter()
    for at, each in enumerate(words):
        if at != asked:
            held.update(each & words[asked])
    n = len(words) - 1
    return {word: math.log(1 + (n - k + 0.5) / (k + 0.5)) for word, k in held.items()}


def _partners(said: Sequence[Said], asked: int) -> dict[str, float]:
    """How much the asker talks with whom, 0 to 1: addresses both ways, later ones more."""
    asker, now = said[asked].speaker, said[asked].to
    weights: defaultdict[str, float] = defaultdict(float)
    for at in range(asked):
        decay = 0.5 ** ((asked - at) / PARTNER_HALF_LIFE)
        if said[at].speaker == asker and said[at].to:
            weights[said[at].to] += decay
        elif said[at].to == asker and asker:
            weights[said[at].speaker] += decay
    if now:
        weights = defaultdict(
            float, {who: ADDRESSED_NOW * weight for who, weight in weights.items()}
        )
        weights[now] += 1
    return {who: min(1.0, weight) for who, weight in weights.items()}


def _between(each: Said, asking: Said, partners: dict[str, float]) -> list[tuple[str, float]]:
    """Who speaks to whom, seen from the asker."""
    if not each.speaker:
        return [("a notice", NOTICE)]
    is_third = bool(each.to) and each.to != asking.speaker and partners.get(each.to, 0) < 0.1  # noqa: PLR2004
    if each.speaker == asking.speaker:
        return [("same speaker", SAME_SPEAKER), ("to others", ASKER_TO_OTHERS * is_third)]
    return [
        (f"talks with {each.speaker}", FROM_PARTNER * partners.get(each.speaker, 0.0)),
        ("to the asker", TO_ASKER * (each.to == asking.speaker)),
        ("to others", TO_OTHERS * is_third),
    ]
