"""`packhorse why` in this process, over a packet of the sample run."""

import json
from pathlib import Path

import pytest

from packhorse.api import pack
from packhorse.packet.files import write_packet
from packhorse.packet.packet import Packet
from tests.cli.command import invoke


@pytest.fixture(scope="session")
def packed(fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Packet]:
    packet = pack("Can I deduct home office expenses?", str(fixtures_dir / "tax_kb"), budget=2800)
    folder = tmp_path_factory.mktemp("why")
    write_packet(packet, folder)
    return folder, packet


def test_a_folder_or_its_packet_gives_the_same_answer(
    packed: tuple[Path, Packet], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, packet = packed
    name = packet.excluded_chunks[0].chunk_id
    first = invoke(capsys, "why", folder, name)
    assert first.code == 0
    assert first.out == f"{packet.explain(name)}\n"
    assert invoke(capsys, "why", folder / "context_packet.json", name).out == first.out


def test_json_is_the_object_that_python_gives(
    packed: tuple[Path, Packet], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, packet = packed
    name = packet.packed_chunks[0].chunk_id
    outcome = invoke(capsys, "why", folder, name, "--json")
    told = json.loads(outcome.out)
    expected = packet.explain(name)
    assert told["schema_version"] == "1"
    assert (told["chunk_id"], told["score"]) == (name, expected.score)
    assert [each["kind"] for each in told["counterfactuals"]] == [
        *("budget", "relevance", "trust", "date", "lambda")
    ]
    assert sum(round(share["share"] * 1e6) for share in told["signals"]) == round(
        told["score"] * 1e6
    )


def test_quiet_is_one_line(packed: tuple[Path, Packet], capsys: pytest.CaptureFixture[str]) -> None:
    folder, packet = packed
    outcome = invoke(capsys, "why", folder, packet.packed_chunks[0].chunk_id, "-q")
    assert outcome.out.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "Cannot read"),
        (b"{", "not JSON"),
        (b'{"schema_version": "7"}', "has schema_version '7'"),
    ],
)
def test_what_is_no_packet_is_two_lines(
    content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "context_packet.json"
    if content is not None:
        path.write_bytes(content)
    outcome = invoke(capsys, "why", path, "a")
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 2


def test_an_unknown_chunk_is_two_lines(
    packed: tuple[Path, Packet], capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "why", packed[0], "tax-kb-015")
    assert outcome.code == 2
    assert "retrieval did not find it" in outcome.err
    assert "Did you mean tax-kb-0145, tax-kb-0151" in outcome.err
    assert outcome.err.count("\n") == 2


def test_notes_and_sections_are_explained_too(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = [
        {"id": "old", "text": "The office is small.", "key": "office"},
        {"id": "new", "text": "The office is large.", "key": "office"},
    ]
    house = {"house": {"text": "Amounts are in dollars.", "rule": "whole", "cap": 3}}
    kb = str(fixtures_dir / "tax_kb")
    packet = pack("Home office?", kb, budget=1200, memory=notes, sections=house)
    write_packet(packet, tmp_path)
    told = invoke(capsys, "why", tmp_path, "old")
    assert told.code == 0
    assert told.out.startswith("old: excluded, superseded (by new: key office)\n  score ")
    quiet = invoke(capsys, "why", tmp_path, "new", "-q").out
    assert quiet.startswith("new: included, rank 1 of 1: ")
    section = json.loads(invoke(capsys, "why", tmp_path, "house", "--json").out)
    assert (section["kind"], section["decision"]) == ("section", "got 3 of 13 tokens")
    paragraph = invoke(capsys, "why", tmp_path, "house:1").out
    assert paragraph == "house:1: excluded, exceeded_remaining_budget (needed 5, had 3)\n"
    assert invoke(capsys, "why", tmp_path, "nobody").code == 2
