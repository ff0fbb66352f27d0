"""What a text offers of a topic: the words of its name, and the terms that the operator lists.

Strength is on a declared scale, 0..1. Each piece of evidence takes its share of the doubt that is
left, 1 - strength = product of (1 - share), and the shares are

    words of the name in the text    0.5 times the share of them that is there, from one half on
    a listed term in the text        0.5 each
    either of them in the header     0.8: what stands in a heading is what the passage is about

So one term alone shows that a topic is spoken of (partial), three of them or a heading that it is
treated. Words are compared as search terms; a phrase has to stand word after word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.text.negation import NEGATIONS
from packhorse.text.sentences import sentences
from packhorse.types.topics import TopicMention

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["HEADER_SHARE", "TERM_SHARE", "TopicWords", "mentions_of", "topic_key"]

TERM_SHARE = 0.5
"""Doubt that one piece of evidence in the text takes away."""

HEADER_SHARE = 0.8
"""Doubt that one piece of evidence in the header takes away."""

_SMALL_WORDS = frozenset(("a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "with"))
_DECIMALS = 6


def topic_key(topic: str) -> str:
    """`home_office`, `Home Office` and `home-office` are one topic."""
    return " ".join(topic.casefold().replace("_", " ").replace("-", " ").split())


@dataclass(frozen=True, slots=True)
class _Part:
    """A header or a text, ready to be searched."""

    text: str
    line: str
    """Its search terms, each between spaces; terms hold no space themselves."""


class TopicWords:
    """The words by which one topic is known.

    Args:
        topic: its name.
        listed: words and phrases that the operator lists for it; those without a letter or a
            digit, and repeats of one stem, count for nothing.
    """

    def __init__(self, topic: str, listed: Iterable[str] = ()) -> None:
        self.topic = topic
        words = dict.fromkeys(topic_key(topic).split())
        name = {word: frozenset(terms(word)) for word in words if word not in _SMALL_WORDS}
        self._name = {word: held for word, held in name.items() if held}
        self._denials = frozenset(word for word, held in self._name.items() if held & NEGATIONS)
        own = " ".join(terms(topic_key(topic)))
        phrases: dict[str, str] = {}
        for phrase in listed:
            found = " ".join(terms(phrase))
            if found and found != own:
                phrases.setdefault(found, phrase)
        self._phrases = {phrase: found for found, phrase in phrases.items()}

    def mention(self, header: _Part, text: _Part) -> TopicMention | None:
        """What one passage offers; None for nothing."""
        doubt = 1.0
        words: list[str] = []
        in_header = self._name_in(header)
        if in_header and len(in_header) == len(self._name):
            doubt *= 1 - HEADER_SHARE
            words += in_header
        else:
            in_text = self._name_in(text)
            if in_text:
                doubt *= 1 - TERM_SHARE * len(in_text) / len(self._name)
                words += in_text
        for phrase, found in self._phrases.items():
            if f" {found} " in header.line:
                doubt *= 1 - HEADER_SHARE
            elif f" {found} " in text.line:
                doubt *= 1 - TERM_SHARE
            else:
                continue
            words.append(phrase)
        if not words:
            return None
        strength = round(1.0 - doubt, _DECIMALS)
        return TopicMention(topic=self.topic, strength=strength, words=tuple(dict.fromkeys(words)))

    def _name_in(self, part: _Part) -> tuple[str, ...]:
        """The words of the name that a part holds, in their order; less than half are none.

        A topic with a negation is only spoken of where a negation stands in the same sentence.
        """
        lines = [part.line]
        if self._denials:
            lines = [_line(sentence.text) for sentence in sentences(part.text)]
        best: tuple[str, ...] = ()
        for line in lines:
            held = frozenset(line.split())
            if self._denials and held.isdisjoint(NEGATIONS):
                continue
            words = tuple(
                word for word, stems in self._name.items() if word in self._denials or stems <= held
            )
            if len(words) > len(best) and not self._denials.issuperset(words):
                best = words
        return best if 2 * len(best) >= len(self._name) else ()


def mentions_of(
    chunks: Iterable[Chunk], topics: Sequence[str], listed: Mapping[str, Sequence[str]]
) -> dict[str, tuple[TopicMention, ...]]:
    """What each chunk without tags offers of `topics`, by its text.

    Chunks that offer nothing and chunks with tags are left out.

    Args:
        chunks: to look at.
        topics: required ones, sorted.
        listed: topic key -> the operator's terms.
    """
    words = [TopicWords(topic, listed.get(topic_key(topic), ())) for topic in topics]
    found: dict[str, tuple[TopicMention, ...]] = {}
    for chunk in chunks:
        if chunk.topic_tags or not words:
            continue
        header, text = (_Part(part, _line(part)) for part in (chunk.header, chunk.text))
        offered = [each.mention(header, text) for each in words]
        mentions = tuple(mention for mention in offered if mention is not None)
        if mentions:
            found[chunk.chunk_id] = mentions
    return found


def _line(text: str) -> str:
    return f" {' '.join(terms(text))} " if text else " "
