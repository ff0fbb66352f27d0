"""Hybrid retrieval: words and direction together on one scale, then what the best ones mention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from packhorse.profiles.trust import blocking_pattern
from packhorse.protocols import NamesChunks, ScoresChunks
from packhorse.retrieve.alike import alike_part, nearest
from packhorse.retrieve.domain import domain_of
from packhorse.retrieve.follow import gains, no_gains, seeds, strongest, weight_of_mentions
from packhorse.retrieve.fusion import fused, lexical_share
from packhorse.retrieve.relevance import combined, length_part
from packhorse.types.candidate import CandidatePool, Channel

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from packhorse.config import RetrievalConfig
    from packhorse.protocols import KnowledgeBase, Reference, SearchHit
    from packhorse.retrieve.follow import Gains
    from packhorse.types.arrays import BoolArray, FloatArray, IntArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["HybridRetriever"]

_DECIMALS = 6
_LINK_STEPS = 4
"""Links that are followed one after the other; longer chains of tables and captions are unknown."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """What the channels say of some chunks, a row a chunk, by id."""

    chunks: list[Chunk]
    handing_on: BoolArray
    """Whether it was found, is in the knowledge base, and is of no blocked source: what others
    gain from."""
    vectors: FloatArray | None
    lexical: Channel
    dense: Channel
    share: FloatArray
    """Of the lexical score, 0..1."""
    cosines: FloatArray | None
    named: FloatArray
    """What each row gains by being named in the question."""
    length: FloatArray
    """What each row gains or loses by its length."""
    alike: FloatArray
    """What each row gains or loses by what is most like it."""
    mean: FloatArray
    """Of words and meaning."""
    searched: BoolArray
    """Whether the search found it."""
    found: BoolArray
    """By the search, or by name."""

    @property
    def first(self) -> FloatArray:
        """Relevance before mentions, not cut to 0..1."""
        return self.mean + self.named + self.length + self.alike

    @property
    def row_of(self) -> Mapping[str, int]:
        """Chunk id -> row."""
        return {chunk.chunk_id: row for row, chunk in enumerate(self.chunks)}


class HybridRetriever:
    """Asks a knowledge base for the best of each channel, and for what is named or mentioned.

    Relevance is the weighted mean of the lexical share (BM25 over the query's own upper bound) and
    the cosine, and what names, mentions and length add; see `relevance`. All of it is absolute, so
    a threshold on relevance means the same for every query.
    """

    def __init__(self, kb: KnowledgeBase, config: RetrievalConfig) -> None:
        self._kb = kb
        self._config = config

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """The `candidates` most relevant chunks and all required ones, best first, ties by id.

        A chunk that either channel found is scored by both: its cosine is computed even when the
        dense channel ranked it too low to return it. A BM25 score below the channel's cut is 0.
        What was found by its name or by a mention has both, where the knowledge base can say.
        """
        return _Search(self._kb, self._config, query, required).pool()


class _Search:
    """One question on its way to a pool."""

    def __init__(
        self,
        kb: KnowledgeBase,
        config: RetrievalConfig,
        query: Query,
        required: Sequence[Chunk],
    ) -> None:
        self._kb, self._config, self._query = kb, config, query
        self._must = {chunk.chunk_id: chunk for chunk in required}
        self._chunk_of: dict[str, Chunk] = {}
        self._result = kb.search(query.searched, query.vector, config.candidates)
        self._named = self._names()
        self._likeness: dict[str, float] | None = None

    def pool(self) -> CandidatePool:
        import numpy as np

        columns = self._columns(self._named)
        columns, gained = self._followed(columns)
        relevance = combined(
            columns.share,
            columns.cosines,
            named=columns.named,
            mention=gained.values,
            length=columns.length,
            alike=columns.alike,
            config=self._config,
        )
        mentioned = np.array([mention is not None for mention in gained.mentions], dtype=np.bool_)
        found = columns.found | mentioned
        kept = _kept(columns.chunks, relevance.values, found, self._must, self._config.candidates)
        chunks = tuple(columns.chunks[row] for row in kept)
        names = [self._named.get(chunk.chunk_id) for chunk in chunks]
        stats = self._kb.stats()
        domain = domain_of(
            columns.share,
            columns.cosines,
            columns.searched,
            self._config,
            n_chunks=int(str(stats["chunks"])),
            embedder=stats.get("embedder"),
            asked=self._query.type_by,
        )
        return CandidatePool(
            chunks=chunks,
            relevance=relevance.values[kept],
            relevance_parts={name: part[kept] for name, part in relevance.parts.items()},
            named_as=tuple(None if each is None else each.name for each in names),
            followed=tuple(gained.mentions[row] for row in kept),
            vectors=None if columns.vectors is None else columns.vectors[kept],
            channels=tuple(
                Channel(name=channel.name, scores=channel.scores[kept], ranks=channel.ranks[kept])
                for channel in (columns.lexical, columns.dense)
            ),
            in_domain=domain.is_inside and not self._result.note,
            domain_evidence=domain.evidence,
            n_retrieved=int(found[kept].sum()),
            note=self._result.note or _vector_note(self._query.vector),
        )

    def _names(self) -> Mapping[str, Reference]:
        """Chunk id -> the surest name by which the question names it; nothing by no name."""
        config = self._config
        asks = config.named_weight or (config.follow and config.mention_weight)
        if not isinstance(self._kb, NamesChunks) or self._result.note or not asks:
            return {}
        return strongest(self._kb.named(self._query.searched))

    def _columns(self, reached: Collection[str]) -> _Columns:
        """What the channels say of everything found, required, or reached otherwise."""
        import numpy as np

        config, result = self._config, self._result
        chunks, known = self._chunks(reached)
        vectors = self._vectors(chunks, known)
        lexical = self._lexical(chunks, reached)
        dense = _channel("dense", result.dense, chunks)
        cosines = None if result.note else _cosines(vectors, self._query.vector)
        if cosines is not None:
            dense = Channel(name="dense", scores=cosines, ranks=dense.ranks)
        share = lexical_share(lexical.scores, result.lexical_ideal)
        mean = fused(share, cosines, config.lexical_weight, config.dense_weight)
        searched = np.maximum(lexical.ranks, dense.ranks) > 0
        names = [self._named.get(chunk.chunk_id) for chunk in chunks]
        named = config.named_weight * np.array(
            [0.0 if each is None else each.strength for each in names], dtype=np.float64
        )
        found = searched | (named > 0)
        handing_on = self._may_hand_on(chunks, found & np.array(known, dtype=np.bool_))
        return _Columns(
            chunks=chunks,
            handing_on=handing_on,
            vectors=vectors,
            lexical=lexical,
            dense=dense,
            share=share,
            cosines=cosines,
            named=named,
            # Nothing becomes relevant by being short.
            length=np.where(mean > 0, length_part(chunks, searched, config.length_weight), 0.0),
            alike=self._alike(chunks, mean + named, vectors, handing_on),
            mean=mean,
            searched=searched,
            found=found,
        )

    def _alike(
        self,
        chunks: Sequence[Chunk],
        own: FloatArray,
        vectors: FloatArray | None,
        handing_on: BoolArray,
    ) -> FloatArray:
        """What likeness adds to each row that hands on; worked out once, mentions change nothing.

        Args:
            chunks: of the rows.
            own: (n,) relevance so far.
            vectors: (n, d) of the rows; without them there is no likeness.
            handing_on: (n,) the rows that are compared.
        """
        import numpy as np

        if self._likeness is None:
            rows, weight = np.flatnonzero(handing_on), self._config.alike_weight
            parts = [0.0] * len(rows)
            if vectors is not None and weight:
                parts = alike_part(own[rows], nearest(vectors[rows]), weight).tolist()
            ids = [chunks[row].chunk_id for row in rows]
            self._likeness = dict(zip(ids, parts, strict=True))
        return np.array([self._likeness.get(chunk.chunk_id, 0.0) for chunk in chunks])

    def _followed(self, columns: _Columns) -> tuple[_Columns, Gains]:
        """The columns with what only a mention leads to, and what mentions add to each row."""
        config = self._config
        weight = weight_of_mentions(config, self._named) if config.follow else 0.0
        if not isinstance(self._kb, NamesChunks) or self._result.note or not weight:
            return columns, no_gains(len(columns.chunks))
        best = [columns.chunks[row] for row in seeds(columns.first, columns.handing_on)]
        told = self._kb.mentions(best, self._query.searched)
        mentioned = {chunk.chunk_id: each for chunk, each in zip(best, told, strict=True)}
        reached = {each.chunk_id for references in told for each in references}
        if reached - columns.row_of.keys():
            columns = self._columns(self._named.keys() | reached)
        return columns, gains(
            columns.first, mentioned, columns.row_of, weight=weight, limit=config.mention_limit
        )

    def _may_hand_on(self, chunks: Sequence[Chunk], found: BoolArray) -> BoolArray:
        """(n,) True for what was found and is of no blocked source."""
        patterns = self._kb.policy.blocked_sources
        if not patterns:
            return found
        sources = [chunk.source_id for chunk in chunks]
        return found & [blocking_pattern(source, patterns) is None for source in sources]

    def _read(self, chunk_ids: Collection[str]) -> dict[str, Chunk]:
        """The chunks that exist; each is read from the knowledge base once."""
        missing = sorted(name for name in chunk_ids if name not in self._chunk_of)
        if missing:
            self._chunk_of |= self._kb.get(missing)
        return {name: self._chunk_of[name] for name in chunk_ids if name in self._chunk_of}

    def _chunks(self, reached: Collection[str]) -> tuple[list[Chunk], list[bool]]:
        """Everything found, required or reached, by id; and which of it the knowledge base has.

        What is linked with something found comes along: it is packed with it or not at all.
        """
        must, channels = self._must, (self._result.lexical, self._result.dense)
        hits = {hit.chunk_id for channel in channels for hit in channel}
        known = self._read({*hits, *must, *reached})
        fresh = [*known.values(), *must.values()]
        for _ in range(_LINK_STEPS):
            linked = {name for chunk in fresh for name in chunk.named_in("linked_with")}
            found = self._read(linked - known.keys() - must.keys())
            if not found:
                break
            fresh = list(found.values())
            known |= found
        chunks = sorted({**known, **must}.values(), key=lambda chunk: chunk.chunk_id)
        return chunks, [chunk.chunk_id in known for chunk in chunks]

    def _lexical(self, chunks: Sequence[Chunk], reached: Collection[str]) -> Channel:
        """The lexical channel; what it did not return is scored where it was reached otherwise."""
        channel = _channel("lexical", self._result.lexical, chunks)
        ids = [chunk.chunk_id for chunk in chunks]
        rows = [row for row, name in enumerate(ids) if name in reached and not channel.ranks[row]]
        if rows and isinstance(self._kb, ScoresChunks):
            names = [ids[row] for row in rows]
            channel.scores[rows] = self._kb.lexical_scores(self._query.searched, names)
        return channel

    def _vectors(self, chunks: Sequence[Chunk], known: Sequence[bool]) -> FloatArray | None:
        """One row a chunk: what the knowledge base has, and the embedder's for what it has not."""
        import numpy as np

        from packhorse.kb.searchable import searchable_text

        stored = self._kb.vectors([chunk.chunk_id for chunk in compress(chunks, known)])
        if stored is None or all(known):
            return stored
        others = [chunk for chunk, is_known in zip(chunks, known, strict=True) if not is_known]
        at_known = np.array(known)
        vectors = np.zeros((len(chunks), stored.shape[1]), dtype=np.float32)
        vectors[at_known] = stored
        embedder = self._kb.embedder()
        if embedder is not None:
            vectors[~at_known] = embedder.embed([searchable_text(chunk) for chunk in others])
        return vectors


def _channel(name: str, hits: Sequence[SearchHit], chunks: Sequence[Chunk]) -> Channel:
    """Scores and ranks of one channel; an id that a channel repeats counts at its best rank."""
    import numpy as np

    rows = {chunk.chunk_id: row for row, chunk in enumerate(chunks)}
    scores = np.zeros(len(chunks))
    ranks = np.zeros(len(chunks), dtype=np.int64)
    for rank, hit in enumerate(hits, start=1):
        row = rows.get(hit.chunk_id)
        if row is not None and not ranks[row]:
            scores[row], ranks[row] = hit.score, rank
    return Channel(name=name, scores=scores, ranks=ranks)


def _cosines(vectors: FloatArray | None, direction: FloatArray | None) -> FloatArray | None:
    """float64 cosines to six decimals; None when either side has no direction at all."""
    import numpy as np

    if vectors is None or direction is None:
        return None
    exact = np.asarray(direction, dtype=np.float64)
    length = float(np.sqrt((exact * exact).sum()))
    if not length or not np.isfinite(length):
        return None
    cosines: FloatArray = np.round(
        (vectors.astype(np.float64) * (exact / length)).sum(1), _DECIMALS
    )
    return cosines


def _kept(
    chunks: Sequence[Chunk],
    relevance: FloatArray,
    found: BoolArray,
    must: Collection[str],
    limit: int,
) -> IntArray:
    """Rows of the pool: required ones and the best `limit` found ones, best first, ties by id.

    What one of them is linked with comes along. A row without a finite relevance comes last; it
    stays, so that the packet can say so.
    """
    import numpy as np

    order = np.lexsort((np.arange(len(chunks)), -relevance)).tolist()
    kept, taken = set[int](), 0
    for row in order:
        wanted = bool(found[row]) and not relevance[row] <= 0 and taken < limit
        taken += wanted
        if wanted or chunks[row].chunk_id in must:
            kept.add(row)
    row_of = {chunk.chunk_id: row for row, chunk in enumerate(chunks)}
    fresh = set(kept)
    while fresh:
        names = {name for row in fresh for name in chunks[row].named_in("linked_with")}
        fresh = {row_of[name] for name in names if name in row_of} - kept
        kept |= fresh
    return np.array([row for row in order if row in kept], dtype=np.int64)


def _vector_note(vector: FloatArray | None) -> str:
    return "zero_query_vector" if vector is not None and not vector.any() else ""
