"""The packet's data: every candidate once, sums that hold, hashes that follow from the content."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.packet.document import build_document
from packhorse.types.chunk import Chunk
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.message import Message
from packhorse.types.verdict import Check, Status
from packhorse.window.history import FittedHistory
from tests.packet.assemblies import PREAMBLE, assembly, chunk, sample_chunks
from tests.strategies import chunk_lists

FIXED = (
    *("system_prompt", "safety_preamble", "tools", "few_shot", "memory", "history", "query"),
    "message_overhead",
)


@given(chunk_lists(), st.integers(20, 400), st.sampled_from(("xml", "markdown", "plain")))
def test_every_candidate_is_packed_or_excluded_exactly_once(
    chunks: list[Chunk], budget: int, format: str
) -> None:
    made = assembly(chunks, budget=budget, format=format)
    document = build_document(made)
    packed = [entry["chunk_id"] for entry in document["packed_chunks"]]
    excluded = [entry["chunk_id"] for entry in document["excluded_chunks"]]
    assert sorted(packed + excluded) == sorted(c.chunk_id for c in made.ranking.pool.chunks)
    budget_lines = document["budget"]
    total = sum(budget_lines[name] for name in FIXED)
    total += budget_lines["output_reservation"] + budget_lines["available_evidence"]
    assert total == budget_lines["total_window"]
    tokens = sum(entry["tokens"] for entry in document["packed_chunks"])
    packed_evidence = budget_lines["evidence_preamble"] + tokens
    assert budget_lines["packed_evidence"] == packed_evidence <= budget


def test_packed_chunks_stand_in_reading_order_with_their_rank() -> None:
    document = build_document(assembly(reserved=[(4, InclusionCode.MANDATORY)]))
    shown = [(e["position"], e["rank"], e["reason_code"]) for e in document["packed_chunks"]]
    assert shown == [
        (1, 1, "ranked"),
        (2, 3, "ranked"),
        (3, 5, "mandatory"),
        (4, 2, "ranked"),
    ]


def test_excluded_chunks_stand_by_rank_and_the_unranked_after_them_by_score() -> None:
    scores = [0.9, 0.8, math.nan, 0.6, 0.5, 0.4, 0.3]
    chunks = [chunk(f"c{n}", "word " * 30) for n in range(7)]
    document = build_document(assembly(chunks, scores=scores, blocked=[4, 3], budget=60))
    assert [e["chunk_id"] for e in document["excluded_chunks"]] == [
        *("c1", "c5", "c6"),
        *("c3", "c4", "c2"),
    ]
    assert [e["rank"] for e in document["excluded_chunks"]] == [2, 3, 4, None, None, None]


def test_what_did_not_fit_says_which_budget_would_keep_it() -> None:
    first = build_document(assembly())["excluded_chunks"][0]
    assert first["reason_code"] == "exceeded_remaining_budget"
    again = build_document(assembly(budget=first["would_fit_at_budget"]))
    assert first["chunk_id"] in {e["chunk_id"] for e in again["packed_chunks"]}
    less = build_document(assembly(budget=first["would_fit_at_budget"] - 1))
    assert first["chunk_id"] not in {e["chunk_id"] for e in less["packed_chunks"]}


def test_without_a_rendered_preamble_no_budget_is_promised() -> None:
    made = assembly()
    made = replace(made, rendered=replace(made.rendered, preamble_tokens=0))
    document = build_document(made)
    assert all("would_fit_at_budget" not in entry for entry in document["excluded_chunks"])
    assert document["rendered"]["preamble"] == ""


def test_a_duplicate_names_its_survivor() -> None:
    made = assembly(blocked=[3])
    gone = Exclusion(code=ExclusionCode.DUPLICATE, reason="duplicate of c1", duplicate_of="c1")
    made = replace(
        made,
        ranking=replace(made.ranking, excluded={3: gone}),
        packing=replace(made.packing, excluded={**made.packing.excluded, 3: gone}),
    )
    entry = next(e for e in build_document(made)["excluded_chunks"] if e["chunk_id"] == "c3")
    assert (entry["reason_code"], entry["duplicate_of"]) == ("duplicate", "c1")


def test_channels_tell_rank_and_score_and_null_where_nothing_was_found() -> None:
    entry = build_document(assembly())["packed_chunks"][0]
    assert (entry["lexical_rank"], entry["lexical_score"]) == (1, 7.0)
    assert (entry["dense_rank"], entry["dense_score"]) == (None, None)


def test_numbers_that_are_not_finite_become_null_and_warn() -> None:
    chunks = [chunk("a"), chunk("b")]
    document = build_document(assembly(chunks, scores=[0.5, math.inf]))
    (entry,) = document["excluded_chunks"]
    assert (entry["score"], entry["relevance_score"]) == (None, None)
    warned = [check for check in document["checks"] if check["name"] == "numbers"]
    assert [check["status"] for check in warned] == ["warn"]
    assert document["status"] == "warning"
    json.loads(json.dumps(document, allow_nan=False))


@pytest.mark.parametrize("status", [Status.WARN, Status.FAIL])
def test_a_check_that_does_not_pass_makes_the_packet_a_warning(status: Status) -> None:
    check = Check(name="budget", status=status, detail="something")
    document = build_document(assembly(checks=(check,)))
    assert document["status"] == "warning"
    assert document["checks"][0] == {
        "name": "budget",
        "status": status.value,
        "detail": "something",
    }
    assert build_document(assembly())["status"] == "valid"


def test_the_query_vector_survives_as_little_endian_float32() -> None:
    vector = base64.b64decode(build_document(assembly())["query_vector"])
    assert np.frombuffer(vector, dtype="<f4").tolist() == np.array([0.6, 0.8], "<f4").tolist()
    made = assembly()
    made = replace(made, query=replace(made.query, vector=None))
    assert build_document(made)["query_vector"] is None


def test_trace_id_and_hash_follow_the_content() -> None:
    one, same = build_document(assembly()), build_document(assembly())
    other = build_document(assembly(query="Something else?"))
    assert (one["trace_id"], one["packet_hash"]) == (same["trace_id"], same["packet_hash"])
    assert one["trace_id"].startswith("ctx-20260115-")
    assert one["trace_id"] != other["trace_id"]
    assert one["packet_hash"] != other["packet_hash"]


def test_floats_have_six_decimals_and_no_negative_zero() -> None:
    made = assembly([chunk("a")], scores=[0.123456789])
    signals = made.ranking.signals
    signals = replace(signals, deduplication=np.array([-0.0]), coverage=np.array([1 / 3]))
    document = build_document(replace(made, ranking=replace(made.ranking, signals=signals)))
    (entry,) = document["packed_chunks"]
    assert (entry["relevance_score"], entry["coverage_bonus"]) == (0.123457, 0.333333)
    assert math.copysign(1, entry["dedup_penalty"]) == 1.0


def test_lone_surrogates_cannot_reach_the_packet() -> None:
    document = build_document(assembly([chunk("a\ud800", "b\udfff")], query="c\ud8ff"))
    json.dumps(document, ensure_ascii=False).encode("utf-8")
    assert (document["query"], document["packed_chunks"][0]["text"]) == ("c\ufffd", "b\ufffd")


def test_a_candidate_without_a_decision_is_a_fault() -> None:
    made = assembly()
    fewer = dict(made.packing.excluded)
    fewer.popitem()
    with pytest.raises(ValueError, match="do not match"):
        build_document(replace(made, packing=replace(made.packing, excluded=fewer)))
    twice = (*made.ordered[1:], made.ordered[1])
    with pytest.raises(ValueError, match="permutation"):
        build_document(replace(made, ordered=twice))


def test_history_says_what_was_kept_and_left_out() -> None:
    message = Message(role="user", content="Earlier question")
    fitted = FittedHistory(
        kept=(message,),
        dropped=(message, message),
        tokens=5,
        dropped_tokens=10,
        turns=3,
        dropped_turns=2,
    )
    made = replace(assembly(history=(message,)), history=fitted)
    document = build_document(made)
    history = document["history"]
    assert (history["kept"], history["dropped"], history["dropped_tokens"]) == (1, 2, 10)
    assert "2 of 3 messages left out, from 2 of 3 turns" in history["reason"]
    assert document["request"]["history"] == [{"role": "user", "content": "Earlier question"}]
    assert build_document(assembly(history=(message,)))["history"]["kept"] == 1


def test_a_packet_names_everything_that_decided_it() -> None:
    document = build_document(assembly(notice="5 passages did not fit."))
    assert document["kb"]["policy"]["blocked_sources"] == ["spam"]
    assert document["rendered"]["preamble"] == PREAMBLE
    assert document["rendered"]["notice"] == "5 passages did not fit."
    assert document["packing"]["strategy"] == "ranked"
    assert document["weights"]["deduplication"] == -0.05
    made = replace(assembly(), kb_policy=None)
    assert build_document(made)["kb"]["policy"] is None


def test_ids_decide_between_equals_whatever_order_they_come_in() -> None:
    names = {"h": "a", "g": "b", "f": "c"}
    orders = []
    for rows in permutations(range(3)):
        chunks = [chunk(sorted(names)[row], "word " * 80) for row in rows]
        document = build_document(assembly(chunks, blocked=[0, 1, 2], scores=[0.5] * 3))
        orders.append([entry["chunk_id"] for entry in document["excluded_chunks"]])
    assert orders == [["f", "g", "h"]] * 6


def test_sample_chunks_are_all_candidates() -> None:
    document = build_document(assembly())
    assert document["packing"]["candidates"] == len(sample_chunks())
    assert document["packing"]["skipped_for_size"] == [f"c{n}" for n in (4, 5, 6, 7, 8, 9)]
