"""`packhorse report` and `packhorse pack --report` in this process."""

import json
from pathlib import Path

import pytest

from packhorse.packet.files import PACKET_FILES, write_packet
from packhorse.packet.packet import Packet
from tests.cli.command import invoke
from tests.packet.assemblies import assembly
from tests.report.pages import data_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "packed"
    write_packet(Packet.of(assembly()), place)
    return place


def test_the_page_goes_beside_the_packet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, "report", folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert (outcome.code, outcome.out.splitlines()) == (
        0,
        [
            f"[INFO] Report: {folder / 'report.html'}",
            "[INFO] Texts of excluded passages are not in it; add --kb to show them",
        ],
    )
    assert page == Packet.of(assembly()).to_html()
    assert invoke(capsys, "report", folder / "context_packet.json", "-q").out == ""


def test_json_says_what_was_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder.parent / "page.html"
    outcome = invoke(capsys, "report", folder, "-o", place, "--json")
    told = json.loads(outcome.out)
    assert "add --kb" in outcome.err
    assert told == {
        "schema_version": "1",
        "packet": Packet.of(assembly()).trace_id,
        "report": str(place),
        "size_bytes": place.stat().st_size,
    }


@pytest.mark.parametrize("name", [*PACKET_FILES, "Context_Packet.json", "elsewhere/context.txt"])
def test_a_report_never_takes_the_place_of_a_packets_file(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    outcome = invoke(capsys, "report", folder, "-o", folder / name)
    assert (outcome.code, outcome.out) == (2, "")
    assert "is a file of a packet" in outcome.err
    assert outcome.err.count("\n") == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_packet_under_another_name_is_kept_too(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packet = (folder / "context_packet.json").rename(folder / "kept.json")
    before = packet.read_bytes()
    monkeypatch.chdir(folder)
    assert invoke(capsys, "report", packet, "-o", "kept.json").code == 2
    assert packet.read_bytes() == before


def test_a_folder_that_is_not_there_is_not_made(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "report", folder, "-o", folder / "new" / "page.html")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"there is no folder {folder / 'new'}" in outcome.err
    assert outcome.err.count("\n") == 2
    assert not (folder / "new").exists()


def test_a_place_that_cannot_be_written_leaves_what_was_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "report", folder, "-o", folder)
    assert outcome.code == 2
    assert "[ERROR] Cannot write" in outcome.err
    assert "[HINT]" in outcome.err
    assert not (folder / "report.html").exists()


def test_no_packet_is_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, "report", tmp_path, "-o", tmp_path / "page.html")
    assert outcome.code == 2
    assert "context_packet.json" in outcome.err
    assert not (tmp_path / "page.html").exists()


def test_pack_writes_a_report_with_the_texts_of_what_is_out(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb, out = fixtures_dir / "tax_kb", tmp_path / "out"
    question = ("--query", "Can I deduct home office expenses?", "--embedder", "none")
    source = ("--kb", kb, "--budget", 2800)
    outcome = invoke(capsys, "pack", *question, *source, "--out", out, "--report")
    assert f"[INFO] Report: {out / 'report.html'}" in outcome.out
    page = (out / "report.html").read_text(encoding="utf-8")
    packet = Packet.from_json((out / "context_packet.json").read_bytes())
    texts = data_of(page)["texts"]
    assert len(texts) == len(packet.excluded_chunks)
    assert all(text for text, *_ in texts.values())
    again = tmp_path / "again.html"
    told = invoke(capsys, "report", out, "-o", again, "--kb", kb, "--embedder", "none")
    assert told.out == f"[INFO] Report: {again}\n"
    assert again.read_text(encoding="utf-8") == page


def test_an_earlier_report_beside_another_packet_is_warned_of(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "an out"
    arguments = ("pack", "--kb", fixtures_dir / "tax_kb", "--embedder", "none", "--out", out, "-q")
    question = ("--query", "Can I deduct home office expenses?", "--budget")
    invoke(capsys, *arguments, *question, 2800, "--report")
    before = (out / "report.html").read_bytes()
    assert "earlier packet" not in invoke(capsys, *arguments, *question, 2800).err
    outcome = invoke(capsys, *arguments, *question, 1900, "--json")
    warning = f"{out / 'report.html'} shows an earlier packet; for this one: packhorse report"
    assert outcome.err.splitlines()[0] == f"[WARN] {warning} '{out}'"
    assert (out / "report.html").read_bytes() == before
    invoke(capsys, *arguments, *question, 1900, "--report")
    assert "earlier packet" not in invoke(capsys, *arguments, *question, 1900).err


def test_a_report_without_a_folder_is_refused(
    fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = fixtures_dir / "tax_kb"
    outcome = invoke(capsys, "pack", "--query", "x", "--kb", kb, "--report", "--json")
    assert outcome.code == 2
    assert "--out" in outcome.err
