"""The knowledge base in memory keeps the contract and refuses what it cannot hold."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import InputError, StoreError
from packhorse.kb import memory
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import Embedder, KnowledgeBase
from packhorse.testing.embedder import WordEmbedder
from packhorse.testing.knowledge_base import KnowledgeBaseContract
from packhorse.testing.neighbours import NeighboursContract
from packhorse.types.chunk import Chunk

POLICY = KnowledgeBasePolicy(name="test")


class TestMemoryKnowledgeBase(KnowledgeBaseContract, NeighboursContract):
    def make(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> KnowledgeBase:
        return MemoryKnowledgeBase(chunks, policy=POLICY, embedder=embedder)


def chunk(name: str, text: str) -> Chunk:
    return Chunk(chunk_id=name, source_id="s", text=text)


def test_two_chunks_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="'b' occurs more than once"):
        MemoryKnowledgeBase([chunk(name, "x") for name in "abcb"], policy=POLICY)


def test_vectors_that_are_given_follow_their_chunks() -> None:
    rows = np.array([[0.0, 2.0], [3.0, 0.0]], dtype=np.float32)
    kb = MemoryKnowledgeBase([chunk("b", "x"), chunk("a", "y")], policy=POLICY, vectors=rows)
    found = kb.vectors(["a", "b"])
    assert found is not None
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_another_number_of_vectors_than_chunks_is_refused() -> None:
    with pytest.raises(StoreError, match="1 vectors for 2 chunks"):
        MemoryKnowledgeBase(
            [chunk("a", "x"), chunk("b", "x")], policy=POLICY, vectors=np.zeros((1, 4))
        )


def test_vectors_of_an_unknown_id_are_an_error() -> None:
    kb = MemoryKnowledgeBase([chunk("a", "x")], policy=POLICY, embedder=WordEmbedder())
    with pytest.raises(StoreError, match="No chunk 'b' in test"):
        kb.vectors(["a", "b"])


def test_nothing_is_embedded_before_the_first_search() -> None:
    embedder = WordEmbedder()
    kb = MemoryKnowledgeBase([chunk("a", "x")], policy=POLICY, embedder=embedder)
    kb.get(["a"])
    kb.snapshot()
    assert embedder.embedded == []
    kb.search("x", None, 1)
    assert embedder.embedded == ["x"]


def test_the_header_is_searched_with_the_text() -> None:
    titled = Chunk(chunk_id="a", source_id="s", header="Zebras", text="They graze.")
    kb = MemoryKnowledgeBase([titled, chunk("b", "Horses graze.")], policy=POLICY)
    assert [hit.chunk_id for hit in kb.search("zebra", None, 5).lexical] == ["a"]


def test_stats_name_chunks_without_any_term() -> None:
    kb = MemoryKnowledgeBase([chunk("a", "x"), chunk("b", "***")], policy=POLICY)
    assert kb.stats()["chunks_without_terms"] == 1


@given(
    texts=st.lists(st.lists(st.sampled_from("abcdef"), max_size=9).map(" ".join), max_size=20),
    query=st.lists(st.sampled_from("abcdefg"), max_size=5).map(" ".join),
    limit=st.integers(0, 25),
)
def test_many_chunks_are_searched_as_few_are(texts: list[str], query: str, limit: int) -> None:
    chunks = [chunk(f"{row:02}", text) for row, text in enumerate(texts)]
    few = MemoryKnowledgeBase(chunks, policy=POLICY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "MAX_SCANNED", -1)
        many = MemoryKnowledgeBase(chunks, policy=POLICY).search(query, None, limit)
    found = few.search(query, None, limit)
    assert found.lexical == many.lexical
    assert found.lexical_ideal == many.lexical_ideal
    assert found.note == many.note
