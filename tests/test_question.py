"""A question over a conversation is searched with what the conversation is about, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse.config import Profile, RetrievalConfig
from packhorse.explain.diff.diff import diffed
from packhorse.explain.replay import replayed
from packhorse.packet.packet import Packet
from packhorse.question import rewritten_by
from packhorse.types.message import Message

TALK = [
    {"role": "system", "content": "Answer about the Sportspark."},
    {"role": "user", "content": "Where is the Sportspark?"},
    {"role": "assistant", "content": "The Sportspark is on Roosevelt Island."},
]
QUESTION = "How much does it cost?"

ROWS = """\
{"chunk_id": "fees", "source_id": "park", "text": "The Sportspark asks for 12 dollars a day."}
{"chunk_id": "cost", "source_id": "tax", "text": "It does cost much: how much a form costs."}
"""


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    path = tmp_path / "park.jsonl"
    path.write_text(ROWS, encoding="utf-8")
    return path


def packed(kb: Path, **given: Any) -> Packet:
    return packhorse.pack(QUESTION, kb, history=TALK, as_of="2026-01-01", **given)


def ranks(packet: Packet) -> dict[str, int]:
    return {each["chunk_id"]: each["rank"] for each in packet.to_dict()["packed_chunks"]}


def test_a_question_that_points_back_finds_what_was_spoken_of(kb: Path) -> None:
    assert ranks(packed(kb))["fees"] == 1
    assert ranks(packed(kb, rewrite_query=False))["cost"] == 1


def test_the_packet_says_what_was_searched_with_and_keeps_the_question(kb: Path) -> None:
    document = packed(kb).to_dict()
    assert document["query"] == QUESTION
    searched = document["searched"]
    assert searched["text"].startswith(f"{QUESTION} Sportspark")
    assert searched["reason"] == "points back: it"
    assert searched["added"][0] == {"turns": [1, 2], "weight": 1.5, "word": "Sportspark"}
    assert "searched" not in packed(kb, rewrite_query=False).to_dict()
    assert "searched" not in packhorse.pack(QUESTION, kb).to_dict()


@pytest.mark.parametrize("rewrite", [True, False])
def test_a_replay_searches_with_the_same_words(kb: Path, rewrite: bool) -> None:
    document = packed(kb, rewrite_query=rewrite).to_dict()
    assert replayed(document, kb).same


def test_a_difference_in_what_was_searched_is_told_and_attributed(kb: Path) -> None:
    found = diffed(packed(kb).to_dict(), packed(kb, rewrite_query=False).to_dict())
    inputs = {each.key: each for each in found.inputs}
    assert inputs["searched"].now == QUESTION
    assert inputs["searched"].was.startswith(f"{QUESTION} Sportspark")
    assert "query_vector" not in inputs


def test_a_question_that_stands_alone_is_searched_as_it_is(kb: Path) -> None:
    alone = "Which opening hours does Roosevelt Island's swimming pool keep during summer holidays?"
    document = packhorse.pack(alone, kb, history=TALK).to_dict()
    assert document["searched"]["text"] == alone
    assert document["searched"]["added"] == []


def test_only_what_people_say_is_looked_at() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    talk = (
        Message(role="system", content="Zeppelin"),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content="Zeppelin", tool_call_id="1"),
        Message(role="user", content="The Sportspark."),
    )
    rewritten = rewritten_by(talk, QUESTION, Profile())
    assert rewritten is not None
    assert [each.word for each in rewritten.added] == ["Sportspark"]
    assert rewritten.added[0].turns == (3,)
    assert rewritten_by(talk[:3], QUESTION, Profile()) is None
    off = Profile(retrieval=RetrievalConfig(rewrite_query=False))
    assert rewritten_by(talk, QUESTION, off) is None
