"""Figures over many packets, the signatures of failure, and advice that knows its figures."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

import packhorse
from packhorse.api import pack, stats
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import InputError
from packhorse.explain.stats.advice import LEAST, THRESHOLDS
from packhorse.explain.stats.stats import FULL, LISTED, Collector
from packhorse.explain.stats.told import PacketStats, told
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.explain.random_packs import ALL_STRATEGIES, random_packets


@cache
def some_packets() -> tuple[Packet, ...]:
    drawn = itertools.islice(random_packets(21, strategies=ALL_STRATEGIES), 24)
    return tuple(packet for _, _, packet in drawn)


def made(texts: Mapping[str, str], **more: Any) -> MemoryKnowledgeBase:
    chunks = [
        Chunk(chunk_id=name, source_id=f"s-{name}", text=text, **more)
        for name, text in texts.items()
    ]
    return MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="made"))


def codes(told: PacketStats) -> list[str]:
    return [finding.code for finding in told.findings]


def test_the_order_of_packets_changes_nothing() -> None:
    packets = list(some_packets())
    told = stats(packets)
    for seed in range(5):
        random.Random(seed).shuffle(packets)  # noqa: S311 - drawn the same way each time
        again = stats(packets)
        assert again == told
        assert str(again) == str(told)
        assert list(again.to_dict()) == list(told.to_dict())


def test_figures_are_those_of_a_count_by_hand() -> None:
    packets = some_packets()
    found = stats(packets).stats
    excluded = [chunk for packet in packets for chunk in packet.excluded_chunks]
    packed = [chunk for packet in packets for chunk in packet.packed_chunks]
    assert found.packets == len(packets)
    assert dict(found.reasons) == Counter(chunk.reason_code for chunk in excluded)
    assert found.stale_candidates.count == sum(c.reason_code == "stale" for c in excluded)
    assert found.stale_candidates.of == len(excluded) + len(packed)
    assert found.old_packed.of == len(packed)
    assert found.low_trust_packed.count == sum((c.trust_score or 1.0) < 0.5 for c in packed)
    assert found.utilization is not None
    assert found.utilization.max == round(max(p.budget.utilization for p in packets), 4)
    assert found.skipped is not None
    assert found.skipped.max == max(len(packet.omitted()) for packet in packets)
    n_exhausted = sum(
        packet.budget.utilization >= FULL and bool(packet.omitted(relevant=True))
        for packet in packets
    )
    assert found.exhausted.count == n_exhausted > 0
    most = Counter(chunk.chunk_id for chunk in packed)
    assert found.most_packed[0].count == max(most.values())
    assert [each.count for each in found.most_packed] == sorted(most.values(), reverse=True)[:10]
    missing = Counter(topic for packet in packets for topic in packet.coverage.missing)
    assert {use.topic: use.missing for use in found.topics if use.missing} == missing
    assert found.conflicts.count == sum(bool(packet.conflicts) for packet in packets)
    (model,) = found.models
    assert (model.model, model.packets, model.exact) == ("gpt-4o", len(packets), len(packets))


def test_a_budget_that_is_nearly_always_exhausted_is_found() -> None:
    texts = {f"c{n}": f"deduct the home office {'and pay ' * 12}{n}" for n in range(12)}
    settings = {"evidence_preamble": "", "dedup_threshold": None}
    packet = pack("deduct home office", made(texts), budget=150, profile=settings)
    assert packet.budget.utilization >= FULL
    told = stats([packet] * LEAST)
    finding = told.findings[0]
    assert finding.code == "budget_exhausted"
    assert (finding.count, finding.of, finding.value) == (LEAST, LEAST, 1.0)
    wanted = packet.budget.packed_evidence + sum(c.tokens for c in packet.omitted(relevant=True))
    assert f"at {wanted} tokens" in finding.advice
    assert told.to_dict()["signatures"]["budget_exhausted"]["found"] is True
    assert told.to_dict()["signatures"]["top_ranked_skipped"]["found"] is False


def test_a_best_ranked_chunk_that_is_too_long_is_found() -> None:
    texts = {"long": "deduct home office " * 60, "short": "an office has a door", "other": "home"}
    packet = pack("deduct home office", made(texts), budget=120)
    assert [chunk.chunk_id for chunk in packet.omitted()][:1] == ["long"]
    told = stats([packet] * LEAST)
    finding = next(each for each in told.findings if each.code == "top_ranked_skipped")
    assert finding.value == 1.0
    assert f"these take {packet.omitted()[0].tokens} tokens" in finding.advice


def test_a_required_chunk_at_the_top_does_not_hide_a_skipped_one() -> None:
    texts = {"long": "deduct home office " * 60, "pinned": "deduct home office", "other": "home"}
    packet = pack("deduct home office", made(texts), budget=120, pin=["pinned"])
    assert stats([packet]).stats.top_skipped.count == 1


def test_nothing_is_said_below_the_least_number_of_packets() -> None:
    texts = {"long": "deduct home office " * 60, "short": "an office has a door"}
    packet = pack("deduct home office", made(texts), budget=120)
    told = stats([packet] * (LEAST - 1))
    assert told.findings == ()
    assert f"[INFO] No advice: it takes at least {LEAST} packets" in str(told)
    assert codes(stats([packet] * LEAST))


def test_nothing_is_said_where_nothing_stands_out() -> None:
    texts = {"a": "deduct the home office", "b": "an office has a door"}
    packet = pack("deduct home office", made(texts, trust_score=0.9), budget=130)
    told = stats([packet] * LEAST)
    assert told.findings == ()
    assert "[PASS] No share reaches its threshold" in str(told)


@pytest.mark.parametrize(("used", "is_found"), [(30, False), (4_000, True)])
def test_a_budget_that_is_much_too_large_is_found(used: int, is_found: bool) -> None:
    packet = pack("home office", made({"a": "deduct the home office"}), budget=30 + used)
    assert ("budget_unused" in codes(stats([packet] * LEAST))) == is_found


def test_untrusted_stale_and_missing_are_found_with_their_figures() -> None:
    from datetime import UTC, datetime

    texts = {f"c{n}": f"deduct the home office {n} {'x' * n}" for n in range(6)}
    kb = made(texts, trust_score=0.2, timestamp=datetime(2015, 1, 1, tzinfo=UTC))
    settings = {"dedup_threshold": None}
    asked = {"as_of": "2026-01-15", "require_topics": ["zebra"], "budget": 900}
    packed = pack("deduct home office", kb, profile=settings, **asked)  # type: ignore[arg-type]  # of several kinds
    assert {"old_packed", "low_trust_packed", "topic_missing"} <= set(codes(stats([packed] * 20)))
    settings |= {"min_trust": 0.5}  # type: ignore[dict-item]  # a profile holds all kinds
    nothing = pack("deduct home office", kb, profile=settings, **asked)  # type: ignore[arg-type]  # of several kinds
    told = stats([nothing] * 20)
    assert "untrusted_candidates" in codes(told)
    topic = next(each for each in told.findings if each.code == "topic_missing")
    assert (topic.count, topic.of) == (20, 20)
    assert "'zebra'" in topic.text


def test_a_topic_that_is_always_missing_is_found_beside_many_that_are_missing_often() -> None:
    packet = pack("deduct home office", made({"a": "deduct the home office"}), budget=130)
    often = [f"often {number}" for number in range(LISTED)]
    collector = Collector()
    for number in range(200):
        missing = [*(often if number < 30 else ()), *(["always"] if number < LEAST else ())]
        required = [*often, *(["always"] if number < LEAST else ())]
        coverage = {**packet.document["coverage"], "required_topics": required, "missing": missing}
        collector.add({**packet.document, "coverage": coverage})
    found = told(collector)
    assert [each.text for each in found.findings if each.code == "topic_missing"] == [
        f"{LEAST} of {LEAST} packets that need the topic 'always' have nothing about it (100.0%)"
    ]
    assert "  and 1 more (--json has all)" in str(found).splitlines()
    assert len(found.to_dict()["topics"]) == LISTED + 1


def test_every_finding_has_a_threshold_and_says_its_figures() -> None:
    told = stats([packet for packet in some_packets() for _ in range(2)])
    assert told.findings
    for finding in told.findings:
        assert finding.threshold == THRESHOLDS[finding.code]
        assert f"{finding.count:,}" in finding.text or f"{finding.value:.1%}" in finding.text
        assert finding.advice


def test_documents_are_checked_and_other_things_refused() -> None:
    packet = some_packets()[0]
    assert packhorse.stats([packet.to_dict()]) == stats([packet])
    document = packet.to_dict()
    document["budget"]["packed_evidence"] += 1
    with pytest.raises(InputError, match="does not agree with itself"):
        stats([document])
    with pytest.raises(InputError, match="is no packet"):
        stats([7])  # type: ignore[list-item]  # what a caller may try


def test_no_packets_are_no_figures() -> None:
    told = stats([])
    assert told.stats.packets == 0
    assert told.stats.utilization is None
    assert str(told).startswith("0 packets, 0 with a warning")
    assert told.to_dict()["exhausted"]["share"] == 0.0
