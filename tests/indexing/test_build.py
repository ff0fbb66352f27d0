"""Sources become an index: documents, records, policies, and only what changed."""

import json
from pathlib import Path

import pytest

from packhorse.errors import (
    ChunkError,
    ConfigError,
    FingerprintError,
    InputError,
    MissingExtraError,
    StoreError,
    UnknownStrategyError,
)
from packhorse.indexing.build import build_index
from packhorse.indexing.open import open_kb
from packhorse.kb.manifest import read_manifest


def documents(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "guide.md").write_text("# Guide\n\nRefunds take thirty days.\n")
    (folder / "notes.txt").write_text("The kitchen closes at nine.")
    (folder / "blob.bin").write_bytes(b"\0\1\2")
    (folder / "empty.txt").write_text(" \n")
    return folder


def records(path: Path, *lines: object) -> Path:
    path.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    )
    return path


def record(name: str, text: str, source: str = "s") -> dict[str, object]:
    return {"chunk_id": name, "source_id": source, "text": text}


def test_documents_and_records_are_indexed_together(tmp_path: Path) -> None:
    lines = records(tmp_path / "more.jsonl", record("r1", "Zebras graze."))
    report = build_index([documents(tmp_path / "docs"), lines], tmp_path / "kb", embedder="none")
    assert (report.added, report.chunks, report.sources) == (3, 3, 3)
    assert report.ingest.skipped_empty == ["empty.txt"]
    assert [path for path, _ in report.ingest.skipped_files] == ["blob.bin"]
    kb = open_kb(tmp_path / "kb")
    assert kb.search("refund", None, 3).lexical[0].chunk_id == "guide.md#0000"
    assert kb.search("zebra", None, 3).lexical[0].chunk_id == "r1"
    kb.close()


def test_a_second_run_does_only_what_changed(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    build_index([docs], tmp_path / "kb", embedder="none")
    (docs / "guide.md").write_text("# Guide\n\nRefunds take fourteen days.\n")
    (docs / "notes.txt").unlink()
    (docs / "new.txt").write_text("Something new.")
    report = build_index([docs], tmp_path / "kb")
    moved = (report.added, report.changed, report.removed, report.unchanged)
    assert moved == (1, 1, 1, 0)
    assert report.embedder == "none"


def test_line_ends_do_not_make_a_change(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_bytes(b"one line\nanother line\n")
    build_index([docs], tmp_path / "kb", embedder="none")
    (docs / "a.txt").write_bytes(b"one line\r\nanother line\r\n")
    assert build_index([docs], tmp_path / "kb").unchanged == 1


def test_settings_are_kept_and_others_are_refused(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    build_index([docs], tmp_path / "kb", embedder="none", chunk_tokens=64)
    report = build_index([docs], tmp_path / "kb")
    assert (report.embedder, report.chunk_tokens, report.generation) == ("none", 64, 1)
    with pytest.raises(FingerprintError, match="was built with splitter"):
        build_index([docs], tmp_path / "kb", chunk_tokens=320)
    with pytest.raises(FingerprintError, match="was built with embedder 'none', not 'wordllama"):
        build_index([docs], tmp_path / "kb", embedder="static")
    with pytest.raises(UnknownStrategyError):
        build_index([docs], tmp_path / "kb", embedder="nonsense")
    with pytest.raises(ConfigError, match="chunk_tokens is 0"):
        build_index([docs], tmp_path / "kb", chunk_tokens=0)


def test_a_bad_record_changes_nothing_unless_it_is_skipped(tmp_path: Path) -> None:
    good = records(tmp_path / "r.jsonl", record("a", "one"))
    build_index([good], tmp_path / "kb", embedder="none")
    records(good, record("a", "one"), '{"chunk_id": "b"', record("c", "three"))
    with pytest.raises(ChunkError):
        build_index([good], tmp_path / "kb")
    assert read_manifest(tmp_path / "kb").chunks == 1
    report = build_index([good], tmp_path / "kb", skip_bad_lines=True)
    assert (report.added, report.unchanged) == (1, 1)
    assert [(line, path) for path, line, _ in report.ingest.bad_lines] == [(2, str(good))]


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        build_index([tmp_path / "nowhere"], tmp_path / "kb", embedder="none")


def test_sources_can_be_forgotten(tmp_path: Path) -> None:
    docs, more = documents(tmp_path / "docs"), records(tmp_path / "r.jsonl", record("a", "one"))
    build_index([docs, more], tmp_path / "kb", embedder="none")
    more.unlink()
    report = build_index([], tmp_path / "kb", forget=[more])
    assert (report.removed, report.unchanged) == (1, 2)


def test_an_index_inside_its_source_is_no_document(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    first = build_index([docs], docs / "kb", embedder="none")
    second = build_index([docs], docs / "kb")
    assert (first.chunks, second.chunks, second.unchanged) == (2, 2, 2)


def test_an_index_is_not_written_among_other_files(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    with pytest.raises(StoreError, match="holds other files than an index"):
        build_index([docs], docs, embedder="none")
    with pytest.raises(StoreError, match="is a file"):
        build_index([docs], docs / "guide.md", embedder="none")


def test_policy_of_the_source_and_trust_file_apply_when_opening(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    (docs / "kb.yaml").write_text(
        "name: handbook\ndefault_profile: ../profile.yaml\ntrust: {guide.md: 0.9, notes.txt: 0.1}\n"
    )
    trust = tmp_path / "trust.yaml"
    trust.write_text("notes.txt: 0.4\n'*.md': 0.2\n")
    report = build_index([docs], tmp_path / "deep" / "kb", embedder="none", trust=trust)
    kb = open_kb(tmp_path / "deep" / "kb")
    assert kb.policy.name == "handbook"
    assert kb.policy.default_profile is not None
    assert Path(kb.policy.default_profile).parent.samefile(tmp_path)
    found = kb.get(["guide.md#0000", "notes.txt#0000"])
    assert [chunk.trust_score for chunk in found.values()] == [0.9, 0.4]
    assert kb.snapshot() == report.snapshot
    kb.close()
    (docs / "kb.yaml").unlink()
    build_index([docs], tmp_path / "deep" / "kb")
    kept = open_kb(tmp_path / "deep" / "kb")
    assert kept.policy.name == "handbook"
    kept.close()


def test_a_trust_file_may_be_a_whole_policy(tmp_path: Path) -> None:
    trust = tmp_path / "trust.yaml"
    trust.write_text("trust: {guide.md: 0.7}\nblocked_sources: [notes.txt]\n")
    build_index([documents(tmp_path / "docs")], tmp_path / "kb", embedder="none", trust=trust)
    kb = open_kb(tmp_path / "kb")
    assert kb.policy.blocked_sources == ("notes.txt",)
    assert kb.get(["guide.md#0000"])["guide.md#0000"].trust_score == 0.7
    kb.close()


@pytest.mark.parametrize(
    "text", ["guide.md: 1.5\n", "trust: {a: 2}\n", "trsut: {a: 1}\n", "a: [\n"]
)
def test_a_trust_file_that_cannot_be_used_changes_nothing(tmp_path: Path, text: str) -> None:
    trust = tmp_path / "trust.yaml"
    trust.write_text(text)
    with pytest.raises(ConfigError):
        build_index([documents(tmp_path / "docs")], tmp_path / "kb", embedder="none", trust=trust)
    assert not (tmp_path / "kb" / "manifest.json").exists()


def test_two_policies_are_refused(tmp_path: Path) -> None:
    one, two = documents(tmp_path / "one"), documents(tmp_path / "two")
    for folder in (one, two):
        (folder / "kb.yaml").write_text("name: x\n")
    with pytest.raises(ConfigError, match="both claim to be the policy"):
        build_index([one, two], tmp_path / "kb", embedder="none")


def test_case_26_a_change_of_what_built_it_is_refused_by_the_fingerprint(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    build_index([docs], tmp_path / "kb", embedder="static", chunk_tokens=64)
    with pytest.raises(FingerprintError) as caught:
        build_index([docs], tmp_path / "kb", embedder="minilm")
    assert "wordllama" in caught.value.built_with
    assert "MiniLM" in caught.value.asked_for
    with pytest.raises(FingerprintError, match="chunk_tokens=64"):
        build_index([docs], tmp_path / "kb", chunk_tokens=65)
    with pytest.raises(FingerprintError):
        open_kb(tmp_path / "kb", embedder="minilm")


def test_case_42_and_43_blank_lines_and_empty_texts_are_told_apart(tmp_path: Path) -> None:
    lines = records(
        tmp_path / "r.jsonl",
        record("1", "a"),
        "",
        '{"chunk_id": "2", "text":',
        record("3", "c"),
        "   ",
        record("4", " \n "),
        record("5", "\u200b"),
    )
    report = build_index([lines], tmp_path / "kb", embedder="none", skip_bad_lines=True)
    assert report.chunks == 2
    assert [line for _, line, _ in report.ingest.bad_lines] == [3]
    assert report.ingest.skipped_empty == ["4", "5"]


def test_a_trust_file_goes_over_the_policy_that_the_index_has(tmp_path: Path) -> None:
    docs, more = documents(tmp_path / "docs"), documents(tmp_path / "more")
    (more / "guide.md").rename(more / "manual.md")
    (more / "notes.txt").unlink()
    (docs / "kb.yaml").write_text(
        "name: handbook\nmandatory: [guide.md#0000]\nblocked_sources: [notes.txt]\n"
        "trust: {guide.md: 0.9}\ndefault_profile: ../profile.yaml\n"
    )
    build_index([docs], tmp_path / "deep" / "kb", embedder="none")
    trust = tmp_path / "trust.yaml"
    trust.write_text("manual.md: 0.4\n")
    build_index([more], tmp_path / "deep" / "kb", trust=trust)
    kb = open_kb(tmp_path / "deep" / "kb")
    assert (kb.policy.name, kb.policy.mandatory) == ("handbook", ("guide.md#0000",))
    assert kb.policy.blocked_sources == ("notes.txt",)
    assert dict(kb.policy.trust) == {"guide.md": 0.9, "manual.md": 0.4}
    assert kb.policy.default_profile is not None
    assert Path(kb.policy.default_profile).parent.samefile(tmp_path)
    kb.close()


@pytest.mark.parametrize("chunk_tokens", [-1, 0, 15, 1_000_001, 10**30])
def test_a_chunk_length_out_of_range_is_refused(tmp_path: Path, chunk_tokens: int) -> None:
    docs = documents(tmp_path / "docs")
    with pytest.raises(ConfigError, match=f"chunk_tokens is {chunk_tokens}") as caught:
        build_index([docs], tmp_path / "kb", embedder="none", chunk_tokens=chunk_tokens)
    assert caught.value.hint == "Set it to a number from 16 to 1000000"
    assert not (tmp_path / "kb").exists()


def test_a_path_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    odd = documents(tmp_path / "docs\udcff")
    with pytest.raises(InputError, match="is not UTF-8"):
        build_index([odd], tmp_path / "kb", embedder="none")
    with pytest.raises(InputError, match="is not UTF-8"):
        build_index([documents(tmp_path / "docs")], tmp_path / "kb\udcff", embedder="none")
    assert not (tmp_path / "kb").exists()


def test_a_pdf_in_a_folder_is_reported_when_nothing_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("packhorse.ingest.office.find_spec", lambda _: None)
    docs = documents(tmp_path / "docs")
    (docs / "a.pdf").write_bytes(b"%PDF-1.4")
    report = build_index([docs], tmp_path / "kb", embedder="none")
    assert report.chunks == 2
    assert any(
        name == "a.pdf" and "pip install" in why for name, why in report.ingest.skipped_files
    )
    with pytest.raises(MissingExtraError):
        build_index([docs / "a.pdf"], tmp_path / "other", embedder="none")


def test_a_source_that_may_not_be_looked_at_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = documents(tmp_path / "docs")

    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(StoreError, match="No permission to use"):
        build_index([docs], tmp_path / "kb", embedder="none")
    with pytest.raises(StoreError, match="No permission to use"):
        open_kb(docs, cache_dir=tmp_path / "cache")


def test_text_paths_and_a_single_path_are_sources(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    one = build_index(str(docs), str(tmp_path / "one"), embedder="none")
    other = build_index(docs, tmp_path / "other", embedder="none")
    assert (one.chunks, one.snapshot) == (2, other.snapshot)
    assert build_index((), str(tmp_path / "one"), forget=str(docs)).removed == 2


def test_an_empty_path_is_refused_and_not_the_working_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A path is empty"):
        build_index("", tmp_path / "kb", embedder="none")
    with pytest.raises(InputError, match="A path is empty"):
        build_index(documents(tmp_path / "docs"), " ", embedder="none")


def test_forgetting_what_is_not_there_is_told(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    build_index([docs], tmp_path / "kb", embedder="none")
    report = build_index([], tmp_path / "kb", forget=[tmp_path / "typo"])
    assert report.not_forgotten == (str((tmp_path / "typo").resolve()),)
    assert report.origins == (str(docs.resolve()),)
    with pytest.raises(StoreError, match="No finished index"):
        build_index([], tmp_path / "nowhere", forget=[docs])
    assert not (tmp_path / "nowhere").exists()


def test_another_index_below_a_source_is_no_document(tmp_path: Path) -> None:
    docs = documents(tmp_path / "docs")
    build_index([docs], docs / "old", embedder="none")
    unfinished = docs / "unfinished"
    unfinished.mkdir()
    for name in ("records.sqlite", ".writer.lock"):
        (unfinished / name).write_bytes(b"")
    (unfinished / "ids.text").write_text("words of an index")
    report = build_index([docs], tmp_path / "kb", embedder="none")
    assert report.chunks == 2
    assert ("old", "index made by packhorse index") in report.ingest.skipped_files
    assert ("unfinished", "index made by packhorse index") in report.ingest.skipped_files
    with pytest.raises(InputError, match="is an index, not a source"):
        build_index([docs / "old"], tmp_path / "again", embedder="none")
