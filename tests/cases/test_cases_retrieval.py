"""Cases from practice about searching: scales, ties, query text, empty corpora, scripts."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import Embedder
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query

AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
POLICY = KnowledgeBasePolicy(name="cases")
ORDER_GUIDE = "The multi-agent guide for C++ and order BENCH-100821: don't panic."


def kb_of(texts: Mapping[str, str], embedder: Embedder | None = None) -> MemoryKnowledgeBase:
    chunks = [Chunk(chunk_id=name, source_id=name, text=text) for name, text in texts.items()]
    return MemoryKnowledgeBase(chunks, policy=POLICY, embedder=embedder)


def pool_for(text: str, kb: MemoryKnowledgeBase, candidates: int = 10) -> CandidatePool:
    embedder = kb.embedder()
    vector = embedder.embed([text])[0] if embedder else None
    query = Query(text=text, as_of=AS_OF, vector=vector)
    return HybridRetriever(kb, RetrievalConfig(candidates=candidates)).retrieve(query)


@pytest.mark.parametrize("text", ["multi-agent", "C++", "don't", "BENCH-100821", "guide: order"])
@pytest.mark.parametrize("embedder", [None, WordEmbedder()])
def test_case_22_user_text_finds_what_it_says(text: str, embedder: Embedder | None) -> None:
    pool = pool_for(text, kb_of({"d1": ORDER_GUIDE, "d2": "Something else."}, embedder))
    assert pool.chunks[0].chunk_id == "d1"
    assert pool.note == ""


@pytest.mark.parametrize(
    "text", ["AND", "NOT", "guide OR", '"unterminated', "NEAR(", "x:y", "+a -b"]
)
def test_case_22_user_text_is_never_query_syntax(text: str) -> None:
    kb = kb_of({"d1": ORDER_GUIDE, "d2": "Something else, or not near."})
    assert pool_for(text, kb).note == ""


@pytest.mark.parametrize("text", ["*", "(", "^", "", "   ", '"', "?!", "\u200b"])
def test_case_22_a_query_without_a_searchable_word_finds_nothing(text: str) -> None:
    pool = pool_for(text, kb_of({"d1": ORDER_GUIDE}, WordEmbedder()))
    assert (len(pool), pool.note, pool.in_domain) == (0, "no_searchable_terms", False)


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        ({}, "empty_knowledge_base"),
        ({"a": ""}, "no_searchable_text"),
        ({"a": "   \n\t", "b": "!!!"}, "no_searchable_text"),
    ],
)
@pytest.mark.parametrize("embedder", [None, WordEmbedder(), MiniLmEmbedder()])
def test_case_23_a_corpus_without_text_gives_an_empty_pool_and_says_why(
    texts: Mapping[str, str], note: str, embedder: Embedder | None
) -> None:
    pool = pool_for("refund", kb_of(texts, embedder))
    assert (len(pool), pool.note, pool.in_domain) == (0, note, False)


SCRIPTS = {
    "k": "초과근무 승인 규칙",
    "f": "Le café naïve est fermé",
    "r": "Правила возврата товара",
    "h": "מדיניות החזרות",
}


@pytest.mark.parametrize(
    ("text", "expected"), [("초과근무", "k"), ("café", "f"), ("возврата", "r"), ("החזרות", "h")]
)
def test_case_24_words_of_every_script_are_found_by_the_lexical_half_alone(
    text: str, expected: str
) -> None:
    kb = kb_of(SCRIPTS)
    assert kb.stats()["chunks_without_terms"] == 0
    assert pool_for(text, kb).chunks[0].chunk_id == expected


def test_case_25_a_zero_vector_is_similar_to_nothing() -> None:
    rows = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]], dtype=np.float32)
    chunks = [Chunk(chunk_id=f"d{n}", source_id="s", text="word") for n in range(3)]
    kb = MemoryKnowledgeBase(chunks, policy=POLICY, vectors=rows)
    found = kb.search("word", np.array([1.0, 0.0], dtype=np.float32), 2).dense
    assert [(hit.chunk_id, round(hit.score, 4)) for hit in found] == [("d0", 1.0), ("d1", 0.7071)]
    zero = Query(text="word", as_of=AS_OF, vector=np.zeros(2, dtype=np.float32))
    pool = HybridRetriever(kb, RetrievalConfig()).retrieve(zero)
    assert kb.search("word", zero.vector, 2).dense == ()
    assert pool.note == "zero_query_vector"


TIES = """
import json, sys
from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk

kb = MemoryKnowledgeBase(
    [Chunk(chunk_id=name, source_id="s", text="the same words") for name in sys.argv[1]],
    policy=KnowledgeBasePolicy(name="ties"), embedder=WordEmbedder(),
)
found = kb.search("same words", WordEmbedder().embed(["same words"])[0], 3)
channels = (found.lexical, found.dense)
print(json.dumps([[(hit.chunk_id, hit.score) for hit in hits] for hits in channels]))
"""


def test_case_20_ties_are_broken_by_id_in_every_process_and_file_order() -> None:
    answers = set()
    for seed, order in enumerate(("hcagbfde", "abcdefgh", "edfbgach", "gdbhfaec", "cehadgfb")):
        done = subprocess.run(
            [sys.executable, "-c", TIES, order],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            timeout=120,
        )
        answers.add(done.stdout)
    assert len(answers) == 1
    lexical, dense = json.loads(answers.pop())
    assert [name for name, _ in lexical] == ["a", "b", "c"]
    assert [name for name, _ in dense] == ["a", "b", "c"]


def test_case_13_the_unit_of_the_lexical_channel_changes_nothing() -> None:
    class Scaled(MemoryKnowledgeBase):
        def search(self, text: str, vector: Any, limit: int) -> Any:
            from dataclasses import replace

            found = super().search(text, vector, limit)
            hits = tuple(replace(hit, score=hit.score * 1000) for hit in found.lexical)
            return replace(found, lexical=hits, lexical_ideal=found.lexical_ideal * 1000)

    words = WordEmbedder()
    texts = {"a": "refund window", "b": "refund of goods in the window", "c": "goods"}
    chunks = [Chunk(chunk_id=name, source_id="s", text=text) for name, text in texts.items()]
    plain, scaled = (
        pool_for("refund of goods", kind(chunks, policy=POLICY, embedder=words))
        for kind in (MemoryKnowledgeBase, Scaled)
    )
    assert [c.chunk_id for c in plain.chunks] == [c.chunk_id for c in scaled.chunks]
    assert plain.relevance.tolist() == scaled.relevance.tolist()
