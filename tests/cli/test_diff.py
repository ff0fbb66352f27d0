"""`packhorse diff` in this process: exit codes, lines, JSON, folders."""

import json
from pathlib import Path

import pytest

from packhorse.api import pack
from packhorse.packet.files import write_packet
from tests.cli.command import invoke

QUERY = "Can I deduct home office expenses?"
OTHER_QUERY = "What records must I keep?"


@pytest.fixture(scope="session")
def folders(fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`golden` and `now`, two questions each; the second comes out the same."""
    root = tmp_path_factory.mktemp("diff")
    kb = str(fixtures_dir / "tax_kb")
    for name, lambda_ in (("golden", 0.7), ("now", 0.3)):
        write_packet(pack(QUERY, kb, budget=2800, lambda_=lambda_), root / name / "home")
        write_packet(pack(OTHER_QUERY, kb, budget=1500), root / name / "records")
    return root


def test_the_same_packet_is_exit_code_0(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = folders / "golden" / "home"
    outcome = invoke(capsys, "diff", a, a / "context_packet.json")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("[PASS] Same packet: ")


def test_another_packet_is_exit_code_1_with_the_cause(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = (folders / "golden" / "home", folders / "now" / "home")
    outcome = invoke(capsys, "diff", *pair)
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[0] == "[WARN] Different: 6 entered, 3 left; 23 re-scored"
    assert "  mmr_lambda  0.7 -> 0.3; alone: 6 in, 3 out" in lines
    assert "selection, because of mmr_lambda" in lines
    quiet = invoke(capsys, "diff", *pair, "-q")
    assert (quiet.code, quiet.out, quiet.err) == (1, "", "")


def test_json_is_the_object_that_python_gives(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "diff", folders / "golden/home", folders / "now/home", "--json")
    told = json.loads(outcome.out)
    assert outcome.code == 1
    assert told["schema_version"] == "1"
    assert told["same"] is False
    assert [each["key"] for each in told["inputs"]] == ["mmr_lambda"]
    assert (len(told["entered"]), len(told["left"])) == (6, 3)
    (first, *_) = told["chunks"]
    assert first["chunk_id"] == told["entered"][0]
    assert first["because"]["suffice"] == [["mmr_lambda"]]
    assert first["was"]["position"] is None
    assert first["now"]["position"] == 2


def test_what_does_not_count_leaves_exit_code_0(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = (folders / "golden" / "home", folders / "now" / "home")
    outcome = invoke(capsys, "diff", *pair, "--only", "conflicts")
    assert outcome.code == 0
    assert outcome.out.startswith("[PASS] Same, but for what was not compared: inputs, selection")


def test_folders_are_compared_by_name(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, "diff", folders / "golden", folders / "now")
    assert outcome.code == 1
    assert outcome.out.splitlines() == [
        "[WARN] 1 of 2 packets differ",
        "causes",
        "  mmr_lambda  6 entered, 3 left, in 1 packet",
        "packets",
        "  home  6 entered, 3 left; 23 re-scored",
    ]
    told = json.loads(invoke(capsys, "diff", folders / "golden", folders / "now", "--json").out)
    assert told["causes"] == {"mmr_lambda": {"entered": 6, "left": 3, "packets": 1}}
    assert told["pairs"]["records"]["identical"]
    assert invoke(capsys, "diff", folders / "now", folders / "now").code == 0


def test_a_packet_that_is_missing_counts(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    content = (folders / "golden" / "home" / "context_packet.json").read_bytes()
    (tmp_path / "home" / "context_packet.json").write_bytes(content)
    outcome = invoke(capsys, "diff", folders / "golden", tmp_path)
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines == [
        "[WARN] 0 of 1 packet in both differ; 1 only in A",
        "[WARN] records: only in A",
    ]


def test_a_lone_file_that_is_no_packet_is_named(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    content = (folders / "golden" / "home" / "context_packet.json").read_bytes()
    (tmp_path / "home" / "context_packet.json").write_bytes(content)
    (tmp_path / "notes.json").write_text('{"a": 1}', encoding="utf-8")
    outcome = invoke(capsys, "diff", tmp_path, folders / "golden")
    assert (outcome.code, outcome.out) == (2, "")
    assert str(tmp_path / "notes.json") in outcome.err


def test_a_packet_beside_a_folder_of_packets_is_refused(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, many = folders / "golden" / "home", folders / "now"
    for pair in ((one, many), (many, one), (one / "context_packet.json", many)):
        outcome = invoke(capsys, "diff", *pair)
        assert (outcome.code, outcome.out) == (2, "")
        assert f"is one packet, and {many} is a folder of packets" in outcome.err
        assert f"with {many / 'home' / 'context_packet.json'}" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "Cannot read"),
        (["golden/home", "--only", "selections"], "No section 'selections'"),
        (["golden/home", "--ignore", "as_off"], "No section or input 'as_off'"),
        (["golden/home", "--kb", "a", "--kb", "b", "--kb", "c"], "more than twice"),
    ],
)
def test_what_cannot_be_compared_is_two_lines(
    arguments: list[str], message: str, folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    b, *options = arguments
    outcome = invoke(capsys, "diff", folders / "golden/home", folders / b, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 2


def test_an_edited_packet_is_refused(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folders / "now/home/context_packet.json").read_text(encoding="utf-8")
    edited = tmp_path / "edited.json"
    edited.write_text(text.replace('"gpt-4o"', '"gpt-4"'), encoding="utf-8")
    outcome = invoke(capsys, "diff", folders / "golden/home", edited)
    assert outcome.code == 2
    assert "does not agree with itself" in outcome.err


def test_a_knowledge_base_may_be_named(
    folders: Path, fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = fixtures_dir / "tax_kb"
    outcome = invoke(capsys, "diff", folders / "golden/home", folders / "now/home", "--kb", kb)
    assert outcome.code == 1
    assert "because of mmr_lambda" in outcome.out
