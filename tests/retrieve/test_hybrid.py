"""Hybrid retrieval: one pool, each chunk once, required ones always in it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.kb.closing import Closing
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import Embedder, SearchHit, SearchResult
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.arrays import FloatArray
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from tests.strategies import chunk_lists

AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
POLICY = KnowledgeBasePolicy(name="test")
TEXTS = {
    "a": "Home office expenses can be deducted.",
    "b": "The home is where the heart is.",
    "c": "Cats sleep all day long.",
    "d": "Office chairs and desks.",
    "e": "!!!",
}


def chunk(name: str, text: str) -> Chunk:
    return Chunk(chunk_id=name, source_id=name, text=text)


def kb_of(texts: Mapping[str, str], embedder: Embedder | None = None) -> MemoryKnowledgeBase:
    chunks = [chunk(name, text) for name, text in texts.items()]
    return MemoryKnowledgeBase(chunks, policy=POLICY, embedder=embedder)


def query(text: str, embedder: Embedder | None = None) -> Query:
    vector = embedder.embed([text])[0] if embedder else None
    return Query(text=text, as_of=AS_OF, vector=vector)


def ids(pool: CandidatePool) -> list[str]:
    return [found.chunk_id for found in pool.chunks]


def test_the_best_chunk_comes_first_with_both_ranks() -> None:
    words = WordEmbedder()
    pool = HybridRetriever(kb_of(TEXTS, words), RetrievalConfig()).retrieve(
        query("deduct home office expenses", words)
    )
    assert ids(pool)[0] == "a"
    lexical, dense = pool.channels
    assert (lexical.name, dense.name) == ("lexical", "dense")
    assert (lexical.ranks[0], dense.ranks[0]) == (1, 1)
    assert pool.in_domain
    assert pool.vectors is not None
    assert len(pool.vectors) == len(pool) == pool.n_retrieved


def test_relevance_is_high_for_an_answer_and_low_for_a_stranger() -> None:
    words = WordEmbedder()
    retriever = HybridRetriever(kb_of(TEXTS, words), RetrievalConfig())
    answer = retriever.retrieve(query("home office expenses can be deducted", words))
    stranger = retriever.retrieve(query("quantum chromodynamics lattice gauge sleep", words))
    assert answer.relevance[0] > 0.6
    assert stranger.relevance[0] < 0.3
    assert (answer.in_domain, stranger.in_domain) == (True, False)


def test_words_alone_are_enough_without_vectors() -> None:
    pool = HybridRetriever(kb_of(TEXTS), RetrievalConfig()).retrieve(query("office chairs"))
    assert ids(pool) == ["d", "a"]
    assert pool.vectors is None
    assert pool.channels[1].ranks.tolist() == [0, 0]
    assert dict(pool.domain_evidence) == {
        "chunks": 5.0,
        "lexical_share": 1.0,
        "min_domain_share": 0.2,
        "reachable_share": 0.388237,
    }


def test_required_chunks_are_in_the_pool_with_a_relevance_of_their_own() -> None:
    words = WordEmbedder()
    kb = kb_of(TEXTS, words)
    required = [chunk("e", TEXTS["e"]), chunk("attached:x", "deduct the home office")]
    pool = HybridRetriever(kb, RetrievalConfig(candidates=1)).retrieve(
        query("deduct home office expenses", words), required
    )
    assert sorted(ids(pool)) == ["a", "attached:x", "e"]
    assert pool.n_retrieved == 1
    at = ids(pool).index("attached:x")
    assert pool.relevance[at] > 0.2
    assert pool.vectors is not None
    assert np.allclose(pool.vectors[at], words.embed(["deduct the home office"])[0])
    assert pool.relevance[ids(pool).index("e")] == 0


def test_a_required_chunk_that_is_found_as_well_counts_once() -> None:
    words = WordEmbedder()
    pool = HybridRetriever(kb_of(TEXTS, words), RetrievalConfig()).retrieve(
        query("home office", words), [chunk("a", TEXTS["a"])]
    )
    assert ids(pool).count("a") == 1


class TwoChannels(Closing):
    """A knowledge base that answers what it is told, repeats and all."""

    policy = POLICY

    def __init__(self, lexical: Sequence[SearchHit], dense: Sequence[SearchHit]) -> None:
        self.result = SearchResult(lexical=tuple(lexical), dense=tuple(dense), lexical_ideal=10.0)

    def snapshot(self) -> str:
        return "0" * 64

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        del text, vector, limit
        return self.result

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        return {name: chunk(name, "x") for name in chunk_ids if "#" in name}

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        return np.ones((len(chunk_ids), 1), dtype=np.float32)

    def embedder(self) -> Embedder | None:
        return None

    def stats(self) -> Mapping[str, object]:
        return {"chunks": 100}


def hit(name: str, score: float) -> SearchHit:
    return SearchHit(chunk_id=name, score=score)


def test_case_15_a_chunk_is_one_candidate_whatever_the_channels_say() -> None:
    kb = TwoChannels(
        [hit("doc1#0", 3.1), hit("doc2#1", 2.0), hit("doc2#1", 1.0)], [hit("doc1#0", 0.9)]
    )
    vector = np.ones(1, dtype=np.float32)
    pool = HybridRetriever(kb, RetrievalConfig()).retrieve(
        Query(text="x", as_of=AS_OF, vector=vector)
    )
    assert ids(pool) == ["doc1#0", "doc2#1"]
    lexical, dense = pool.channels
    assert lexical.ranks.tolist() == [1, 2]
    assert lexical.scores.tolist() == [3.1, 2.0]
    assert dense.ranks.tolist() == [1, 0]


def test_a_hit_whose_chunk_is_gone_is_left_out() -> None:
    pool = HybridRetriever(TwoChannels([hit("gone", 3.0)], []), RetrievalConfig()).retrieve(
        Query(text="x", as_of=AS_OF)
    )
    assert ids(pool) == []


def test_an_attached_chunk_without_an_embedder_has_no_direction() -> None:
    pool = HybridRetriever(TwoChannels([hit("a#1", 3.0)], []), RetrievalConfig()).retrieve(
        Query(text="x", as_of=AS_OF, vector=np.ones(1, dtype=np.float32)), [chunk("attached", "x")]
    )
    assert pool.vectors is not None
    assert pool.vectors.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    ("texts", "text", "note"),
    [
        ({}, "refund", "empty_knowledge_base"),
        ({"a": "!!!"}, "refund", "no_searchable_text"),
        (TEXTS, "???", "no_searchable_terms"),
    ],
)
def test_what_cannot_be_searched_is_noted_and_outside(
    texts: Mapping[str, str], text: str, note: str
) -> None:
    words = WordEmbedder()
    required = [chunk("rule", "deduct the home office")]
    pool = HybridRetriever(kb_of(texts, words), RetrievalConfig()).retrieve(
        query(text, words), required
    )
    assert (pool.note, pool.in_domain, pool.n_retrieved) == (note, False, 0)
    assert ids(pool) == ["rule"]
    assert pool.relevance.tolist() == [0.0]


def test_a_query_vector_of_zeros_is_noted_and_words_still_search() -> None:
    words = WordEmbedder()
    pool = HybridRetriever(kb_of(TEXTS, words), RetrievalConfig()).retrieve(
        Query(text="office chairs", as_of=AS_OF, vector=np.zeros(64, dtype=np.float32))
    )
    assert pool.note == "zero_query_vector"
    assert ids(pool) == ["d", "a"]
    assert pool.in_domain


@given(chunk_lists(max_size=8), st.text(max_size=20), st.integers(1, 10), st.randoms())
def test_the_pool_is_sorted_whole_and_free_of_the_order_of_the_corpus(
    chunks: list[Chunk], text: str, candidates: int, random: "object"
) -> None:
    words = WordEmbedder()
    shuffled = list(chunks)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis gives a Random
    required = chunks[:2]
    first, second = (
        HybridRetriever(
            MemoryKnowledgeBase(some, policy=POLICY, embedder=words),
            RetrievalConfig(candidates=candidates),
        ).retrieve(query(text, words), required)
        for some in (chunks, shuffled)
    )
    assert ids(first) == ids(second)
    assert first.relevance.tolist() == second.relevance.tolist()
    keys = list(zip((-first.relevance).tolist(), ids(first), strict=True))
    assert keys == sorted(keys)
    assert len(set(ids(first))) == len(first)
    assert {one.chunk_id for one in required} <= set(ids(first))
    assert first.n_retrieved <= candidates + len(required)
    assert ((first.relevance >= 0) & (first.relevance <= 1)).all()


FILMS = (
    ("ada", "Ada Bright", "Ada Bright directed The Silver Heron, a drama about a lighthouse."),
    ("heron", "The Silver Heron", "The Silver Heron was shot in Port Ellery over one summer."),
    ("port", "Port Ellery", "Port Ellery has 4,000 people and lies on the north coast."),
    ("boat", "Boats", "Boats float on water, and some of them carry goods."),
    ("cats", "Cats", "Cats sleep all day long, in the sun if they can."),
)
ABOUT_ADA = "What did Ada Bright direct?"


def films(*, policy: KnowledgeBasePolicy = POLICY) -> MemoryKnowledgeBase:
    return MemoryKnowledgeBase(
        [Chunk(chunk_id=n, source_id=n, header=head, text=text) for n, head, text in FILMS],
        policy=policy,
    )


def part(pool: CandidatePool, name: str, chunk_id: str) -> float:
    return float(pool.relevance_parts[name][ids(pool).index(chunk_id)])


def test_what_the_best_candidate_mentions_becomes_a_candidate() -> None:
    pool = HybridRetriever(films(), RetrievalConfig()).retrieve(query(ABOUT_ADA))
    assert ids(pool) == ["ada", "heron"]
    assert pool.n_retrieved == 2
    heron = pool.followed[1]
    assert heron is not None
    assert (heron.chunk_id, heron.name) == ("ada", "The Silver Heron")
    assert part(pool, "mention", "heron") > 0.1
    assert pool.named_as == ("Ada Bright", None)
    assert part(pool, "named", "ada") > 0
    assert pool.relevance[1] <= 0.9 * pool.relevance[0]
    assert dict(pool.relevance_parts).keys() == {
        *("lexical", "dense", "named", "mention", "length", "alike", "clipped")
    }


def test_without_following_nothing_is_mentioned_and_names_still_count() -> None:
    pool = HybridRetriever(films(), RetrievalConfig(follow=False)).retrieve(query(ABOUT_ADA))
    assert ids(pool) == ["ada"]
    assert pool.followed == (None,)
    assert part(pool, "named", "ada") > 0
    none = RetrievalConfig(follow=False, named_weight=0, length_weight=0)
    plain = HybridRetriever(films(), none).retrieve(query(ABOUT_ADA))
    assert plain.named_as == (None,)
    assert plain.relevance[0] == part(plain, "lexical", "ada")


def test_followed_chunks_are_scored_by_their_own_words_and_direction() -> None:
    words = WordEmbedder()
    chunks = [Chunk(chunk_id=n, source_id=n, header=head, text=text) for n, head, text in FILMS]
    kb = MemoryKnowledgeBase(chunks, policy=POLICY, embedder=words)
    asked = query("What drama did Ada Bright direct, and where was it shot?", words)
    everything = HybridRetriever(kb, RetrievalConfig()).retrieve(asked)
    # The search returns one chunk of each channel; the mention leads to another one.
    few = HybridRetriever(kb, RetrievalConfig(candidates=2)).retrieve(asked)
    for name in ("lexical", "dense"):
        assert part(few, name, "heron") == part(everything, name, "heron") > 0


def test_no_more_candidates_than_asked_for_whatever_is_mentioned() -> None:
    pool = HybridRetriever(films(), RetrievalConfig(candidates=1)).retrieve(query(ABOUT_ADA))
    assert ids(pool) == ["ada"]


def test_a_required_chunk_that_was_not_found_hands_nothing_on() -> None:
    required = list(films().get(["ada"]).values())
    pool = HybridRetriever(films(), RetrievalConfig()).retrieve(query("cats sleeping"), required)
    assert sorted(ids(pool)) == ["ada", "cats"]
    assert pool.followed == (None, None)


def test_a_blocked_source_hands_nothing_on() -> None:
    policy = KnowledgeBasePolicy(name="test", blocked_sources=("ad*",))
    kb = films(policy=policy)
    pool = HybridRetriever(kb, RetrievalConfig()).retrieve(query(ABOUT_ADA))
    assert ids(pool) == ["ada"]


def test_a_knowledge_base_without_names_is_searched_without_following() -> None:
    kb = TwoChannels([hit("a#1", 3.0)], [])
    pool = HybridRetriever(kb, RetrievalConfig()).retrieve(Query(text="x", as_of=AS_OF))
    assert ids(pool) == ["a#1"]
    assert (pool.followed, pool.named_as) == ((None,), (None,))


ALIKE = {
    "near": "Boats carry goods across the lake in summer.",
    "twin": "Boats carry goods across the lake in winter.",
    "best": "Boats carry goods across the lake, and a toll is asked of them.",
    "lone": "Carts pay toll.",
}


def alike_pool(policy: KnowledgeBasePolicy = POLICY, **settings: float) -> CandidatePool:
    words = WordEmbedder()
    kb = MemoryKnowledgeBase(
        [chunk(name, text) for name, text in ALIKE.items()], policy=policy, embedder=words
    )
    config = RetrievalConfig(length_weight=0, **settings)  # type: ignore[arg-type]  # weights only
    return HybridRetriever(kb, config).retrieve(query("What toll is asked of boats?", words))


def test_what_is_like_the_best_candidate_gains_from_it() -> None:
    pool, apart = alike_pool(alike_weight=0.5), alike_pool(alike_weight=0.0)
    assert part(pool, "alike", "near") > 0 > part(pool, "alike", "best")
    assert part(pool, "alike", "lone") == 0
    assert not apart.relevance_parts["alike"].any()
    for name in ALIKE:
        gained = pool.relevance[ids(pool).index(name)] - apart.relevance[ids(apart).index(name)]
        assert gained == pytest.approx(part(pool, "alike", name), abs=2e-6)


def test_a_blocked_source_says_nothing_of_what_is_like_it() -> None:
    policy = KnowledgeBasePolicy(name="test", blocked_sources=("best",))
    pool = alike_pool(policy, alike_weight=0.5)
    assert part(pool, "alike", "best") == 0
    assert part(pool, "alike", "near") == -part(pool, "alike", "twin") != 0
