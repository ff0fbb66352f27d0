"""`packhorse replay` in this process: exit codes, lines and JSON."""

import json
from pathlib import Path

import pytest

from packhorse.api import pack
from packhorse.packet.files import write_packet
from tests.cli.command import invoke


@pytest.fixture(scope="session")
def folder(fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("replay")
    query = "Can I deduct home office expenses?"
    write_packet(pack(query, str(fixtures_dir / "tax_kb"), budget=2800), out)
    return out


def test_the_same_bytes_are_exit_code_0(
    folder: Path, fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "replay", folder, "--kb", fixtures_dir / "tax_kb")
    size = (folder / "context_packet.json").stat().st_size
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"[PASS] Replayed: the same {size} bytes\n"


def test_another_corpus_is_exit_code_1_with_the_first_difference(
    folder: Path, fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (fixtures_dir / "tax_kb" / "chunks.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if '"tax-kb-0088"' not in line]
    (tmp_path / "chunks.jsonl").write_text("\n".join(kept), encoding="utf-8")
    outcome = invoke(capsys, "replay", folder, "--kb", tmp_path / "chunks.jsonl", "--json")
    told = json.loads(outcome.out)
    assert outcome.code == 1
    assert not told["same"]
    assert set(told["difference"]) == {"path", "was", "now"}
    assert told["corpus"]["vanished"] == ["tax-kb-0088"]
    quiet = invoke(capsys, "replay", folder, "--kb", tmp_path / "chunks.jsonl", "-q")
    assert (quiet.code, quiet.out) == (1, "")


def test_a_source_is_read_as_it_was_packed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "chunks.jsonl"
    line = json.dumps({"chunk_id": "a", "source_id": "s", "text": "Reset it with the button."})
    source.write_text(f"{line}\n{{bad\n", encoding="utf-8")
    read_as = ("--kb", source, "--embedder", "none", "--skip-bad-lines")
    out = tmp_path / "out"
    assert invoke(capsys, "pack", "--query", "reset", *read_as, "--out", out).code == 1
    outcome = invoke(capsys, "replay", out, *read_as, "-q")
    assert (outcome.code, outcome.err) == (0, "")


def test_a_packet_that_was_edited_is_exit_code_2(
    folder: Path, fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "context_packet.json"
    text = (folder / "context_packet.json").read_text(encoding="utf-8")
    path.write_text(text.replace('"gpt-4o"', '"gpt-4"'), encoding="utf-8")
    outcome = invoke(capsys, "replay", path, "--kb", fixtures_dir / "tax_kb")
    assert outcome.code == 2
    assert "does not agree with itself" in outcome.err
    assert str(path) in outcome.err
