"""Knowledge bases close with their block, and say so when they are used after it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.protocols import KnowledgeBase
from packhorse.types.chunk import Chunk

POLICY = KnowledgeBasePolicy(name="handbook")
CHUNKS = [Chunk(chunk_id="a", source_id="s", text="zebra")]
USES: dict[str, Callable[[KnowledgeBase], object]] = {
    "search": lambda kb: kb.search("zebra", None, 1),
    "get": lambda kb: kb.get(["a"]),
    "vectors": lambda kb: kb.vectors(["a"]),
    "embedder": lambda kb: kb.embedder(),
    "stats": lambda kb: kb.stats(),
    "snapshot": lambda kb: kb.snapshot(),
    "with": lambda kb: kb.__enter__(),
}


@pytest.fixture(params=["disk", "memory"])
def kb(request: pytest.FixtureRequest, tmp_path: Path) -> KnowledgeBase:
    if request.param == "memory":
        return MemoryKnowledgeBase(CHUNKS, policy=POLICY)
    with IndexWriter(tmp_path, embedder=None) as writer:
        writer.stage("origin", CHUNKS)
        writer.commit()
    return LocalKnowledgeBase(tmp_path, policy=POLICY)


def test_a_block_gives_the_knowledge_base_and_closes_it(kb: KnowledgeBase) -> None:
    with kb as opened:
        assert opened is kb
        assert [hit.chunk_id for hit in opened.search("zebra", None, 1).lexical] == ["a"]
    for use in USES.values():
        with pytest.raises(StoreError, match="is closed") as caught:
            use(kb)
        assert "Open it again" in caught.value.hint


def test_closing_twice_does_nothing(kb: KnowledgeBase) -> None:
    kb.close()
    kb.close()
