"""Mentions in the obvious way: every name of every chunk is looked for at every word."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from packhorse.kb.searchable import searchable_text
from packhorse.text.analysis import query_terms, terms
from packhorse.text.name_words import source_mark, words_of
from packhorse.text.names import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.text.name_words import Word
    from packhorse.text.names import Name
    from packhorse.types.chunk import Chunk

Key = tuple[str, ...]


class Bearer(NamedTuple):
    chunk: Chunk
    name: Name


class Mention(NamedTuple):
    key: Key
    words: tuple[Word, ...]
    bearers: tuple[Bearer, ...]
    at: int
    runs_on: bool
    """A number follows."""

    @property
    def terms(self) -> Key:
        return tuple(word.term for word in self.words)

    @property
    def is_marked(self) -> bool:
        return self.words[0].capital and self.words[-1].capital and not self.runs_on


class PlainMentions:
    """(chunk id, strength) of what a question names and of what chunks mention."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = sorted(chunks, key=lambda chunk: chunk.chunk_id)
        self.holding: dict[str, int] = defaultdict(int)
        for chunk in chunks:
            for term in set(terms(searchable_text(chunk))):
                self.holding[term] += 1
        self.bearers = self.all_bearers()
        self.mentioned_by: dict[Key, int] = defaultdict(int)
        for chunk in chunks:
            found = self.mentions_in(words_of(chunk.text, chunk.source_id), chunk.source_id)
            for key in {mention.key for mention in found}:
                self.mentioned_by[key] += 1

    def named(self, text: str) -> dict[str, float]:
        found = self.worths(self.mentions_in(words_of(text), None), None)
        return strongest([(mention, worth) for mention, _, worth in found])

    def mentions(self, chunk: Chunk, text: str) -> dict[str, float]:
        words = words_of(chunk.text, chunk.source_id)
        found = self.worths(self.mentions_in(words, chunk.source_id), chunk)
        asked = {term for term in query_terms(text) if self.holding.get(term)}
        asked -= set(terms(chunk.header))
        near = [self.nearness(words, mention.words, places, asked) for mention, places, _ in found]
        most = max(near, default=0.0)
        strengths = []
        for (mention, _, worth), nearness in zip(found, near, strict=True):
            share = nearness / most if most else 1.0
            strengths.append((mention, worth * len(found) ** -0.3 * (0.6 + 0.4 * share)))
        return strongest(strengths)

    def all_bearers(self) -> dict[Key, list[Bearer]]:
        everyone: dict[Key, list[Bearer]] = defaultdict(list)
        for chunk in self.chunks:
            for name in names_of(chunk):
                everyone[name.key].append(Bearer(chunk, name))
        kept = {}
        for key, bearers in everyone.items():
            first = {
                source: min(
                    (-bearer.name.weight, bearer.chunk.position_in_source)
                    for bearer in bearers
                    if bearer.chunk.source_id == source
                )
                for source in {bearer.chunk.source_id for bearer in bearers}
            }
            best = [
                bearer
                for bearer in bearers
                if bearer.chunk.position_in_source == first[bearer.chunk.source_id][1]
            ]
            if len(best) <= 64:
                kept[key] = best
        return kept

    def mentions_in(self, words: Sequence[Word], source_id: str | None) -> list[Mention]:
        found: list[Mention] = []
        at = 0
        while at < len(words):
            mention = self.mention_at(words, source_id, at)
            if mention:
                found.append(mention)
            at += len(mention.words) if mention else 1
        return found

    def mention_at(self, words: Sequence[Word], source_id: str | None, at: int) -> Mention | None:
        for length in range(10, 0, -1):
            here = tuple(words[at : at + length])
            terms_here = tuple(word.term for word in here)
            marks = [(source_mark(source_id),)] if source_id and here[0].is_reference else []
            for before in [*marks, ()]:
                key = (*before, *terms_here)
                bearers = tuple(
                    bearer
                    for bearer in self.bearers.get(key, ())
                    if is_so(bearer.name, here, len(before))
                )
                if len(here) == length and bearers:
                    after = words[at + length] if at + length < len(words) else None
                    runs_on = after is not None and after.term[0].isdigit()
                    return Mention(key, here, bearers, at, runs_on)
        return None

    def worths(
        self, mentions: Sequence[Mention], chunk: Chunk | None
    ) -> list[tuple[Mention, list[int], float]]:
        own = {name.key for name in names_of(chunk)} if chunk else set()
        groups: dict[tuple[Key, tuple[str, ...]], list[Mention]] = {}
        for mention in mentions:
            if mention.terms in own or any(bearer.chunk == chunk for bearer in mention.bearers):
                continue
            bearers = mention.bearers
            here = [b for b in mention.bearers if chunk and b.chunk.source_id == chunk.source_id]
            if any(bearer.name.is_heading for bearer in here):
                bearers = tuple(b for b in bearers if b in here or not b.name.is_heading)
            ids = tuple(bearer.chunk.chunk_id for bearer in bearers)
            groups.setdefault((mention.key, ids), []).append(mention._replace(bearers=bearers))
        found = []
        for (key, ids), group in groups.items():
            marked = any(mention.is_marked for mention in mentions if mention.key == key)
            worth = self.rarity(key, group[0].terms) / math.sqrt(len(ids))
            worth *= 1 if marked or len(group[0].words) > 1 else 0.4
            if worth > 0:
                found.append((group[0], [mention.at for mention in group], worth))
        return found

    def rarity(self, key: Key, words: Key) -> float:
        n = len(self.chunks)
        held = 1 - math.log(max(1, self.mentioned_by[key])) / math.log(max(3.0, n * 0.05))
        rarest = max(self.idf(term) for term in words) / math.log(max(n, 2))
        return max(0.0, held) * min(1.0, rarest / 0.6)

    def idf(self, term: str) -> float:
        df = self.holding.get(term, 0)
        return math.log1p((len(self.chunks) - df + 0.5) / (df + 0.5))

    def nearness(
        self, words: Sequence[Word], name: Sequence[Word], places: Sequence[int], asked: set[str]
    ) -> float:
        total = 0.0
        for term in sorted(asked):
            held = [at for at, word in enumerate(words) if word.term == term]
            ends = [end for place in places for end in (place, place + len(name) - 1)]
            if held:
                distance = min(abs(at - end) for at in held for end in ends)
                total += self.idf(term) * math.exp(-distance / 8)
        return total


def is_so(name: Name, here: Sequence[Word], n_marks: int) -> bool:
    if name.needs_capital and not here[0].capital:
        return False
    pairs = zip(here[1:], name.capitals[n_marks + 1 :], strict=True)
    return all(word.capital or not capital for word, capital in pairs)


def strongest(found: Sequence[tuple[Mention, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for mention, strength in found:
        for bearer in mention.bearers:
            exact = round(strength * bearer.name.weight / 100, 6)
            if exact > best.get(bearer.chunk.chunk_id, 0.0):
                best[bearer.chunk.chunk_id] = exact
    return best
