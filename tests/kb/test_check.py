"""Checking an index finds whatever does not add up."""

from dataclasses import replace
from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.check import check_index
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chunks = [Chunk(chunk_id=f"c{n}", source_id="s", text=f"text {n}") for n in range(3)]
    with IndexWriter(tmp_path, embedder=WordEmbedder()) as writer:
        writer.stage("origin", chunks)
        writer.commit()
    return tmp_path


def opened(folder: Path) -> LocalKnowledgeBase:
    return LocalKnowledgeBase(folder, policy=KnowledgeBasePolicy(name="test"))


def test_a_whole_index_passes(folder: Path) -> None:
    kb = opened(folder)
    check_index(kb)
    kb.close()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("chunks", 4, "3 ids for 4 chunks"), ("snapshot", "0" * 64, "do not add up")],
)
def test_a_manifest_that_says_something_else_is_found(
    folder: Path, field: str, value: object, message: str
) -> None:
    kb = opened(folder)
    kb.manifest = replace(kb.manifest, **{field: value})  # type: ignore[arg-type]  # by name
    with pytest.raises(StoreError, match=message):
        check_index(kb)
    kb.close()


def test_ids_out_of_order_are_found(folder: Path) -> None:
    (folder / "gen-000001" / "ids.text").write_bytes(b"c0c2c1")
    kb = opened(folder)
    with pytest.raises(StoreError, match="ids out of order"):
        check_index(kb)
    kb.close()


def test_a_missing_vector_is_found(folder: Path) -> None:
    kb = opened(folder)
    assert kb.generation.vectors is not None
    kb.generation.vectors = kb.generation.vectors[:2]
    with pytest.raises(StoreError, match="2 vectors for 3 chunks"):
        check_index(kb)
    kb.close()
