"""The facade: round trip, strict reading, typed views."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError, UnknownStrategyError
from packhorse.packet.canonical import packet_hash, trace_id
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from packhorse.types.decision import InclusionCode
from packhorse.types.message import Message
from packhorse.types.verdict import Status
from tests.packet.assemblies import assembly, chunk
from tests.strategies import chunk_lists, raw_texts


def packet(**options: Any) -> Packet:
    return Packet.of(assembly(**options))


@given(
    chunk_lists(text=raw_texts()),
    st.sampled_from(("xml", "markdown", "plain")),
    raw_texts(3),
    st.integers(20, 300),
)
def test_a_packet_reads_back_as_itself(
    chunks: list[Chunk], format: str, query: str, budget: int
) -> None:
    made = packet(chunks=chunks, format=format, query=query, budget=budget, notice="some left out")
    back = Packet.from_json(made.to_json().encode("utf-8"))
    assert back == made
    assert back.text == made.text
    assert back.to_json() == made.to_json()


def test_views_are_typed() -> None:
    made = packet(reserved=[(4, InclusionCode.MANDATORY)])
    assert made.status == "valid"
    assert made.budget.evidence_budget == 60
    assert made.budget.remaining_unused == 60 - made.budget.packed_evidence
    assert [c.position for c in made.packed_chunks] == [1, 2, 3, 4]
    assert made.excluded_chunks[0].would_fit_at_budget is not None
    assert made.excluded_chunks[0].duplicate_of is None
    assert made.coverage.evidence == (("eligibility", "c1"),)
    assert made.conflicts[0].b.value == "$6"
    assert made.diversity.unique_sources == 4
    assert made.checks[0].status is Status.PASS
    assert (made.query, made.model) == ("Can I deduct home office expenses?", "gpt-4o")
    assert made.packed_chunks[0].topic_tags == (("eligibility", 1.0),)
    assert {made, packet(reserved=[(4, InclusionCode.MANDATORY)])} == {made}
    assert made != "a packet"
    assert repr(made) == f"<Packet {made.trace_id} valid: 4 chunks, 59/60 tokens>"


def test_omitted_are_those_that_only_the_budget_kept_out() -> None:
    made = packet(blocked=[2])
    omitted = made.omitted()
    assert omitted
    assert {chunk.reason_code for chunk in omitted} == {"exceeded_remaining_budget"}
    assert "c2" not in {chunk.chunk_id for chunk in omitted}


def test_a_copy_of_the_document_does_not_touch_the_packet() -> None:
    made = packet()
    made.to_dict()["query"] = "changed"
    made.to_dict()["budget"]["tools"] = 1
    assert made.query == "Can I deduct home office expenses?"
    assert made.budget.tools == 0
    with pytest.raises(TypeError):
        made.document["query"] = "changed"  # type: ignore[index]  # it is read only


def test_messages_come_in_every_shape_also_after_reading_back() -> None:
    history = (
        Message(role="user", content="Hello"),
        Message(role="assistant", content="Hi. What is it?"),
    )
    made = Packet.from_json(packet(history=history).to_json())
    messages = made.messages("openai")
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "user"]
    assert messages[-1]["content"] == f"{made.text}Question: {made.query}"
    assert made.messages() == messages
    assert made.messages("anthropic")["system"] == "You are a tax adviser.\n\nNever guess."
    assert made.request("gemini")["generationConfig"] == {"maxOutputTokens": 2000}
    assert made.request()["max_completion_tokens"] == 2000
    with pytest.raises(UnknownStrategyError) as caught:
        made.messages("morse")
    assert caught.value.known == ("anthropic", "gemini", "openai")


def test_explain_of_no_candidate_names_near_ones() -> None:
    made = packet()
    with pytest.raises(InputError) as caught:
        made.explain("c99")
    assert "c9" in caught.value.hint
    with pytest.raises(InputError, match="no candidate") as caught:
        made.explain("zzzzzz")
    assert "--candidates" in caught.value.hint


A_POLICY: dict[str, Any] = {
    "mandatory": [],
    "blocked_sources": [],
    "trust": {},
    "min_trust": None,
    "max_age_days": None,
}


def changed(change: Callable[[dict[str, Any]], object], *, rehash: bool = True) -> str:
    document = packet(notice="some left out").to_dict()
    change(document)
    if rehash:
        document["trace_id"] = trace_id(document)
        document["packet_hash"] = packet_hash(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: d.update(schema_version="2"), "schema_version '2'"),
        (lambda d: d.pop("schema_version"), "schema_version None"),
        (lambda d: d.pop("budget"), "`budget`"),
        (lambda d: d["budget"].update(tools="many"), r"\$.budget.tools"),
        (lambda d: d["weights"].pop("trust"), r"`trust` - at `\$.weights`"),
        (lambda d: d["kb"].update(policy=A_POLICY | {"mandatory": [1]}), r"policy.mandatory"),
        (lambda d: d["packed_chunks"][0].pop("text"), r"\$.packed_chunks\[0\]"),
        (lambda d: d["excluded_chunks"][0].update(reason_code="because"), "because"),
        (lambda d: d["budget"].update(tools=5), "budget.total_window"),
        (lambda d: d["packed_chunks"][0].update(tokens=1), "budget.packed_evidence"),
        (lambda d: d["rendered"].update(tokens=1), "rendered.tokens"),
        (lambda d: d["budget"].update(remaining_unused=7), "budget.remaining_unused"),
        (lambda d: d["excluded_chunks"].pop(), "packing.candidates"),
        (lambda d: d["packing"].update(packed=1), "packing.packed"),
        (lambda d: d["excluded_chunks"][0].update(chunk_id="c0"), "different candidates"),
        (lambda d: d["packed_chunks"][0].update(position=2), "positions of packed_chunks"),
        (lambda d: d.update(status="warning"), "status"),
        (lambda d: d["packed_chunks"][0].update(text="Another text"), "rendered.sha256"),
        (lambda d: d["packed_chunks"][0].update(timestamp="2024-99-99T00:00:00Z"), "rendered"),
        (lambda d: d["rendered"].update(format="rtf"), "Unknown format 'rtf'"),
        (lambda d: d["rendered"].update(preamble="Obey!"), "rendered.sha256"),
    ],
)
def test_a_packet_that_does_not_agree_with_itself_is_refused_by_name(
    change: Callable[[dict[str, Any]], object], named: str
) -> None:
    with pytest.raises(InputError, match=named) as caught:
        Packet.from_json(changed(change))
    assert caught.value.hint


def test_the_hash_covers_every_field() -> None:
    document = packet().to_dict()
    for key in sorted(document):
        if key in {"packet_hash", "schema_version"}:
            continue
        with pytest.raises(InputError):
            Packet.from_json(json.dumps({**document, key: "x"}))
    with pytest.raises(InputError, match="trace_id"):
        Packet.from_json(changed(lambda d: d.update(query="Another question"), rehash=False))
    with pytest.raises(InputError, match="packet_hash"):
        Packet.from_json(changed(lambda d: d.update(packet_hash="0" * 64), rehash=False))


def test_timings_are_not_part_of_the_hash() -> None:
    made = packet()
    document = {**made.to_dict(), "timings": {"retrieve_ms": 3.5}}
    assert Packet.from_json(json.dumps(document)) == made


@pytest.mark.parametrize(
    "data",
    [
        "",
        "no json",
        "[]",
        "null",
        "3",
        b"\xff\xfe{",
        '{"schema_version": "1", "schema_version": "1"}',
        '{"schema_version": NaN}',
        "[" * 100_000,
    ],
)
def test_what_is_no_packet_is_refused_in_two_lines(data: str | bytes) -> None:
    with pytest.raises(InputError) as caught:
        Packet.from_json(data)
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_a_byte_order_mark_is_no_obstacle() -> None:
    made = packet()
    assert Packet.from_json(b"\xef\xbb\xbf" + made.to_json().encode()) == made


PROGRAM = """
from packhorse.packet.csv import explainability_csv
from packhorse.packet.packet import Packet
from packhorse.types.decision import InclusionCode
from tests.packet.assemblies import assembly
packet = Packet.of(assembly(blocked=[3], reserved=[(4, InclusionCode.MANDATORY)]))
print(packet.to_json(), explainability_csv(packet), packet.text)
"""


def test_two_hash_seeds_give_the_same_bytes(root: Path) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            check=True,
            capture_output=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"src{os.pathsep}."},
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(outputs) == 1
    assert b"ctx-20260115-" in outputs.pop()


def test_an_empty_packet_is_a_packet() -> None:
    made = packet(chunks=[])
    assert Packet.from_json(made.to_json()) == made
    assert made.packed_chunks == ()
    assert made.excluded_chunks == ()
    assert made.conflicts == ()
    assert chunk("x").chunk_id not in made.text


def test_a_packet_can_be_handed_to_another_process() -> None:
    made = packet()
    pickled = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    for copied in (pickled, copy.deepcopy(made)):
        assert copied == made
        assert (copied.to_json(), copied.text) == (made.to_json(), made.text)
        with pytest.raises(TypeError):
            copied.document["status"] = "other"  # type: ignore[index]  # that it is refused
