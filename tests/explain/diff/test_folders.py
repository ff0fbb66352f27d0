"""Folders of packets, pair by pair."""

from pathlib import Path

import pytest

from packhorse.errors import InputError
from packhorse.explain.diff.folders import FolderDifference, Pair, packet_files
from tests.explain.diff.test_diff import packets


def test_packets_are_named_by_their_folder_or_file(tmp_path: Path) -> None:
    for name in (
        "q2/context_packet.json",
        "q2/messages.json",
        "b/q1/context_packet.json",
        "q3.json",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert list(packet_files(tmp_path)) == ["b/q1", "q2", "q3"]


def test_a_folder_without_packets_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No packets in"):
        packet_files(tmp_path)


def test_causes_are_counted_over_all_pairs() -> None:
    a, b = packets()
    there, same = a.diff(b), a.diff(a)
    found = FolderDifference(
        pairs=(
            Pair(name="q1", difference=there),
            Pair(name="q2", difference=same),
            Pair(name="q3", difference=there),
        ),
        only_in_a=(),
        only_in_b=("q4",),
    )
    assert not found.same
    assert [pair.name for pair in found.different] == ["q1", "q3"]
    entered, left, n_packets = found.causes()["budget"]
    of_one = [each for each in there.entered if each.because and "budget" in each.because.inputs]
    assert (entered, n_packets) == (2 * len(of_one), 2)
    assert left == 2 * sum("budget" in e.because.inputs for e in there.left if e.because)
    lines = str(found).splitlines()
    assert lines[:2] == [
        "[WARN] 2 of 3 packets in both differ; 1 only in B",
        "[WARN] q4: only in B",
    ]
    counted = [len(each) for each in (there.entered, there.left, there.moved, there.rescored)]
    assert "  q1  {} entered, {} left; {} moved; {} re-scored".format(*counted) in lines


def test_packets_that_are_in_one_folder_alone_are_counted_apart() -> None:
    a, _ = packets()
    same = Pair(name="q1", difference=a.diff(a))
    found = FolderDifference(pairs=(same,), only_in_a=("q2", "q3"), only_in_b=("q4",))
    first = str(found).splitlines()[0]
    assert first == "[WARN] 0 of 1 packet in both differ; 2 only in A; 1 only in B"
    found = FolderDifference(pairs=(), only_in_a=("q2",), only_in_b=())
    assert str(found).splitlines()[0] == "[WARN] No packet is in both; 1 only in A"


def test_folders_of_the_same_packets_are_the_same() -> None:
    a, _ = packets()
    found = FolderDifference(
        pairs=(Pair(name="q1", difference=a.diff(a)),), only_in_a=(), only_in_b=()
    )
    assert found.same
    assert str(found) == "[PASS] 1 packet, all the same"


def test_two_packets_of_one_name_are_an_error_and_none_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "q1").mkdir()
    for name in ("q1/context_packet.json", "q1.json"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match="Two packets are named q1"):
        packet_files(tmp_path)
