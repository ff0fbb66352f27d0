"""The plain rankings."""

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.evaluate.floors import FloorRetriever, PoolOrder
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import SearchHit, SearchResult
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from tests.strategies import AS_OF

CHUNKS = [Chunk(chunk_id=name, source_id=name, text=name) for name in "abcd"]
QUERY = Query(text="anything", as_of=AS_OF)


class FixedSearch(MemoryKnowledgeBase):
    """Finds the same two lists whatever is asked."""

    def search(self, *_arguments: object) -> SearchResult:
        def hits(names: str) -> tuple[SearchHit, ...]:
            return tuple(SearchHit(chunk_id=name, score=1.0) for name in names)

        return SearchResult(lexical=hits("bad"), dense=hits("cab"))


@pytest.fixture
def kb() -> FixedSearch:
    return FixedSearch(CHUNKS, policy=KnowledgeBasePolicy(name="fixed"))


@pytest.mark.parametrize(("floor", "order"), [("bm25", "bad"), ("dense", "cab"), ("rrf", "bacd")])
def test_a_floor_is_the_order_of_its_channels(floor: str, order: str, kb: FixedSearch) -> None:
    pool = FloorRetriever(kb, floor).retrieve(QUERY)
    assert "".join(chunk.chunk_id for chunk in pool.chunks) == order
    ranking = PoolOrder().rerank(QUERY, pool, {})
    assert ranking.order == tuple(range(len(order)))
    assert not ranking.excluded


def test_the_fused_score_is_the_sum_of_reciprocal_ranks(kb: FixedSearch) -> None:
    pool = FloorRetriever(kb, "rrf").retrieve(QUERY)
    expected = [1 / 61 + 1 / 63, 1 / 62 + 1 / 62, 1 / 61, 1 / 63]
    assert pool.relevance.tolist() == pytest.approx(expected, abs=1e-6)
