"""What stands around a relevant chunk competes with a share of its relevance."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.errors import ConfigError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.retrieve import expanded
from packhorse.retrieve.expanded import IN_SECTION, MOST_UNNAMED, NEAR, ExpandedRetriever
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from tests.properties.hashed_embedder import HashedEmbedder

QUERY = Query(text="refund window", as_of=datetime(2026, 1, 1, tzinfo=UTC))


def book(n: int, hits: Sequence[int], section: str = "") -> list[Chunk]:
    """Chunks in a row, of which some hold the words of the question."""
    return [
        Chunk(
            chunk_id=f"b{place:02d}",
            source_id="book",
            text="the refund window is open" if place in hits else f"nothing of it {place}",
            position_in_source=place,
            section_id=section,
        )
        for place in range(n)
    ]


def pool_of(chunks: Sequence[Chunk], **settings: object) -> CandidatePool:
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="kb"))
    config = RetrievalConfig(**settings)  # type: ignore[arg-type]  # settings of a test
    return ExpandedRetriever(HybridRetriever(kb, config), kb, config).retrieve(QUERY)


def gained(pool: CandidatePool) -> dict[str, tuple[str, int, float]]:
    return {
        pool.chunks[row].chunk_id: (around.chunk_id, around.steps, float(pool.relevance[row]))
        for row, around in pool.around.items()
    }


def test_neighbours_have_less_with_each_step() -> None:
    pool = pool_of(book(7, [3]), expand="neighbours", neighbours=2)
    found = dict(zip((c.chunk_id for c in pool.chunks), pool.relevance.tolist(), strict=True))
    best = found["b03"]
    assert gained(pool) == {
        "b01": ("b03", -2, round(best * NEAR**2, 6)),
        "b02": ("b03", -1, round(best * NEAR, 6)),
        "b04": ("b03", 1, round(best * NEAR, 6)),
        "b05": ("b03", 2, round(best * NEAR**2, 6)),
    }
    assert [chunk.chunk_id for chunk in pool.chunks] == ["b03", "b02", "b04", "b01", "b05"]
    assert pool.n_retrieved == 1


def test_a_section_comes_whole_and_nothing_beyond_it() -> None:
    chunks = [*book(4, [1], "one"), *(c for c in book(6, [], "two") if c.position_in_source >= 4)]
    pool = pool_of(chunks, expand="section")
    best = float(pool.relevance[0])
    assert gained(pool) == {
        "b00": ("b01", -1, round(best * NEAR, 6)),
        "b02": ("b01", 1, round(best * NEAR, 6)),
        "b03": ("b01", 2, round(best * NEAR * IN_SECTION, 6)),
    }


@pytest.mark.parametrize("n", [MOST_UNNAMED, MOST_UNNAMED + 1])
def test_what_stands_under_no_heading_is_a_section_while_it_is_short(n: int) -> None:
    pool = pool_of(book(n, [3]), expand="section")
    best = float(pool.relevance[0])
    if n == MOST_UNNAMED:
        assert len(gained(pool)) == n - 1
        assert gained(pool)["b05"] == ("b03", 2, round(best * NEAR * IN_SECTION, 6))
        return
    assert gained(pool) == {
        "b02": ("b03", -1, round(best * NEAR, 6)),
        "b04": ("b03", 1, round(best * NEAR, 6)),
    }
    wider = pool_of(book(n, [3]), expand="section", neighbours=2)
    assert gained(wider)["b05"] == ("b03", 2, round(best * NEAR**2, 6))
    assert len(gained(wider)) == 4
    assert len(gained(pool_of(book(n, [3], "chapter"), expand="section"))) == n - 1


def test_a_chunk_between_two_relevant_ones_has_the_more_of_both() -> None:
    chunks = book(3, [0])
    chunks[2] = Chunk(
        chunk_id="b02", source_id="book", text="refund " + "other " * 9, position_in_source=2
    )
    pool = pool_of(chunks, expand="neighbours")
    assert gained(pool)["b01"][0] == "b00"


def test_what_is_relevant_by_itself_keeps_its_relevance() -> None:
    pool = pool_of(book(3, [0, 1]), expand="neighbours")
    assert set(gained(pool)) == {"b02"}


def test_nothing_comes_with_a_candidate_that_is_hardly_relevant() -> None:
    chunks = [*book(3, [1]), Chunk(chunk_id="far", source_id="other", text="window " + "x " * 80)]
    beside = Chunk(chunk_id="near-far", source_id="other", text="y", position_in_source=1)
    assert "near-far" not in gained(pool_of([*chunks, beside], expand="neighbours"))


def test_what_is_added_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expanded, "MOST_ADDED", 3)
    pool = pool_of(book(40, [20], "chapter"), expand="section")
    assert set(gained(pool)) == {"b18", "b19", "b21"}


def test_a_long_section_comes_up_to_sixteen_chunks_each_way() -> None:
    found = gained(pool_of(book(60, [30], "chapter"), expand="section"))
    assert sorted(found) == [f"b{n:02d}" for n in range(14, 47) if n != 30]


def test_every_column_follows_its_chunk() -> None:
    chunks = book(5, [2])
    embedder = HashedEmbedder()
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="kb"), embedder=embedder)
    config = RetrievalConfig(expand="neighbours", candidates=1)
    query = Query(text=QUERY.text, as_of=QUERY.as_of, vector=embedder.embed([QUERY.text])[0])
    pool = ExpandedRetriever(HybridRetriever(kb, config), kb, config).retrieve(query)
    expected = kb.vectors([chunk.chunk_id for chunk in pool.chunks])
    assert pool.vectors is not None
    assert expected is not None
    assert np.array_equal(pool.vectors, expected)
    assert {len(channel.scores) for channel in pool.channels} == {len(pool)}
    ranked = [pool.channels[0].ranks[row] for row in range(len(pool)) if row not in pool.around]
    assert sum(rank > 0 for rank in ranked) == 1


def test_a_knowledge_base_without_neighbours_is_refused() -> None:
    class Plain:
        policy = KnowledgeBasePolicy(name="plain")

    with pytest.raises(ConfigError, match="plain does not know what stands around a chunk"):
        ExpandedRetriever(None, Plain(), RetrievalConfig(expand="section"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"expand": "all"}, "expand is 'all'"), ({"neighbours": 17}, "neighbours is 17")],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        RetrievalConfig(**settings)  # type: ignore[arg-type]
