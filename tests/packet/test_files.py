"""The four files of a packet: all complete, or none replaced."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from packhorse.errors import InputError
from packhorse.packet.csv import explainability_csv
from packhorse.packet.files import write_packet
from packhorse.packet.packet import Packet
from tests.packet.assemblies import assembly, chunk

NAMES = ["context.txt", "context_packet.json", "explainability.csv", "messages.json"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_four_files_hold_exactly_what_the_packet_says(tmp_path: Path) -> None:
    packet = Packet.of(assembly([chunk("a", "税務署\u2028x")]))
    paths = write_packet(packet, tmp_path / "deep" / "out")
    assert sorted(path.name for path in paths) == NAMES
    found = contents(tmp_path / "deep" / "out")
    assert sorted(found) == NAMES
    assert found["context.txt"] == packet.text.encode("utf-8")
    assert found["context_packet.json"] == packet.to_json().encode("utf-8")
    assert found["explainability.csv"] == explainability_csv(packet).encode("utf-8")
    assert json.loads(found["messages.json"]) == packet.request()
    assert Packet.from_json(found["context_packet.json"]) == packet


def test_a_second_run_replaces_all_four_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    write_packet(Packet.of(assembly()), tmp_path)
    other = Packet.of(assembly(budget=40))
    write_packet(other, tmp_path)
    assert sorted(contents(tmp_path)) == sorted([*NAMES, "notes.md"])
    assert contents(tmp_path)["context_packet.json"] == other.to_json().encode("utf-8")


@pytest.mark.parametrize("blocked", NAMES)
def test_when_one_file_cannot_be_replaced_none_is(tmp_path: Path, blocked: str) -> None:
    write_packet(Packet.of(assembly()), tmp_path)
    (tmp_path / blocked).unlink()
    (tmp_path / blocked).mkdir()
    before = {path.name: path.is_file() and path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="Cannot write the packet"):
        write_packet(Packet.of(assembly(budget=40)), tmp_path)
    after = {path.name: path.is_file() and path.read_bytes() for path in tmp_path.iterdir()}
    assert after == before


def test_when_the_first_run_fails_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "messages.json").mkdir()
    with pytest.raises(InputError):
        write_packet(Packet.of(assembly()), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["messages.json"]


@pytest.mark.parametrize("step", range(1, 9))
def test_an_interrupt_leaves_the_files_of_the_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    write_packet(Packet.of(assembly()), tmp_path)
    before = contents(tmp_path)
    calls = []
    fsync, copy = os.fsync, shutil.copy2

    def counted() -> None:
        calls.append(1)
        if len(calls) == step:
            raise KeyboardInterrupt

    def interrupted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        counted()

    def interrupted_copy(source: Path, target: Path) -> object:
        made = copy(source, target)
        counted()
        return made

    monkeypatch.setattr(os, "fsync", interrupted_fsync)
    monkeypatch.setattr(shutil, "copy2", interrupted_copy)
    with pytest.raises(KeyboardInterrupt):
        write_packet(Packet.of(assembly(budget=40)), tmp_path)
    assert contents(tmp_path) == before


def test_a_place_that_is_no_directory_is_an_input_error(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="Cannot write the packet") as caught:
        write_packet(Packet.of(assembly()), place)
    assert "--out" in caught.value.hint
    with pytest.raises(InputError):
        write_packet(Packet.of(assembly()), place / "below")
