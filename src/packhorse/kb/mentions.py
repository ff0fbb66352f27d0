"""Which chunk mentions which other chunk's name, and how strongly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.protocols import Reference
from packhorse.text.analysis import query_terms, terms
from packhorse.text.names import WEIGHT_TITLE, names_of, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from packhorse.kb.bm25 import Bm25Index
    from packhorse.text.names import Name, Word
    from packhorse.types.chunk import Chunk

__all__ = ["Mentions"]

_COMMON_SHARE = 0.05
"""A name mentioned in this share of the chunks says nothing."""
_RARE_WORD = 0.6
"""A name needs a word of this share of the highest idf to count in full."""
_UNMARKED = 0.4
"""What is left of a name of one word without a capital."""
_CROWD = 0.3
"""A chunk with n names gives each of them n ** -0.3."""
_NEAR_SHARE = 0.4
"""How much of a mention depends on standing near words of the question."""
_NEAR_WORDS = 8.0
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class _Mention:
    key: tuple[str, ...]
    called: tuple[tuple[str, float], ...]
    """(chunk id, weight of the name), by chunk id."""
    at: int
    written: str
    capital: bool


@dataclass(frozen=True, slots=True)
class _Named:
    """One name in one text, wherever it stands there."""

    called: tuple[tuple[str, float], ...]
    weight: float
    places: tuple[int, ...]
    n_words: int
    written: str


class Mentions:
    """The names of some chunks, and where their texts hold them."""

    def __init__(self, chunks: Sequence[Chunk], lexical: Bm25Index) -> None:
        self._n = len(chunks)
        self._lexical = lexical
        self._called: dict[tuple[str, ...], dict[str, Name]] = defaultdict(dict)
        for chunk in chunks:
            for name in names_of(chunk.header, chunk.text):
                self._called[name.key][chunk.chunk_id] = name
        lengths: dict[str, set[int]] = defaultdict(set)
        for key in self._called:
            lengths[key[0]].add(len(key))
        self._lengths = {first: sorted(some, reverse=True) for first, some in lengths.items()}
        self._n_mentioning = Counter(
            key
            for chunk in chunks
            for key in {each.key for each in self._mentions(chunk.text, words_of(chunk.text))}
        )

    def named(self, text: str) -> tuple[Reference, ...]:
        """What a question names."""
        found = self._named(self._mentions(text, words_of(text)), None)
        return _strongest([(each, each.weight) for each in found])

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        """What each chunk mentions."""
        asked = {term for term in query_terms(text) if self._lexical.rows_with(term)}
        return tuple(
            self._of_chunk(chunk, asked.difference(terms(chunk.header))) for chunk in chunks
        )

    def _of_chunk(self, chunk: Chunk, asked: Collection[str]) -> tuple[Reference, ...]:
        words = words_of(chunk.text)
        found = self._named(self._mentions(chunk.text, words), chunk.chunk_id)
        if not found:
            return ()
        nearness = self._nearness(words, found, asked)
        crowd = len(found) ** -_CROWD
        return _strongest(
            [
                (each, each.weight * crowd * (1 - _NEAR_SHARE + _NEAR_SHARE * near))
                for each, near in zip(found, nearness, strict=True)
            ]
        )

    def _mentions(self, text: str, words: Sequence[Word]) -> list[_Mention]:
        """Every mention in reading order; at each place the longest name, and none inside it."""
        found: list[_Mention] = []
        at = 0
        while at < len(words):
            here = self._at(text, words, at)
            at += len(here.key) if here else 1
            if here:
                found.append(here)
        return found

    def _at(self, text: str, words: Sequence[Word], at: int) -> _Mention | None:
        for length in self._lengths.get(words[at].term, ()):
            here = words[at : at + length]
            key = tuple(word.term for word in here)
            called = tuple(
                (chunk_id, name.weight)
                for chunk_id, name in sorted(self._called.get(key, {}).items())
                if _is_written_so(here, name)
            )
            if called:
                written = " ".join(text[here[0].start : here[-1].end].split())
                return _Mention(key, called, at, written, here[0].capital and here[-1].capital)
        return None

    def _named(self, mentions: Sequence[_Mention], chunk_id: str | None) -> list[_Named]:
        """Mentions by name, in the order of the first; none of the chunk's own names."""
        by_name: dict[tuple[tuple[str, ...], tuple[tuple[str, float], ...]], list[_Mention]] = {}
        marked: dict[tuple[str, ...], bool] = {}
        for mention in mentions:
            if any(target == chunk_id for target, _ in mention.called):
                continue
            by_name.setdefault((mention.key, mention.called), []).append(mention)
            marked[mention.key] = marked.get(mention.key, False) or mention.capital
        found = []
        for (key, called), held in by_name.items():
            weight = self._rarity(key) / math.sqrt(len(called))
            if len(key) == 1 and not marked[key]:
                weight *= _UNMARKED
            if weight > 0:
                places = tuple(each.at for each in held)
                found.append(_Named(called, weight, places, len(key), held[0].written))
        return found

    def _rarity(self, key: tuple[str, ...]) -> float:
        """0..1: how much a name says, by how many chunks hold it and by its rarest word."""
        common = max(3.0, self._n * _COMMON_SHARE)
        held = 1 - math.log(max(1, self._n_mentioning[key])) / math.log(common)
        rarest = max(self._lexical.idf(term) for term in key) / math.log(max(self._n, 2))
        return max(0.0, held) * min(1.0, rarest / _RARE_WORD)

    def _nearness(
        self, words: Sequence[Word], found: Sequence[_Named], asked: Collection[str]
    ) -> list[float]:
        """0..1 for each name, 1 for the nearest to words of the question.

            near(m) = sum over asked terms t in the chunk of  idf(t) * exp(-distance(m, t) / 8)

        over the highest in the chunk; 1 for all where the chunk holds no asked term.
        """
        places: dict[str, list[int]] = {}
        for at, word in enumerate(words):
            if word.term in asked:
                places.setdefault(word.term, []).append(at)
        if not places:
            return [1.0] * len(found)
        near = [
            sum(
                self._lexical.idf(term) * math.exp(-_distance(each, held) / _NEAR_WORDS)
                for term, held in sorted(places.items())
            )
            for each in found
        ]
        most = max(near)
        return [each / most for each in near]


def _is_written_so(here: Sequence[Word], name: Name) -> bool:
    keeps_capitals = all(
        word.capital or not capital
        for word, capital in zip(here[1:], name.capitals[1:], strict=True)
    )
    return keeps_capitals and (name.weight == WEIGHT_TITLE or here[0].capital)


def _distance(named: _Named, held: Sequence[int]) -> int:
    """Words between a name, wherever it stands, and the nearest of some places."""
    return min(
        min(abs(at - place), abs(at - (place + named.n_words - 1)))
        for place in named.places
        for at in held
    )


def _strongest(found: Sequence[tuple[_Named, float]]) -> tuple[Reference, ...]:
    best: dict[str, tuple[float, str]] = {}
    for named, strength in found:
        for chunk_id, weight in named.called:
            exact = round(strength * weight, _DECIMALS)
            if exact > best.get(chunk_id, (0.0, ""))[0]:
                best[chunk_id] = (exact, named.written)
    references = [
        Reference(chunk_id=chunk_id, name=name, strength=strength)
        for chunk_id, (strength, name) in best.items()
    ]
    return tuple(sorted(references, key=lambda each: (-each.strength, each.chunk_id)))
