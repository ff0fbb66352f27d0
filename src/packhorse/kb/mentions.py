"""Which chunks a question names, and which others a chunk mentions.

A name in a text is worth

    held * rare / sqrt(n)

    held  1 - ln(chunks that mention it) / ln(5 % of all chunks), at least 0
    rare  idf of its rarest word, over 60 % of the highest idf there can be, at most 1
    n     chunks that are called so

of which a name of one word without a capital, or with a number behind it ("Plan 93" is not Plan),
keeps 0.4. In a chunk it is also worth the less the
more names stand there (n ** -0.3), and down to 60 % where it stands far from the question's words.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from packhorse.kb.bm25 import idf
from packhorse.kb.damage import damage_named
from packhorse.kb.names import joined, packed, source_key
from packhorse.protocols import Reference
from packhorse.text.analysis import query_terms, terms
from packhorse.text.links import linked_text
from packhorse.text.name_words import PlacedWords
from packhorse.text.names import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.kb.bm25 import Bm25Index
    from packhorse.kb.engine import RowIds
    from packhorse.kb.names import Called, Found, NameTable
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.chunk import Chunk

__all__ = ["Mentions"]

COMMON_SHARE = 0.05
"""A name mentioned in this share of the chunks says nothing."""
RARE_WORD = 0.6
"""A name needs a word of this share of the highest idf to count in full."""
UNMARKED = 0.4
"""What is left of a name of one word without a capital, or with a number behind it."""
CROWD = 0.3
"""A chunk with n names gives each of them n ** -0.3."""
NEAR_SHARE = 0.4
"""How much of a mention depends on standing near words of the question."""
NEAR_WORDS = 8.0

_DECIMALS = 6
_MAX_NAME_CHARS = 200
_FARTHEST = 4096
# Computed once, by the standard library: NumPy's exponential differs between processors.
_DECAY = np.array([math.exp(-words / NEAR_WORDS) for words in range(_FARTHEST + 1)])


@dataclass(slots=True)
class _Name:
    """One name in one text, wherever it stands there."""

    called: tuple[Called, ...]
    key: tuple[str, ...]
    table_row: int
    places: list[int] = field(default_factory=list)
    is_marked: bool = False
    worth: float = 0.0


class Mentions:
    """The names of a knowledge base, asked about. Safe from several threads."""

    def __init__(self, ids: RowIds, names: NameTable, lexical: Bm25Index) -> None:
        self._ids = ids
        self._names = names
        self._lexical = lexical
        self._idf = lru_cache(maxsize=65_536)(self._read_idf)
        n = len(ids)
        self._log_n = math.log(max(n, 2))
        self._log_common = math.log(max(3.0, n * COMMON_SHARE))

    def named(self, text: str) -> tuple[Reference, ...]:
        """What a question names, by (highest strength, chunk id).

        Raises:
            StoreError: the index is damaged.
        """
        with damage_named("The table of names"):
            words = PlacedWords(text)
            (mentions,) = self._looked_through([words], [0])
            found = self._named(words, mentions, None)
            return self._references(words, found, [each.worth for each in found], None)

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        """What each chunk mentions, by (highest strength, chunk id); not itself.

        Raises:
            StoreError: the index is damaged.
        """
        with damage_named("The table of names"):
            asked = {term: self._idf(term) for term in query_terms(text)}
            texts = [PlacedWords(linked_text(chunk), chunk.source_id) for chunk in chunks]
            sources = [source_key(chunk.source_id) for chunk in chunks]
            mentions = self._looked_through(texts, sources)
            return tuple(
                self._of_chunk(chunk, words, here, asked)
                for chunk, words, here in zip(chunks, texts, mentions, strict=True)
            )

    def _looked_through(
        self, texts: Sequence[PlacedWords], sources: Sequence[int]
    ) -> list[list[Found]]:
        """The names in each text."""
        words, of_word, ends = joined([packed(each.words) for each in texts], sources)
        found: list[list[Found]] = [[] for _ in texts]
        for each in self._names.find(words, of_word):
            text = bisect_right(ends, each.at)
            start = ends[text - 1] if text else 0
            found[text].append(each._replace(at=each.at - start))
        return found

    def _of_chunk(
        self, chunk: Chunk, words: PlacedWords, mentions: Sequence[Found], asked: dict[str, float]
    ) -> tuple[Reference, ...]:
        found = self._named(words, mentions, chunk) if mentions else ()
        if not found:
            return ()
        header = set(terms(chunk.header))
        unanswered = {term: mass for term, mass in asked.items() if term not in header}
        crowd = len(found) ** -CROWD
        return self._references(
            words,
            found,
            [
                each.worth * crowd * (1 - NEAR_SHARE + NEAR_SHARE * near)
                for each, near in zip(found, _nearness(words, found, unanswered), strict=True)
            ],
            chunk.chunk_id,
        )

    def _named(
        self, words: PlacedWords, mentions: Sequence[Found], chunk: Chunk | None
    ) -> list[_Name]:
        """The names in a text that are worth anything, in the order of their first place."""
        by_name: dict[tuple[int, tuple[Called, ...]], _Name] = {}
        marked: set[int] = set()
        own = {name.key for name in names_of(chunk)} if chunk else set()
        source = source_key(chunk.source_id) if chunk else 0
        for found in mentions:
            here = words.words[found.at : found.at + found.n_words]
            key = tuple(word.term for word in here)
            if key in own:
                continue
            called = _nearest(found.called, source)
            name = by_name.setdefault((found.name, called), _Name(called, key, found.name))
            name.places.append(found.at)
            behind = found.at + found.n_words
            following = words.words[behind : behind + 1]
            runs_on = bool(following) and following[0].term[:1].isdigit()
            if here[0].capital and here[-1].capital and not runs_on:
                marked.add(found.name)
        for name in by_name.values():
            name.worth = self._worth(name, is_marked=name.table_row in marked)
        return [name for name in by_name.values() if name.worth > 0]

    def _worth(self, name: _Name, *, is_marked: bool) -> float:
        held = self._names.n_mentioning(name.table_row)
        unheld = max(0.0, 1 - math.log(max(1, held)) / self._log_common)
        if not unheld:
            return 0.0
        rarest = max(self._idf(term) for term in name.key) / self._log_n
        worth = unheld * min(1.0, rarest / RARE_WORD) / math.sqrt(len(name.called))
        return worth if len(name.key) > 1 or is_marked else worth * UNMARKED

    def _read_idf(self, term: str) -> float:
        return idf(len(self._ids), self._lexical.rows_with(term))

    def _references(
        self,
        words: PlacedWords,
        found: Sequence[_Name],
        strengths: Sequence[float],
        own_id: str | None,
    ) -> tuple[Reference, ...]:
        best: dict[int, tuple[float, _Name]] = {}
        for name, strength in zip(found, strengths, strict=True):
            for called in name.called:
                exact = round(strength * called.weight, _DECIMALS)
                if exact > 0 and (called.row not in best or exact > best[called.row][0]):
                    best[called.row] = exact, name
        references = []
        for row, (strength, name) in best.items():
            chunk_id = self._ids[row]
            if chunk_id != own_id:
                written = words.written(name.places[0], len(name.key))[:_MAX_NAME_CHARS]
                references.append(Reference(chunk_id=chunk_id, name=written, strength=strength))
        return tuple(sorted(references, key=lambda each: (-each.strength, each.chunk_id)))


def _nearest(called: tuple[Called, ...], source: int) -> tuple[Called, ...]:
    """Without the headings of other sources, where the text's own source has one of that name."""
    if not any(each.is_heading and each.source == source for each in called):
        return called
    return tuple(each for each in called if not each.is_heading or each.source == source)


def _nearness(words: PlacedWords, found: Sequence[_Name], asked: dict[str, float]) -> list[float]:
    """0..1 for each name, 1 for the nearest to words of the question.

        near(m) = sum over asked terms t in the text of  idf(t) * exp(-distance(m, t) / 8)

    over the highest in the text; 1 for all where the text holds no asked term. The distance is in
    words, between the nearest places of both.
    """
    held: dict[str, list[int]] = {}
    for at, word in enumerate(words.words):
        if word.term in asked:
            held.setdefault(word.term, []).append(at)
    if not held:
        return [1.0] * len(found)
    firsts = np.array([place for each in found for place in each.places])
    lasts = firsts + np.repeat(
        [len(each.key) - 1 for each in found], [len(each.places) for each in found]
    )
    starts = np.cumsum([0, *(len(each.places) for each in found[:-1])])
    near = np.zeros(len(found))
    for term, places in sorted(held.items()):
        asked_at = np.array(places)
        apart = np.minimum(_apart(firsts, asked_at), _apart(lasts, asked_at))
        nearest = np.minimum(np.minimum.reduceat(apart, starts), _FARTHEST)
        near += asked[term] * _DECAY[nearest]
    shares: FloatArray = near / near.max()
    return [float(share) for share in shares]


def _apart(some: IntArray, others: IntArray) -> IntArray:
    """From each of some places to the nearest of others, which ascend."""
    after = np.minimum(np.searchsorted(others, some), len(others) - 1)
    before = np.maximum(after - 1, 0)
    nearest: IntArray = np.minimum(np.abs(others[after] - some), np.abs(others[before] - some))
    return nearest
