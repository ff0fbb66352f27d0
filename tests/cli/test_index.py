"""`packhorse index`: what it prints, what it returns, and that it leaves nothing half-done."""

import io
import json
import sys
from pathlib import Path

import pytest

from packhorse.cli.progress import TerminalProgress
from tests.cli.command import invoke


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nRefunds take thirty days.\n")
    (folder / "notes.txt").write_text("The kitchen closes at nine.")
    (folder / "blob.bin").write_bytes(b"\0\1\2")
    return folder


def test_a_run_says_what_it_did(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = tmp_path / "kb"
    first = invoke(capsys, "index", docs, "--kb", kb, "--embedder", "none")
    assert first.code == 0
    assert f"[INFO] Index {kb}: 2 chunks from 2 sources (embedder none, snapshot " in first.out
    assert "2 added, 0 changed, 0 removed, 0 unchanged, 0 embedded" in first.out
    assert "1 not read: blob.bin (" in first.out
    assert first.err == ""
    (docs / "notes.txt").unlink()
    second = invoke(capsys, "index", docs, "--kb", kb)
    assert "0 added, 0 changed, 1 removed, 1 unchanged, 0 embedded" in second.out


def test_json_puts_one_document_on_stdout(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "none", "--json")
    document = json.loads(done.out)
    assert (done.code, document["schema_version"], document["added"]) == (0, "1", 2)
    assert document["skipped"]["files"][0]["path"] == "blob.bin"
    assert "[INFO]" in done.err
    quiet = invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--json", "-q")
    assert json.loads(quiet.out)["unchanged"] == 2
    assert quiet.err == ""


def test_verify_passes_a_whole_index_and_fails_a_damaged_one(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = tmp_path / "kb"
    done = invoke(capsys, "index", docs, "--kb", kb, "--embedder", "static", "--verify")
    assert (done.code, "[PASS] Every file and record" in done.out) == (0, True)
    alone = invoke(capsys, "index", "--verify", "--kb", kb, "--json")
    assert json.loads(alone.out)["verified"] is True
    vectors = next(kb.glob("gen-*/vectors.f32"))
    vectors.write_bytes(b"\x7f" * len(vectors.read_bytes()))
    damaged = invoke(capsys, "index", "--verify", "--kb", kb)
    assert damaged.code == 2
    assert damaged.err.splitlines()[0].startswith(f"[ERROR] {vectors} is damaged")
    assert damaged.err.splitlines()[1].startswith("[HINT]")


def test_verify_of_what_is_no_index_is_refused(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kb in (docs, tmp_path / "nowhere"):
        done = invoke(capsys, "index", "--verify", "--kb", kb)
        assert done.code == 2
        assert "[ERROR]" in done.err


def test_bad_lines_stop_the_run_or_are_reported_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "r.jsonl"
    lines.write_text('{"chunk_id": "a", "source_id": "s", "text": "one"}\n{broken\n')
    arguments = ("index", lines, "--kb", tmp_path / "kb", "--embedder", "none")
    stopped = invoke(capsys, *arguments)
    assert stopped.code == 2
    assert f"{lines} line 2" in stopped.err
    assert not (tmp_path / "kb" / "manifest.json").exists()
    skipped = invoke(capsys, *arguments, "--skip-bad-lines", "-q")
    assert (skipped.code, skipped.out) == (1, "")
    assert f"[WARN] 1 left out as bad lines: {lines} line 2" in skipped.err


def test_an_index_without_any_word_warns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "r.jsonl"
    lines.write_text('{"chunk_id": "a", "source_id": "s", "text": "!!!"}\n')
    arguments = ("index", lines, "--kb", tmp_path / "kb", "--embedder", "none")
    wordless = invoke(capsys, *arguments)
    assert wordless.code == 1
    assert "Nothing in this index can be searched" in wordless.err
    with lines.open("a") as file:
        file.write('{"chunk_id": "b", "source_id": "s", "text": "word"}\n')
    mixed = invoke(capsys, *arguments)
    assert (mixed.code, "1 chunk without any word" in mixed.out) == (0, True)


def test_no_source_and_an_unknown_embedder_are_refused(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = invoke(capsys, "index", "--kb", tmp_path / "kb")
    assert (nothing.code, "No source to index" in nothing.err) == (2, True)
    unknown = invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "bert")
    assert (unknown.code, "minilm" in unknown.err) == (2, True)
    assert not (tmp_path / "kb").exists()


def test_a_source_is_forgotten(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "none")
    done = invoke(capsys, "index", "--forget", docs, "--kb", tmp_path / "kb")
    assert "2 removed" in done.out
    assert done.code == 1


def test_a_long_list_is_cut_and_its_length_is_said(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(9):
        (docs / f"b{n}.txt").write_text(" ")
    done = invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "none")
    assert "9 without any text: b0.txt, " in done.out
    assert " and 4 more" in done.out


def test_many_files_that_were_not_read_are_counted_by_reason(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(9):
        (docs / f"b{n}.bin").write_bytes(b"\0")
        (docs / f"style{n}.css").write_text("p {}")
    for suffix in ("js", "svg", "json", "xml", "map", "inv"):
        (docs / f"a.{suffix}").write_text("x")
    done = invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "none")
    assert "25 not read: 10 binary file: it holds NUL bytes, such as b0.bin; " in done.out
    assert "; 9 no document format (.css), such as style0.css; " in done.out
    assert done.out.count("; and 3 other reasons") == 1


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_bars_are_shown_to_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, quiet, shown in (
        (Terminal(), False, True),
        (Terminal(), True, False),
        (io.StringIO(), False, False),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        with TerminalProgress(quiet=quiet) as progress:
            progress.stage("read", None)
            progress.advance(5)
            progress.advance(7)
            progress.stage("embed", 10)
            progress.advance(10)
            progress.stage("other", 2)
        assert ("Embedding  [" in stream.getvalue()) is shown
        assert ("\rReading  12 chunks\n" in stream.getvalue()) is shown


def test_verify_does_not_index_what_is_no_index(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outcome = invoke(capsys, "index", "--verify", "--kb", docs)
    assert outcome.code == 2
    assert "is no index" in outcome.err
    assert not (tmp_path / "cache").exists()


class Clock:
    """Moves on by what it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.6, " (about 20 s)"), (4.5, " (about 3 min)"), (200.0, " (about 125 min)")],
)
def test_without_a_terminal_each_stage_is_a_line_and_the_embedding_says_how_long(
    monkeypatch: pytest.MonkeyPatch, seconds: float, expected: str
) -> None:
    stream, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", stream)
    with TerminalProgress(clock=clock) as progress:
        progress.stage("first", None)
        progress.stage("read", None)
        progress.advance(500)
        progress.stage("embed", 2455)
        clock.now += seconds
        progress.advance(64)
        progress.advance(64)
        progress.stage("embed", 0)
        progress.stage("index", 1)
    assert stream.getvalue().splitlines() == [
        "[INFO] Indexing documents for the first use",
        "[INFO] Reading documents",
        f"[INFO] Embedding 2455 chunks{expected}",
        "[INFO] Indexing 1 chunk",
    ]


def test_short_work_is_silent_and_long_work_speaks_late(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", stream)
    with TerminalProgress(clock=clock) as progress:
        progress.stage("read", None)
        clock.now += 0.1
        progress.stage("embed", 640)
        clock.now += 0.1
        progress.advance(64)
        assert stream.getvalue() == ""
        clock.now += 60
        progress.stage("index", 640)
    assert stream.getvalue().splitlines() == [
        "[INFO] Reading documents",
        "[INFO] Embedding 640 chunks",
        "[INFO] Indexing 640 chunks",
    ]


def test_why_there_is_work_at_all_is_said_to_a_terminal_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for quiet, expected in (
        (False, "[INFO] Indexing documents again: they have changed\n"),
        (True, ""),
    ):
        stream, clock = Terminal(), Clock()
        monkeypatch.setattr(sys, "stderr", stream)
        with TerminalProgress(quiet=quiet, clock=clock) as progress:
            clock.now += 60
            progress.stage("again", None)
        assert stream.getvalue() == expected


def test_lost_files_are_warned_of_even_when_quiet(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("index", docs, "--kb", tmp_path / "kb", "--embedder", "none", "-q")
    fine = invoke(capsys, *arguments)
    assert (fine.code, fine.out, fine.err) == (0, "", "")
    (docs / "notes.gz").write_bytes(b"no gzip")
    lost = invoke(capsys, *arguments)
    assert (lost.code, lost.out) == (1, "")
    assert lost.err.startswith("[WARN] 1 lost, could not be read: notes.gz (damaged gzip data")
    files = json.loads(invoke(capsys, *arguments, "--json").out)["skipped"]["files"]
    assert {file["path"]: file["lost"] for file in files} == {"blob.bin": False, "notes.gz": True}


def test_a_source_that_was_never_there_cannot_be_forgotten_in_silence(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(capsys, "index", docs, "--kb", tmp_path / "kb", "--embedder", "none")
    typo = tmp_path / "typo"
    done = invoke(capsys, "index", "--forget", typo, "--kb", tmp_path / "kb", "-q")
    assert done.code == 1
    assert done.err == f"[WARN] Nothing to forget of {typo}: the index held {docs}\n"


def test_a_damaged_inverted_index_is_named_by_its_file(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = tmp_path / "kb"
    invoke(capsys, "index", docs, "--kb", kb, "--embedder", "none")
    for meta in kb.glob("gen-*/bm25/meta.json"):
        meta.write_bytes(b"x" * meta.stat().st_size)
    done = invoke(capsys, "index", "--verify", "--kb", kb)
    assert done.code == 2
    assert "bm25/meta.json is damaged: its bytes are not those that were written" in done.err
