"""Checking an index finds whatever does not add up."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.check import check_index
from packhorse.kb.ids import IdTable
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


def replaced(path: Path, data: bytes) -> None:
    """Puts a new file in the place of one that may be mapped."""
    path.unlink()
    path.write_bytes(data)


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
    kb = opened(folder)
    ends = np.array([2, 4, 6], dtype=np.int64)
    kb.generation.ids = IdTable(np.frombuffer(b"c0c2c1", dtype=np.uint8), ends)
    with pytest.raises(StoreError, match="ids out of order"):
        check_index(kb)
    kb.close()


def test_a_flipped_byte_in_any_file_of_the_generation_is_found(folder: Path) -> None:
    kb = opened(folder)
    files = sorted(kb.manifest.files)
    assert {"vectors.f32", "bm25/meta.json", "ids.text", "hashes.bin"} <= set(files)
    for name in files:
        path = folder / "gen-000001" / name
        data = path.read_bytes()
        if not data:
            continue
        flipped = bytearray(data)
        flipped[len(data) // 2] ^= 0xFF
        replaced(path, bytes(flipped))
        with pytest.raises(StoreError, match=re.escape(f"{name} is damaged: its bytes")):
            check_index(kb)
        replaced(path, data)
    check_index(kb)
    kb.close()


def test_a_lost_file_is_found_when_opening_and_when_checking(folder: Path) -> None:
    kb = opened(folder)
    (folder / "gen-000001" / "terms.rows").unlink()
    with pytest.raises(StoreError, match=r"terms\.rows is missing"):
        check_index(kb)
    kb.close()
    with pytest.raises(StoreError, match=r"terms\.rows is missing"):
        opened(folder)


def test_a_missing_vector_is_found(folder: Path) -> None:
    kb = opened(folder)
    assert kb.generation.vectors is not None
    kb.generation.vectors = kb.generation.vectors[:2]
    with pytest.raises(StoreError, match="2 vectors for 3 chunks"):
        check_index(kb)
    kb.close()
