"""The edge cases of the specification (3.6), each through the whole pipeline."""

from pathlib import Path

import pytest

from packhorse.errors import BudgetExceededError
from packhorse.packet.packet import Packet
from tests.specification.edge_case import Situation, load_situation


@pytest.fixture
def situation(request: pytest.FixtureRequest, fixtures_dir: Path, tmp_path: Path) -> Situation:
    return load_situation(fixtures_dir, request.param, tmp_path)


def check_expected(packet: Packet, situation: Situation) -> None:
    """What every situation states: status, who is in, who is out and why, and the checks."""
    expect, document = situation.expect, packet.to_dict()
    assert packet.status == expect["status"]
    assert sorted(chunk["chunk_id"] for chunk in document["packed_chunks"]) == expect["packed"]
    out = {chunk["chunk_id"]: chunk["reason_code"] for chunk in document["excluded_chunks"]}
    assert out == expect["excluded"]
    statuses = {check["name"]: check["status"] for check in document["checks"]}
    assert expect.get("checks", {}).items() <= statuses.items()


@pytest.mark.parametrize("situation", ["oversized_chunk"], indirect=True)
def test_chunk_over_the_remaining_budget_is_skipped_and_smaller_ones_are_packed(
    situation: Situation,
) -> None:
    packet = situation.run()
    check_expected(packet, situation)
    document = packet.to_dict()
    skipped = document["excluded_chunks"][0]
    assert document["packing"]["skipped_for_size"] == situation.expect["skipped_for_size"]
    assert skipped["rank"] == 1
    assert f"needed {skipped['tokens']}, had " in skipped["excluded_reason"]
    enough = skipped["would_fit_at_budget"]
    assert situation.run(budget=enough).explain("all-cases").decision == "included"
    assert situation.run(budget=enough - 1).explain("all-cases").decision == "excluded"


@pytest.mark.parametrize("situation", ["conflicting_chunks"], indirect=True)
def test_two_high_ranking_chunks_that_conflict_are_flagged_with_both_values(
    situation: Situation,
) -> None:
    packet = situation.run()
    check_expected(packet, situation)
    found = [
        {
            "chunk_a": conflict["chunk_a"],
            "chunk_b": conflict["chunk_b"],
            "kind": conflict["kind"],
            "values": [conflict["a"]["value"], conflict["b"]["value"]],
        }
        for conflict in packet.to_dict()["consistency"]["conflicts"]
    ]
    assert found == situation.expect["conflicts"]


def test_query_outside_the_corpus_covers_none_of_the_required_topics(fixtures_dir: Path) -> None:
    from packhorse.api import open_kb, pack

    packet = pack("quantum computing applications", open_kb(fixtures_dir / "tax_kb"), budget=2800)
    coverage = packet.to_dict()["coverage"]
    assert packet.status == "warning"
    assert not coverage["in_domain"]
    assert coverage["score"] == 0
    assert coverage["missing"] == coverage["required_topics"]
    assert len(coverage["required_topics"]) == 4


@pytest.mark.parametrize("situation", ["stale_only"], indirect=True)
def test_chunk_beyond_the_freshness_policy_is_excluded_as_stale(situation: Situation) -> None:
    packet = situation.run()
    check_expected(packet, situation)
    assert all(
        "limit 1095" in chunk["excluded_reason"] for chunk in packet.to_dict()["excluded_chunks"]
    )


@pytest.mark.parametrize("situation", ["mandatory_too_large", "tiny_budget"], indirect=True)
def test_mandatory_chunk_over_the_budget_is_an_error_that_shows_the_sum(
    situation: Situation,
) -> None:
    with pytest.raises(BudgetExceededError) as caught:
        situation.run()
    error = caught.value
    assert [name for name, _tokens in error.parts] == situation.expect["parts"]
    assert sum(tokens for _name, tokens in error.parts) == error.needed
    assert error.available == situation.data["budget"] < error.needed
    packet = situation.run(budget=error.needed)
    assert packet.budget.packed_evidence == error.needed


@pytest.mark.parametrize("situation", ["single_source"], indirect=True)
def test_evidence_from_a_single_source_is_a_diversity_warning(situation: Situation) -> None:
    packet = situation.run()
    check_expected(packet, situation)
    assert packet.to_dict()["diversity"] == {"largest_share": 1.0, "unique_sources": 1}


@pytest.mark.parametrize("situation", ["long_history"], indirect=True)
def test_history_that_would_starve_the_evidence_is_compressed(situation: Situation) -> None:
    packet = situation.run()
    check_expected(packet, situation)
    budget, history = packet.budget, packet.to_dict()["history"]
    messages = packet.messages("openai")
    assert history["dropped"]
    assert budget.available_evidence >= situation.data["settings"]["min_evidence_tokens"]
    assert situation.data["history"][-1]["content"] in [m["content"] for m in messages]
    assert budget.fixed + budget.output_reservation + budget.available_evidence == (
        budget.total_window
    )


@pytest.mark.parametrize("situation", ["empty_corpus"], indirect=True)
def test_empty_corpus_gives_a_warned_packet_without_evidence(situation: Situation) -> None:
    check_expected(situation.run(), situation)
