"""Packets in files, folders and logs: each found once, and what is none named with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from packhorse.errors import InputError
from packhorse.explain.stats.packet_log import ReadReport, found_files, read_packets
from packhorse.packet.files import write_packet
from packhorse.packet.packet import Packet
from tests.explain.random_packs import random_packets


@pytest.fixture(scope="module")
def packets() -> list[Packet]:
    return [packet for _, (_, _, packet) in zip(range(3), random_packets(31), strict=False)]


def read(*paths: Path, skip_bad: bool = False) -> tuple[list[Packet], ReadReport]:
    report = ReadReport()
    found = read_packets(found_files(paths), report, skip_bad=skip_bad)
    return [packet for packet, _ in found], report


def log(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def compact(packet: Packet) -> str:
    return json.dumps(packet.to_dict())


def test_files_folders_and_logs_are_read(packets: list[Packet], tmp_path: Path) -> None:
    one, two, three = packets
    write_packet(one, tmp_path / "deep" / "er")
    write_packet(two, tmp_path / "b")
    lines = [compact(three), "", json.dumps({"at": "2026-01-15", "packet": one.to_dict()})]
    path = log(tmp_path / "log.jsonl", lines)
    found, report = read(tmp_path, path)
    assert {packet.trace_id for packet in found} == {packet.trace_id for packet in packets}
    assert (report.n_packets, report.n_files, report.n_not_read) == (4, 3, 0)


def test_a_file_is_read_once_however_often_it_is_named(
    packets: list[Packet], tmp_path: Path
) -> None:
    write_packet(packets[0], tmp_path / "a")
    file = tmp_path / "a" / "context_packet.json"
    found, _ = read(tmp_path, file, tmp_path / "a", tmp_path / "a" / ".." / "a")
    assert len(found) == 1


def test_a_file_with_two_names_has_the_first_of_them(packets: list[Packet], tmp_path: Path) -> None:
    write_packet(packets[0], tmp_path / "b")
    file, link = tmp_path / "b" / "context_packet.json", tmp_path / "a.json"
    link.symlink_to(file)
    assert found_files([file, link]) == found_files([link, file])
    assert [each.path for each in found_files([file, link])] == [link]


def test_a_log_is_known_by_its_first_line_whatever_its_name(
    packets: list[Packet], tmp_path: Path
) -> None:
    path = log(tmp_path / "packets.log", [compact(packet) for packet in packets])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read(path)[0]) == 3
    single = log(tmp_path / "one.json", [compact(packets[0])])
    assert read(single)[0] == packets[:1]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "The file is empty"),
        (b"\n \n", "The file is empty"),
        (b"hello\n", "The packet is not JSON"),
        (b"[1, 2]\n", "a JSON list, not an object"),
        (b'{"a": 1}\n', "schema_version None"),
        (b"\xff\xfe\x00\x00", "UTF-32"),
        (b"\x00\x01\x02\x03", "binary"),
        (b"{\n" * 50_000, "The packet is not JSON"),
    ],
)
def test_foreign_files_are_named(
    packets: list[Packet], tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "foreign.json"
    path.write_bytes(content)
    good = log(tmp_path / "log.jsonl", [compact(packets[0])])
    with pytest.raises(InputError, match=reason) as caught:
        read(path, good)
    assert "foreign.json" in caught.value.message
    found, report = read(path, good, skip_bad=True)
    assert len(found) == 1
    assert report.n_not_read == 1
    assert report.not_read[0].path == str(path)
    assert reason in report.not_read[0].reason


def test_damaged_lines_are_named_with_their_number(packets: list[Packet], tmp_path: Path) -> None:
    document = packets[1].to_dict()
    document["budget"]["history"] += 1
    lines = [compact(packets[0]), json.dumps(document), compact(packets[2])[:-40], "null"]
    path = log(tmp_path / "log.jsonl", lines)
    with pytest.raises(InputError, match=r"budget\.total_window.*log\.jsonl line 2") as caught:
        read(path)
    assert "--skip-bad" in caught.value.hint
    found, report = read(path, skip_bad=True)
    assert found == packets[:1]
    assert [each.line for each in report.not_read] == [2, 3, 4]


def test_a_folder_without_a_packet_and_a_missing_file_are_named(
    packets: list[Packet], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    good = log(tmp_path / "log.jsonl", [compact(packets[0])])
    with pytest.raises(InputError, match=r"No context_packet\.json in the folder"):
        read(tmp_path / "empty", good)
    found, report = read(tmp_path / "empty", tmp_path / "gone", good, skip_bad=True)
    assert len(found) == 1
    assert [each.path for each in report.not_read] == [
        str(tmp_path / "empty"),
        str(tmp_path / "gone"),
    ]


def test_packets_come_one_at_a_time(packets: list[Packet], tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", [compact(packets[0]), "damaged"])
    found = read_packets(found_files([path]), ReadReport())
    assert next(found)[0] == packets[0]
    with pytest.raises(InputError, match="line 2"):
        next(found)
