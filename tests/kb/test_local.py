"""An index on disk keeps the contract, and equals the same chunks in memory."""

import gc
import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import KnowledgeBasePolicy
from packhorse.embed import registry
from packhorse.errors import FingerprintError, StoreError
from packhorse.kb.check import check_index
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.manifest import FORMAT_VERSION
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.protocols import Embedder, KnowledgeBase
from packhorse.testing.embedder import WordEmbedder
from packhorse.testing.knowledge_base import KnowledgeBaseContract
from packhorse.testing.neighbours import NeighboursContract
from packhorse.types.chunk import Chunk
from tests.strategies import chunk_lists

POLICY = KnowledgeBasePolicy(name="test")


def write(folder: Path, chunks: Sequence[Chunk], embedder: Embedder | None = None) -> None:
    with IndexWriter(folder, embedder=embedder, embedder_name="words") as writer:
        writer.stage("origin", chunks)
        writer.commit()


def opened(folder: Path) -> LocalKnowledgeBase:
    return LocalKnowledgeBase(folder, policy=POLICY)


def chunk(name: str, text: str) -> Chunk:
    return Chunk(chunk_id=name, source_id=f"s-{name}", text=text)


@pytest.fixture(autouse=True)
def _words_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**registry.BY_NAME, "words": lambda _name: WordEmbedder()}
    monkeypatch.setattr(registry, "BY_NAME", known)


class TestLocalKnowledgeBase(KnowledgeBaseContract, NeighboursContract):
    @pytest.fixture(autouse=True)
    def _folders(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.made = 0

    def make(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> KnowledgeBase:
        self.made += 1
        folder = self.folder / str(self.made)
        write(folder, chunks, embedder)
        return opened(folder)


@given(chunk_lists(max_size=8), st.lists(st.text(max_size=12), max_size=3))
def test_disk_and_memory_give_the_same_results(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[Chunk], queries: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("kb")
    write(folder, chunks, WordEmbedder())
    disk = opened(folder)
    memory = MemoryKnowledgeBase(chunks, policy=POLICY, embedder=WordEmbedder())
    assert disk.snapshot() == memory.snapshot()
    names = [chunk.chunk_id for chunk in chunks]
    assert dict(disk.get(names)) == dict(memory.get(names))
    assert [found.content_hash() for found in disk.get(names).values()] == [
        chunk.content_hash() for chunk in chunks
    ]
    for text in [*queries, *(chunk.text[:40] for chunk in chunks[:3])]:
        vector = WordEmbedder().embed([text])[0]
        one, other = disk.search(text, vector, 5), memory.search(text, vector, 5)
        assert (one.lexical, one.dense, one.note) == (other.lexical, other.dense, other.note)
        assert one.lexical_ideal == other.lexical_ideal
    check_index(disk)
    disk.close()


def test_no_index_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No finished index") as caught:
        opened(tmp_path)
    assert "packhorse index" in caught.value.hint


def test_another_format_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"format": {FORMAT_VERSION}', '"format": 99'))
    with pytest.raises(StoreError, match="index format 99"):
        opened(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 1}'])
def test_a_broken_manifest_is_a_clear_error(tmp_path: Path, text: str) -> None:
    write(tmp_path, [chunk("a", "x")])
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(StoreError):
        opened(tmp_path)


def test_a_truncated_file_is_noticed_when_opening(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x"), chunk("b", "y")], WordEmbedder())
    vectors = tmp_path / "gen-000001" / "vectors.f32"
    vectors.write_bytes(vectors.read_bytes()[:-4])
    with pytest.raises(StoreError, match=r"vectors\.f32 is damaged: 508 bytes, 512 were written"):
        opened(tmp_path)


def test_a_missing_generation_is_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    (tmp_path / "gen-000001").rename(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is missing"):
        opened(tmp_path)


def test_another_embedder_of_the_same_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")], WordEmbedder(name="yesterday"))
    kb = opened(tmp_path)
    with pytest.raises(FingerprintError) as caught:
        kb.embedder()
    assert caught.value.built_with == "yesterday dim=64"
    assert caught.value.asked_for == "word-embedder dim=64"
    kb.close()


def test_trust_of_the_operator_stands_in_for_that_of_the_record(tmp_path: Path) -> None:
    rated = Chunk(chunk_id="a", source_id="s-a", text="x", trust_score=0.2)
    write(tmp_path, [rated, chunk("b", "y")])
    kb = LocalKnowledgeBase(tmp_path, policy=POLICY, trust_of={"s-a": 0.9}.get)
    assert [found.trust_score for found in kb.get(["a", "b"]).values()] == [0.9, None]
    check_index(kb)
    kb.close()


def test_check_finds_a_changed_record(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "thirty days"), chunk("b", "y")])
    connection = sqlite3.connect(tmp_path / "records.sqlite")
    connection.execute("update chunks set payload = cast(replace(payload, 'days', 'dogs') as blob)")
    connection.commit()
    connection.close()
    kb = opened(tmp_path)
    with pytest.raises(StoreError, match="chunk 'a' is not what was indexed"):
        check_index(kb)
    kb.close()


def test_damaged_records_are_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk(f"c{n}", "words " * 200 + str(n)) for n in range(50)])
    records = tmp_path / "records.sqlite"
    whole = records.read_bytes()
    records.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError):
        opened(tmp_path).get([f"c{n}" for n in range(50)])


def test_a_damaged_inverted_index_is_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    meta = tmp_path / "gen-000001" / "bm25" / "meta.json"
    meta.write_bytes(b"x" * len(meta.read_bytes()))
    with pytest.raises(StoreError, match="bm25 is damaged: Data corrupted"):
        opened(tmp_path)


def test_check_finds_a_damaged_vector(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")], WordEmbedder())
    vectors = tmp_path / "gen-000001" / "vectors.f32"
    vectors.write_bytes(b"\x7f" * len(vectors.read_bytes()))
    kb = opened(tmp_path)
    with pytest.raises(StoreError, match=r"vectors\.f32 is damaged: its bytes are not"):
        check_index(kb)
    kb.close()


def test_a_record_that_is_gone_is_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    connection = sqlite3.connect(tmp_path / "records.sqlite")
    connection.execute("delete from chunks")
    connection.commit()
    connection.close()
    kb = opened(tmp_path)
    with pytest.raises(StoreError, match="its record is gone"):
        kb.get(["a"])
    kb.close()


def test_a_medium_that_takes_no_lock_files_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, [chunk("a", "x")])
    connect: Any = sqlite3.connect
    refused: list[str] = []

    def unlockable(path: str, **options: Any) -> Any:
        if "immutable" not in path:
            refused.append(path)
            return connect(":memory:")
        return connect(path, **options)

    monkeypatch.setattr("sqlite3.connect", unlockable)
    kb = opened(tmp_path)
    assert list(kb.get(["a"])) == ["a"]
    assert len(refused) == 1
    kb.close()


def test_records_that_are_no_database_are_a_clear_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    (tmp_path / "records.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="Cannot open"):
        opened(tmp_path)


def test_vectors_of_an_unknown_id_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")], WordEmbedder())
    kb = opened(tmp_path)
    with pytest.raises(StoreError, match="No chunk 'b' in test"):
        kb.vectors(["a", "b"])
    kb.close()


def test_every_file_can_be_read_by_whoever_may_read_the_folder(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    files = [path for path in (tmp_path / "gen-000001").rglob("*") if path.is_file()]
    assert {path.stat().st_mode for path in files} == {(tmp_path / "manifest.json").stat().st_mode}


def test_the_manifest_names_what_the_index_was_built_with(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")], WordEmbedder())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["fingerprint"] == {
        "analysis": "1",
        "embedder": "word-embedder dim=64",
        "embedder_name": "words",
        "splitter": "",
    }


def test_an_index_whose_lock_file_cannot_be_written_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb_dir, temporary = tmp_path / "kb", tmp_path / "temp"
    write(kb_dir, [chunk("a", "zebra"), chunk("b", "ocelot")])
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    lock = kb_dir / "gen-000001" / "bm25" / ".tantivy-meta.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()  # nobody can open a directory for writing, the administrator included
    kb = opened(kb_dir)
    assert [hit.chunk_id for hit in kb.search("ocelots", None, 5).lexical] == ["b"]
    assert list(temporary.iterdir()) == []
    kb.close()


@pytest.mark.parametrize("name", ["lease", "hashes.bin"])
def test_a_file_that_may_not_be_read_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write(tmp_path, [chunk("a", "x")])
    to_open, mapped = os.open, np.memmap

    def refuse(path: Any, *arguments: Any, **options: Any) -> Any:
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied", str(path))
        make = to_open if name == "lease" else mapped
        return make(path, *arguments, **options)

    target = "packhorse.kb.lock.os.open" if name == "lease" else "numpy.memmap"
    with monkeypatch.context() as patched:
        patched.setattr(target, refuse)
        with pytest.raises(StoreError, match="Permission denied"):
            opened(tmp_path)
    opened(tmp_path).close()


def test_a_reader_that_is_forgotten_gives_its_generation_back(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    kb = opened(tmp_path)
    kb.close()
    kb.close()
    forgotten = opened(tmp_path)
    write(tmp_path, [chunk("a", "y")])
    assert (tmp_path / "gen-000001").exists()
    del forgotten
    gc.collect()
    write(tmp_path, [chunk("a", "z")])
    assert not (tmp_path / "gen-000001").exists()
