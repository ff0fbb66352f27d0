"""Rules from a chunks file and a profile, as far as the packet and its check."""

import json
from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse.packet.packet import Packet

QUESTION = "What is the deduction for a home office?"
SETTINGS = {"evidence_preamble": "", "dedup_threshold": None}


def base(tmp_path: Path, *records: dict[str, Any]) -> Path:
    path = tmp_path / "chunks.jsonl"
    lines = [json.dumps({"source_id": "guide", **record}) for record in records]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def packed(path: Path, budget: int = 2_000, **settings: Any) -> Packet:
    with packhorse.open_kb(path, embedder="none") as kb:
        return packhorse.pack(QUESTION, kb, budget=budget, profile={**SETTINGS, **settings})


def ids(packet: Packet) -> set[str]:
    return {chunk.chunk_id for chunk in packet.packed_chunks}


def check(packet: Packet) -> tuple[str, str]:
    return next((str(c.status), c.detail) for c in packet.checks if c.name == "constraints")


@pytest.fixture
def office(tmp_path: Path) -> Path:
    return base(
        tmp_path,
        {"chunk_id": "a", "text": "The home office deduction is five dollars a square foot."},
        {
            "chunk_id": "b",
            "text": "A home office deduction table: 100 square feet give 500 dollars.",
            "linked_with": ["c"],
        },
        {"chunk_id": "c", "text": "Table 1, caption without any of those words."},
        {
            "chunk_id": "d",
            "text": "The old home office deduction was four dollars a square foot.",
            "exclusive_with": "a",
        },
    )


@pytest.mark.parametrize("strategy", ["ranked", "density", "optimal", "submodular"])
def test_links_and_exclusive_pairs_hold_and_stand_in_the_packet(
    office: Path, strategy: str
) -> None:
    packet = packed(office, strategy=strategy)
    # The caption was not found by the question; the table brought it along.
    assert {"b", "c"} <= ids(packet)
    assert len({"a", "d"} & ids(packet)) == 1
    packing = packet.document["packing"]
    assert packing["strategy"] == strategy
    pairs = (packing["constraints"]["linked"], packing["constraints"]["exclusive"])
    assert [[sorted(pair) for pair in kind] for kind in pairs] == [[["b", "c"]], [["a", "d"]]]
    assert packing["unmet"] == []
    assert check(packet) == ("pass", "2 rules kept")
    assert Packet.from_json(packet.to_json()) == packet


@pytest.mark.parametrize("strategy", ["ranked", "density", "optimal", "submodular"])
def test_near_duplicates_are_never_packed_together_unless_both_are_required(
    tmp_path: Path, strategy: str
) -> None:
    text = "The home office deduction is five dollars for each square foot of the office"
    path = base(
        tmp_path,
        {"chunk_id": "a", "text": text},
        {"chunk_id": "b", "text": f"{text} as ever"},
        {"chunk_id": "c", "text": "A home office is used regularly and for work alone."},
    )
    with packhorse.open_kb(path, embedder="none") as kb:
        packet = packhorse.pack(QUESTION, kb, strategy=strategy)
        pinned = packhorse.pack(QUESTION, kb, strategy=strategy, pin=["a", "b"])
        unsought = packhorse.pack(
            QUESTION, kb, strategy=strategy, profile={"dedup_threshold": None}
        )
    assert len({"a", "b"} & ids(packet)) == 1
    assert "c" in ids(packet)
    (out,) = packet.excluded_chunks
    assert (out.reason_code, {out.chunk_id, out.duplicate_of}) == ("duplicate", {"a", "b"})
    assert ids(pinned) == ids(unsought) == {"a", "b", "c"}


def test_a_rule_that_cannot_be_kept_is_a_warning_with_the_reason(tmp_path: Path) -> None:
    long = "home office deduction records " * 40
    path = base(
        tmp_path,
        {"chunk_id": "a", "text": "home office deduction", "topic_tags": []},
        {"chunk_id": "b", "text": long, "topic_tags": ["records"]},
    )
    with packhorse.open_kb(path, embedder="none") as kb:
        settings = {**SETTINGS, "require_each_topic": True}
        packet = packhorse.pack(
            QUESTION, kb, budget=60, profile=settings, require_topics=["records"]
        )
    status, detail = check(packet)
    assert status == "warn"
    assert detail.startswith("topic: records: offered by 1 candidates, and the best, b, is out:")
    assert packet.document["packing"]["unmet"][0]["kind"] == "topic"
    assert packet.status == "warning"


def test_the_cap_on_packed_chunks_leaves_the_ranking_alone(office: Path) -> None:
    packet = packed(office, max_packed_per_source=1)
    assert len(ids(packet)) == 1
    codes = {chunk.chunk_id: chunk.reason_code for chunk in packet.excluded_chunks}
    assert set(codes.values()) <= {"source_cap", "exclusive_pair"}
    assert all(chunk.rank is not None for chunk in packet.excluded_chunks)


def test_without_rules_the_packet_says_nothing_about_them(tmp_path: Path) -> None:
    packet = packed(base(tmp_path, {"chunk_id": "a", "text": "home office deduction"}))
    assert not {"constraints", "unmet", "note"} & packet.document["packing"].keys()
    assert "constraints" not in {each.name for each in packet.checks}
