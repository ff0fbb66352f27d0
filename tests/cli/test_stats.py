"""`packhorse stats`: figures, findings, exit codes, and what is said of damaged input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.explain.stats.advice import LEAST
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.files import write_packet
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.cli.command import invoke

GOLDEN = Path(__file__).parent / "stats.txt"


def packed(texts: list[str], budget: int, **more: object) -> Packet:
    chunks = [
        Chunk(chunk_id=f"c{n}", source_id=f"s{n % 2}", text=text, trust_score=0.9)
        for n, text in enumerate(texts)
    ]
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="notes"))
    settings = {"evidence_preamble": "", "dedup_threshold": None, **more}
    return pack("deduct home office", kb, budget=budget, profile=settings, as_of="2026-01-15")


def log(path: Path, packets: list[Packet]) -> Path:
    lines = [json.dumps(packet.to_dict()) for packet in packets]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


LONG = ["deduct home office " * 60, "an office has a door", "home"]
FITTING = ["deduct the home office", "an office has a door"]


def test_nothing_stands_out_is_zero(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", [packed(FITTING, 60)] * LEAST)
    outcome = invoke(capsys, "stats", path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("20 packets, 0 with a warning\n")
    assert "[PASS] No share reaches its threshold" in outcome.out
    assert invoke(capsys, "stats", "-q", path) == type(outcome)(code=0, out="", err="")


def test_a_signature_of_failure_is_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", [packed(LONG, 60)] * LEAST)
    outcome = invoke(capsys, "stats", "-q", path)
    assert outcome.code == 1
    assert outcome.out.splitlines()[0].startswith(
        "[WARN] 20 of 20 packets skip their best-ranked candidate for its size (100.0%)"
    )


def test_json_is_one_document_with_the_signatures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_packet(packed(LONG, 60), tmp_path / "one")
    path = log(tmp_path / "log.jsonl", [packed(LONG, 60)] * LEAST)
    outcome = invoke(capsys, "stats", "--json", tmp_path, path)
    document = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (1, "")
    assert document["schema_version"] == "1"
    assert document["packets"] == LEAST + 1
    assert document["not_read"] == {"count": 0, "listed": []}
    assert document["signatures"]["top_ranked_skipped"] == {
        "count": LEAST + 1,
        "of": LEAST + 1,
        "share": 1.0,
        "threshold": 0.1,
        "found": True,
    }
    assert document["utilization"]["n"] == LEAST + 1


def test_no_packet_is_two(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "foreign.json").write_text('{"a": 1}', encoding="utf-8")
    for arguments in (["stats"], ["stats", tmp_path], ["stats", tmp_path / "foreign.json"]):
        outcome = invoke(capsys, *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert [line.split()[0] for line in outcome.err.splitlines()] == ["[ERROR]", "[HINT]"]
    outcome = invoke(capsys, "stats", "--skip-bad", tmp_path / "foreign.json")
    assert outcome.code == 2
    assert "There is no packet to count" in outcome.err
    assert "foreign.json" in outcome.err


def test_damaged_lines_stop_it_or_are_named_and_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = log(tmp_path / "log.jsonl", [packed(FITTING, 60)] * 2)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"a\x1b[31m": 1}\n' + "broken\n" * 7)
    stopped = invoke(capsys, "stats", path)
    assert stopped.code == 2
    assert "log.jsonl line 3" in stopped.err
    outcome = invoke(capsys, "stats", "--skip-bad", path)
    assert outcome.code == 1
    assert "[WARN] 8 places hold no packet that can be used" in outcome.err
    assert "log.jsonl line 4: The packet is not JSON" in outcome.err
    assert "[INFO] 3 more; --json lists them" in outcome.err
    assert "\x1b" not in outcome.err
    document = json.loads(invoke(capsys, "stats", "--skip-bad", "--json", path).out)
    assert [each["line"] for each in document["not_read"]["listed"]] == list(range(3, 11))


def test_the_order_of_files_changes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one = log(tmp_path / "a.jsonl", [packed(LONG, 60), packed(FITTING, 60)])
    two = log(tmp_path / "b.jsonl", [packed(FITTING, 300)])
    assert invoke(capsys, "stats", one, two) == invoke(capsys, "stats", two, one)


def test_what_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, rewrite_golden: bool
) -> None:
    packets = [packed(LONG, 60)] * 9 + [packed(FITTING, 60)] * 8 + [packed(FITTING, 5_000)] * 5
    outcome = invoke(capsys, "stats", log(tmp_path / "log.jsonl", packets))
    if rewrite_golden:
        GOLDEN.write_bytes(outcome.out.encode("utf-8"))
    assert outcome.out == GOLDEN.read_bytes().decode("utf-8")


def test_a_path_without_a_file_is_to_be_checked_and_not_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, "stats", tmp_path / "nope")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.endswith("[HINT] Check the path\n")
