"""Whatever a user names is opened; what is no index is indexed once, and again when it changed."""

import json
import os
from pathlib import Path

import pytest

from packhorse.embed.questions import embed_questions
from packhorse.errors import ChunkError, ConfigError, FingerprintError, InputError, StoreError
from packhorse.indexing import cache
from packhorse.indexing.build import build_index
from packhorse.indexing.open import open_kb
from packhorse.ingest.walk import SourceFile
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.protocols import KnowledgeBase
from tests.embed.tiny_embedder import vector_of, write_tiny_embedder


class Steps:
    """Progress that remembers the stages."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage(self, name: str, total: int | None) -> None:
        del total
        self.stages.append(name)

    def advance(self, n: int) -> None:
        """Does not count."""


def record(name: str, text: str) -> str:
    return json.dumps({"chunk_id": name, "source_id": f"s-{name}", "text": text}) + "\n"


def opened(source: Path, cache_dir: Path, steps: Steps | None = None) -> KnowledgeBase:
    return open_kb(source, cache_dir=cache_dir, embedder="none", progress=steps)


def found(kb: KnowledgeBase, text: str) -> list[str]:
    return [hit.chunk_id for hit in kb.search(text, None, 5).lexical]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tax"
    made.mkdir()
    (made / "chunks.jsonl").write_text(record("a", "zebra") + record("b", "ocelot"))
    (made / "readme.md").write_text("This is no chunk of the knowledge base.")
    return made


def test_a_folder_of_chunks_is_opened_with_its_policy(folder: Path, tmp_path: Path) -> None:
    (folder / "kb.yaml").write_text("trust: {s-a: 0.8}\nmandatory: [b]\n")
    kb = opened(folder, tmp_path / "cache")
    assert (kb.policy.name, kb.policy.mandatory) == ("tax", ("b",))
    assert kb.stats()["chunks"] == 2
    assert kb.get(["a"])["a"].trust_score == 0.8
    snapshot = kb.snapshot()
    kb.close()
    (folder / "kb.yaml").write_text("name: other\n")
    again = opened(folder, tmp_path / "cache")
    assert (again.policy.name, again.get(["a"])["a"].trust_score) == ("other", None)
    assert again.snapshot() == snapshot
    again.close()


def test_a_single_file_of_records_is_opened(folder: Path, tmp_path: Path) -> None:
    kb = opened(folder / "chunks.jsonl", tmp_path / "cache")
    assert kb.policy.name == "chunks"
    assert found(kb, "zebras") == ["a"]
    kb.close()


def test_documents_are_opened(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Zebras\n\nThey graze.")
    kb = opened(docs, tmp_path / "cache")
    assert found(kb, "zebra") == ["a.md#0000"]
    kb.close()
    one = opened(docs / "a.md", tmp_path / "cache")
    assert found(one, "zebra") == ["a.md#0000"]
    one.close()


def test_the_second_opening_uses_the_cache(folder: Path, tmp_path: Path) -> None:
    first, second = Steps(), Steps()
    opened(folder, tmp_path / "cache", first).close()
    opened(folder, tmp_path / "cache", second).close()
    assert first.stages == ["first", "read", "index"]
    assert second.stages == []


def test_a_change_of_content_is_noticed_whatever_the_dates_say(
    folder: Path, tmp_path: Path
) -> None:
    chunks = folder / "chunks.jsonl"
    before = chunks.stat()
    opened(folder, tmp_path / "cache").close()
    chunks.write_text(record("a", "okapi") + record("b", "ocelot"))
    os.utime(chunks, ns=(before.st_atime_ns, before.st_mtime_ns))
    kb = opened(folder, tmp_path / "cache")
    assert (found(kb, "zebra"), found(kb, "okapi")) == ([], ["a"])
    kb.close()


def test_a_touched_file_of_the_same_content_is_not_indexed_again(
    folder: Path, tmp_path: Path
) -> None:
    opened(folder, tmp_path / "cache").close()
    os.utime(folder / "chunks.jsonl", (1, 1))
    steps = Steps()
    opened(folder, tmp_path / "cache", steps).close()
    assert steps.stages == []


def test_a_large_source_is_judged_by_its_dates_and_sizes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "HASHED_WHOLE_BYTES", 10)
    opened(folder, tmp_path / "cache").close()
    steps = Steps()
    opened(folder, tmp_path / "cache", steps).close()
    assert steps.stages == []
    (folder / "chunks.jsonl").write_text(record("c", "okapi"))
    kb = opened(folder, tmp_path / "cache")
    assert found(kb, "okapi") == ["c"]
    kb.close()


def test_a_damaged_cache_is_made_anew(folder: Path, tmp_path: Path) -> None:
    opened(folder, tmp_path / "cache").close()
    for ids in (tmp_path / "cache").rglob("ids.text"):
        ids.write_bytes(b"")
    kb = opened(folder, tmp_path / "cache")
    assert found(kb, "zebra") == ["a"]
    kb.close()


def test_a_bad_record_is_an_error_unless_it_is_skipped(folder: Path, tmp_path: Path) -> None:
    with (folder / "chunks.jsonl").open("a") as file:
        file.write("{broken\n")
    with pytest.raises(ChunkError):
        opened(folder, tmp_path / "cache")
    kb = open_kb(folder, cache_dir=tmp_path / "cache", embedder="none", skip_bad_lines=True)
    assert kb.stats()["bad_lines"] == 1
    kb.close()


def test_an_index_is_opened_where_it_is(folder: Path, tmp_path: Path) -> None:
    build_index([folder], tmp_path / "kb", embedder="none")
    kb = open_kb(str(tmp_path / "kb"), cache_dir=tmp_path / "cache")
    assert isinstance(kb, LocalKnowledgeBase)
    assert kb.path == tmp_path / "kb"
    assert not (tmp_path / "cache").exists()
    kb.close()


def test_an_index_of_another_embedder_is_refused(folder: Path, tmp_path: Path) -> None:
    build_index([folder], tmp_path / "kb", embedder="none")
    with pytest.raises(FingerprintError, match="was built with embedder 'none', not 'minilm'"):
        open_kb(tmp_path / "kb", embedder="minilm")


def question_vector(kb: KnowledgeBase) -> list[float]:
    model = kb.embedder()
    assert model is not None
    rows: list[float] = embed_questions(model, ["tax"])[0].tolist()
    return rows


def test_an_index_opens_with_its_model_file_from_another_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_embedder(tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    build_index([folder], "kb", embedder='models/model.onnx,question="query "')
    monkeypatch.chdir(folder)
    with open_kb(tmp_path / "kb") as kb:
        assert question_vector(kb) == pytest.approx(vector_of("[CLS]", "query", "tax", "[SEP]"))
    with open_kb("../kb", embedder='../models/../models/model.onnx,question="query "') as kb:
        assert question_vector(kb)
    with pytest.raises(FingerprintError, match=r"not '\.\./models/model\.onnx'"):
        open_kb("../kb", embedder="../models/model.onnx")


def test_a_model_file_that_was_moved_is_given_by_name_and_then_noted(
    folder: Path, tmp_path: Path
) -> None:
    before = write_tiny_embedder(tmp_path / "before")
    build_index([folder], tmp_path / "kb", embedder=str(before))
    (tmp_path / "before").rename(tmp_path / "now")
    now = str(tmp_path / "now" / "model.onnx")
    with open_kb(tmp_path / "kb") as kb, pytest.raises(ConfigError, match="No file") as caught:
        kb.embedder()
    assert str(before) in caught.value.message
    assert "where it is now with --embedder" in caught.value.hint
    with open_kb(tmp_path / "kb", embedder=now) as kb:
        assert question_vector(kb)
    report = build_index([folder], tmp_path / "kb", embedder=now)
    assert (report.embedded, report.generation, report.unchanged) == (0, 1, 2)
    with open_kb(tmp_path / "kb") as kb:
        assert question_vector(kb)


def test_another_model_in_the_same_place_is_refused_by_an_index_and_read_again_by_the_cache(
    folder: Path, tmp_path: Path
) -> None:
    model = str(write_tiny_embedder(tmp_path / "models"))
    build_index([folder], tmp_path / "kb", embedder=model)
    steps = [Steps(), Steps(), Steps()]
    for at, step in enumerate(steps):
        if at == 2:
            write_tiny_embedder(tmp_path / "models", weight=2.0)
        kb = open_kb(folder, cache_dir=tmp_path / "cache", embedder=model, progress=step)
        assert question_vector(kb)
        kb.close()
    assert [bool(step.stages) for step in steps] == [True, False, True]
    with open_kb(tmp_path / "kb") as kb, pytest.raises(FingerprintError, match="was built with"):
        kb.embedder()


def test_nothing_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No knowledge base at"):
        open_kb(tmp_path / "nowhere")


@pytest.mark.parametrize("url", ["postgresql://host/db", "milvus://host:1/c", "s3://bucket"])
def test_a_url_that_nothing_opens_is_a_clear_error(url: str) -> None:
    with pytest.raises(StoreError, match="cannot open a"):
        open_kb(url)


def test_an_unfinished_index_is_not_taken_for_documents(folder: Path, tmp_path: Path) -> None:
    build_index([folder], tmp_path / "kb", embedder="none")
    (tmp_path / "kb" / "manifest.json").unlink()
    with pytest.raises(StoreError, match="was never finished"):
        open_kb(tmp_path / "kb")


def test_an_unreadable_source_is_an_error_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"\xff\xfex\0")
    with pytest.raises(InputError, match="UTF-16"):
        opened(tmp_path / "x.jsonl", tmp_path / "cache")


def test_the_cache_is_where_the_platform_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_root() == tmp_path / "xdg" / "packhorse"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.cache_root() == tmp_path / "home" / ".cache" / "packhorse"
    assert cache.cache_root(tmp_path / "mine") == tmp_path / "mine"


def test_a_home_that_cannot_be_written_leads_to_the_temporary_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    root = cache.cache_root()
    assert root.parent == tmp_path / "temp"
    assert root.stat().st_mode & 0o077 == 0
    assert cache.cache_root() == root


def test_a_signature_follows_the_files_and_nothing_else(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("x")
    before = cache.signature(docs)
    (docs / "b.txt").write_text("y")
    assert cache.signature(docs) != before
    (docs / "b.txt").unlink()
    assert cache.signature(docs) == before


def test_a_source_record_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    assert cache.read_source_record(tmp_path) == {}
    (tmp_path / "source.json").write_text("[broken")
    assert cache.read_source_record(tmp_path) == {}


def test_a_temporary_directory_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"packhorse-{os.getuid()}").write_text("in the way")
    root = cache.cache_root()
    assert root.name.startswith("packhorse-")
    assert root.is_dir()


def test_files_that_vanish_or_cannot_be_read_do_not_stop_a_signature(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cache.signature(folder)

    def unreadable(*_: object, **__: object) -> None:
        raise PermissionError("no")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", unreadable)
        assert cache.signature(folder) != whole
    with monkeypatch.context() as patched:
        gone = SourceFile(path=folder / "gone", source_id="gone")
        patched.setattr(cache, "knowledge_files", lambda _: iter([gone]))
        assert cache.signature(folder) != whole


def test_a_url_that_something_opens_is_opened(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = opened(folder, tmp_path / "cache")
    monkeypatch.setattr("packhorse.indexing.open.URL_SCHEMES", {"memo": lambda _url: kb})
    assert open_kb("memo://anything") is kb
    kb.close()


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_not_taken_for_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(StoreError, match="has no name"):
        open_kb(name)
