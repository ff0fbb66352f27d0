"""The writer computes only what changed, publishes all or nothing, and cleans up behind readers."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import FingerprintError, InputError, StoreError
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.writer import IndexChange, IndexWriter
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk

POLICY = KnowledgeBasePolicy(name="test")


def chunk(name: str, text: str, source: str = "s") -> Chunk:
    return Chunk(chunk_id=name, source_id=source, text=text)


def numbered(n: int) -> list[Chunk]:
    return [chunk(f"c{i}", f"passage number {i} about refunds") for i in range(n)]


def write(
    folder: Path,
    chunks: Sequence[Chunk],
    *,
    origin: str = "origin",
    embedder: WordEmbedder | None = None,
    splitter: str = "",
) -> IndexChange:
    with IndexWriter(folder, embedder=embedder, embedder_name="words", splitter=splitter) as writer:
        writer.stage(origin, chunks)
        return writer.commit()


def moved(change: IndexChange) -> tuple[int, int, int, int, int]:
    return (change.added, change.changed, change.removed, change.unchanged, change.embedded)


def opened(folder: Path) -> LocalKnowledgeBase:
    return LocalKnowledgeBase(folder, policy=POLICY)


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("gen-*"))


def test_only_what_changed_is_embedded(tmp_path: Path) -> None:
    chunks = numbered(10)
    assert moved(write(tmp_path, chunks, embedder=WordEmbedder())) == (10, 0, 0, 0, 10)
    again = WordEmbedder()
    assert moved(write(tmp_path, chunks[::-1], embedder=again)) == (0, 0, 0, 10, 0)
    assert again.embedded == []
    new = [replace(chunks[0], text="quite other words"), *chunks[1:8], chunk("d", "more")]
    third = WordEmbedder()
    assert moved(write(tmp_path, new, embedder=third)) == (1, 1, 2, 7, 2)
    assert sorted(third.embedded) == ["more", "quite other words"]


def test_a_change_of_trust_alone_embeds_nothing(tmp_path: Path) -> None:
    chunks = numbered(3)
    write(tmp_path, chunks, embedder=WordEmbedder())
    rated = [replace(one, trust_score=0.9) for one in chunks]
    assert moved(write(tmp_path, rated, embedder=WordEmbedder())) == (0, 3, 0, 0, 0)


def test_an_unchanged_run_publishes_no_new_generation(tmp_path: Path) -> None:
    first = write(tmp_path, numbered(3))
    second = write(tmp_path, numbered(3))
    assert second.manifest == first.manifest
    assert generations(tmp_path) == ["gen-000001"]


def test_an_updated_index_equals_a_clean_build(tmp_path: Path) -> None:
    write(tmp_path / "updated", numbered(40), embedder=WordEmbedder())
    final = [*numbered(30)[5:], chunk("z", "refunds about a passage")]
    write(tmp_path / "updated", final, embedder=WordEmbedder())
    updated = opened(tmp_path / "updated")
    clean = MemoryKnowledgeBase(final, policy=POLICY, embedder=WordEmbedder())
    assert updated.snapshot() == clean.snapshot()
    for text in ("refunds", "passage 7", "number z"):
        vector = WordEmbedder().embed([text])[0]
        one, other = updated.search(text, vector, 10), clean.search(text, vector, 10)
        assert (one.lexical, one.dense) == (other.lexical, other.dense)
    updated.close()


def test_other_sources_stay_when_one_is_indexed_again(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x"), chunk("b", "y")], origin="one")
    write(tmp_path, [chunk("c", "z")], origin="two")
    assert moved(write(tmp_path, [chunk("a", "x")], origin="one")) == (0, 0, 1, 2, 0)
    kb = opened(tmp_path)
    assert sorted(kb.get(["a", "b", "c"])) == ["a", "c"]
    kb.close()


def test_one_id_with_two_contents_in_one_run_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, [chunk("a", "x")])
    with IndexWriter(tmp_path, embedder=None) as writer:
        writer.stage("one", [chunk("b", "y")])
        with pytest.raises(InputError, match="'b' is in one and, with another content, in two"):
            writer.stage("two", [chunk("b", "z")])
    kb = opened(tmp_path)
    assert kb.stats()["chunks"] == 1
    kb.close()


def test_an_id_of_another_source_that_still_exists_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    write(tmp_path / "kb", [chunk("a", "x")], origin=str(source))
    with pytest.raises(InputError, match="with another content, in elsewhere"):
        write(tmp_path / "kb", [chunk("a", "y")], origin="elsewhere")
    source.rmdir()
    assert moved(write(tmp_path / "kb", [chunk("a", "y")], origin="elsewhere"))[1] == 1


def test_an_equal_chunk_of_a_second_source_counts_once(tmp_path: Path) -> None:
    with IndexWriter(tmp_path, embedder=None) as writer:
        writer.stage("one", [chunk("a", "x")])
        writer.stage("two", [chunk("a", "x")])
        assert writer.commit().manifest.chunks == 1


def test_an_error_of_the_source_leaves_the_old_index(tmp_path: Path) -> None:
    write(tmp_path, numbered(3))

    def broken() -> Iterator[Chunk]:
        yield from numbered(700)
        raise OSError("gone")

    with IndexWriter(tmp_path, embedder=None) as writer, pytest.raises(OSError, match="gone"):
        writer.stage("origin", broken())
    kb = opened(tmp_path)
    assert kb.stats()["chunks"] == 3
    kb.close()
    assert moved(write(tmp_path, numbered(4))) == (1, 0, 0, 3, 0)


def test_vectors_made_before_an_error_are_kept_for_the_next_run(tmp_path: Path) -> None:
    class Failing(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> "object":  # type: ignore[override]  # fails late
            if len(self.embedded) >= 64:
                raise RuntimeError("out of order")
            return super().embed(texts)

    with pytest.raises(RuntimeError):
        write(tmp_path, numbered(100), embedder=Failing())
    assert write(tmp_path, numbered(100), embedder=WordEmbedder()).embedded == 36


def test_two_writers_exclude_each_other(tmp_path: Path) -> None:
    with (
        IndexWriter(tmp_path, embedder=None),
        pytest.raises(StoreError, match="Another process is indexing into"),
    ):
        IndexWriter(tmp_path, embedder=None)
    IndexWriter(tmp_path, embedder=None).close()


@pytest.mark.parametrize(
    ("embedder", "splitter", "word"),
    [(None, "300", "embedder"), (WordEmbedder(), "200", "splitter")],
)
def test_another_embedder_or_splitter_is_refused(
    tmp_path: Path, embedder: WordEmbedder | None, splitter: str, word: str
) -> None:
    write(tmp_path, numbered(2), embedder=WordEmbedder(), splitter="300")
    with pytest.raises(FingerprintError, match=f"was built with {word}"):
        write(tmp_path, numbered(2), embedder=embedder, splitter=splitter)
    write(tmp_path, numbered(3), embedder=WordEmbedder(), splitter="300")


def test_an_open_reader_keeps_answering_from_its_generation(tmp_path: Path) -> None:
    write(tmp_path, numbered(3), embedder=WordEmbedder())
    reader = opened(tmp_path)
    before = reader.search("passage", None, 10)
    for n in (5, 7, 9, 11):
        write(
            tmp_path, [chunk(f"n{i}", f"other {n} {i}") for i in range(n)], embedder=WordEmbedder()
        )
    after = reader.search("passage", None, 10)
    assert after.lexical == before.lexical
    assert set(reader.get([hit.chunk_id for hit in after.lexical])) == {"c0", "c1", "c2"}
    assert "gen-000001" in generations(tmp_path)
    reader.close()
    write(tmp_path, numbered(1), embedder=WordEmbedder())
    assert generations(tmp_path) == ["gen-000005", "gen-000006"]


def test_records_of_removed_generations_are_dropped(tmp_path: Path) -> None:
    import sqlite3

    for n in (50, 2, 3):
        write(tmp_path, [chunk(f"{n}-{i}", f"text {n} {i}") for i in range(n)])
    connection = sqlite3.connect(tmp_path / "records.sqlite")
    assert connection.execute("select count(*) from chunks").fetchone()[0] == 5
    connection.close()


def test_an_empty_source_makes_an_empty_index(tmp_path: Path) -> None:
    change = write(tmp_path, [], embedder=WordEmbedder())
    assert change.manifest.chunks == 0
    kb = opened(tmp_path)
    assert kb.search("x", None, 3).note == "empty_knowledge_base"
    kb.close()


def test_an_embedder_that_breaks_its_promise_is_found(tmp_path: Path) -> None:
    embedder = WordEmbedder(32)
    embedder.embed = lambda texts: WordEmbedder(16).embed(texts)  # type: ignore[method-assign]  # short
    with pytest.raises(StoreError, match="has a vector of 16 numbers, not 32"):
        write(tmp_path, numbered(2), embedder=embedder)


def test_a_disk_that_fails_is_a_clear_error_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, numbered(2))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("packhorse.kb.writer.write_generation", full)
        with pytest.raises(StoreError, match="No space left on device"):
            write(tmp_path, numbered(3))
    kb = opened(tmp_path)
    assert kb.stats()["chunks"] == 2
    kb.close()


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="Cannot use"):
        IndexWriter(tmp_path / "file" / "kb", embedder=None)


def test_a_record_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "records.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="Cannot write"):
        IndexWriter(tmp_path, embedder=None)
    IndexWriter(tmp_path / "other", embedder=None).close()


def test_a_directory_that_cannot_be_written_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("packhorse.kb.lock.os.open", refuse)
    with pytest.raises(StoreError, match=r"Cannot write into .*: Permission denied"):
        write(tmp_path, numbered(1))


def test_a_disk_that_is_full_while_reading_the_sources_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, [chunk("a", "x")])

    def full(*_arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("packhorse.kb.records.RecordWriter.stage", full)
        with pytest.raises(StoreError, match="database or disk is full"):
            write(tmp_path, [chunk("a", "y")])
    assert write(tmp_path, [chunk("a", "x")]).unchanged == 1
