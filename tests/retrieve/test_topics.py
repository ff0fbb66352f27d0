"""Texts of untagged chunks count wherever tags would, and a packet says so."""

from typing import Any

import pytest

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.explain.replay import replayed
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.properties.hashed_embedder import HashedEmbedder

TEXTS = {
    "a": "The office closes at six. Keep a receipt, a canceled check or an invoice.",
    "b": "The office opens at nine in the morning on every day of the week.",
    "c": "The office has rooms for rent, and a garden that is open to everybody.",
}
PROFILE: dict[str, Any] = {
    "query_types": {
        "hours": {"examples": ["When does the office close?"], "required_topics": ["documentation"]}
    },
    "topics": {"documentation": {"terms": ["receipt", "canceled check", "invoice"]}},
}


def kb(**tags: float) -> MemoryKnowledgeBase:
    chunks = [
        Chunk(
            chunk_id=name,
            source_id=name,
            text=text,
            topic_tags=(("documentation", tags[name]),) if name in tags else (),
        )
        for name, text in TEXTS.items()
    ]
    policy = KnowledgeBasePolicy(name="office")
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def packed(own: MemoryKnowledgeBase, **changes: Any) -> Packet:
    return pack("When does the office close?", own, profile=PROFILE, as_of="2026-01-15", **changes)


def test_a_packet_says_which_words_showed_a_topic_and_which_example_its_type() -> None:
    packet = packed(kb())
    coverage = packet.to_dict()["coverage"]
    assert coverage["strengths"] == {"documentation": 0.875}
    assert coverage["evidence"] == {"documentation": "a"}
    words = ["receipt", "canceled check", "invoice"]
    assert coverage["found_by"] == {"documentation": {"by": "text", "words": words}}
    assert dict(packet.coverage.found_by)["documentation"].words == tuple(words)
    by = packet.to_dict()["query_type_by"]
    assert (coverage["query_type"], by["by"], by["similarity"]) == ("hours", "example", 1.0)
    told = str(packet.explain("a"))
    assert "without tags, its text speaks of documentation 0.88" in told
    shares = {each.name: each.value for each in packet.explain("a").signals}
    assert shares["coverage"] == 0.875


def test_tags_go_before_the_text() -> None:
    coverage = packed(kb(a=0.3)).to_dict()["coverage"]
    assert coverage["strengths"] == {"documentation": 0.3}
    assert coverage["found_by"] == {"documentation": {"by": "tags", "words": []}}


def test_a_topic_that_must_be_in_is_met_by_text() -> None:
    whole = packed(kb())
    room = max(chunk.tokens for chunk in whole.packed_chunks) + whole.budget.evidence_preamble
    profile = {**PROFILE, "require_each_topic": True, "strategy": "optimal"}
    asked: dict[str, Any] = {"profile": profile, "as_of": "2026-01-15", "budget": room}
    forced = pack(
        "Is the garden open to everybody?", kb(), require_topics=["documentation"], **asked
    )
    assert [chunk.chunk_id for chunk in forced.packed_chunks] == ["a"]


@pytest.mark.parametrize("budget", [None, 130])
def test_it_replays_to_the_same_bytes_and_a_reader_without_the_texts_selects_the_same(
    budget: int | None,
) -> None:
    from packhorse.explain.selection import Selection

    packet = packed(kb(), budget=budget)
    assert replayed(packet.to_dict(), kb()).same
    again = Selection(packet.to_dict())
    ids = [entry["chunk_id"] for entry in again.recorded.entries]
    assert {ids[row] for row in again.chosen()} == {c.chunk_id for c in packet.packed_chunks}
    signals = again.ranking().signals.coverage.tolist()
    recorded = {
        c.chunk_id: c.coverage_bonus for c in (*packet.packed_chunks, *packet.excluded_chunks)
    }
    assert dict(zip(ids, signals, strict=True)) == recorded
