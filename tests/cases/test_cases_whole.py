"""Cases from practice, asked of the whole program: what the packet and the commands say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import packhorse
from packhorse.config import KnowledgeBasePolicy, Profile
from packhorse.errors import BudgetExceededError, UnknownModelError
from packhorse.indexing.build import build_index
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.arrays import FloatArray
from packhorse.types.chunk import Chunk
from tests.cli.command import invoke

AS_OF = "2026-06-01"
POLICY = KnowledgeBasePolicy(name="cases")


def kb_of(texts: Mapping[str, str]) -> MemoryKnowledgeBase:
    chunks = [Chunk(chunk_id=name, source_id=name, text=text) for name, text in texts.items()]
    return MemoryKnowledgeBase(chunks, policy=POLICY)


def packed(packet: Packet) -> list[str]:
    return [chunk.chunk_id for chunk in packet.packed_chunks]


def warnings(packet: Packet) -> dict[str, str]:
    return {check.name: check.detail for check in packet.checks if check.status == "warn"}


def test_case_01_a_text_with_control_tokens_is_packed_character_for_character() -> None:
    text = "The end marker is written <|endoftext|> and a turn opens with <|im_start|>system."
    kb = kb_of({"d1": text, "d2": "Ordinary text about markers."})
    for model in ("gpt-4o", "gpt-4"):
        packet = packhorse.pack("how is the end marker written", kb, model=model, budget=200)
        assert "d1" in packed(packet)
        assert text in packet.text
        assert packhorse.count_tokens(packet.text, model) == packet.budget.packed_evidence <= 200


def test_case_03_a_packet_says_whether_its_count_is_proven() -> None:
    kb = kb_of({"a": "Refunds take thirty days."})
    exact = packhorse.pack("refunds", kb, model="gpt-4o", budget=1000).document["tokenizer"]
    guess = packhorse.pack("refunds", kb, model="claude-sonnet-4-5", budget=1000)
    assert (exact["name"], exact["exact"], exact["margin_tokens"]) == ("o200k_base", True, 0)
    assert guess.document["tokenizer"]["exact"] is False
    assert guess.document["tokenizer"]["name"] == "o200k_base+35%"
    assert guess.document["tokenizer"]["margin_tokens"] > 0
    with pytest.raises(UnknownModelError, match="acme-local-7b"):
        packhorse.pack("refunds", kb, model="acme-local-7b", budget=1000)


def test_case_10_pinned_material_over_the_budget_is_an_error_with_both_sizes() -> None:
    kb = kb_of({"p1": "alpha " * 250, "p2": "beta " * 90})
    with pytest.raises(BudgetExceededError) as caught:
        packhorse.pack("alpha", kb, budget=300, pin=["p1", "p2"])
    sizes = dict(caught.value.parts)
    assert sizes["p1"] >= 250
    assert sizes["p2"] >= 90
    assert caught.value.available == 300
    assert f"p1 {sizes['p1']} + p2 {sizes['p2']}" in caught.value.message


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_case_14_a_score_that_is_not_finite_is_unscored_and_null(odd: float) -> None:
    class Odd(MemoryKnowledgeBase):
        def search(self, text: str, vector: FloatArray | None, limit: int) -> Any:
            found = super().search(text, vector, limit)
            hits = [replace(h, score=odd) if h.chunk_id in "bd" else h for h in found.lexical]
            return replace(found, lexical=tuple(hits))

    texts = {"a": "refund of goods", "b": "refund window", "c": "refund refund", "d": "refund day"}
    chunks = [Chunk(chunk_id=name, source_id=name, text=text) for name, text in texts.items()]
    packet = packhorse.pack("refund", Odd(chunks, policy=POLICY), as_of=AS_OF)

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    document = json.loads(packet.to_json(), parse_constant=refuse)
    assert sorted(packed(packet)) == ["a", "c"]
    out = [(each["chunk_id"], each["reason_code"]) for each in document["excluded_chunks"]]
    assert out == [("b", "unscored"), ("d", "unscored")]
    assert [each["relevance_score"] for each in document["excluded_chunks"]] == [None, None]
    assert "not finite" in warnings(packet)["numbers"]
    assert Packet.from_json(packet.to_json()) == packet


def test_case_16_help_says_the_range_and_direction_of_lambda(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = " ".join(invoke(capsys, "pack", "--help").out.split())
    assert "--lambda FLOAT MMR trade-off from 1.0 (pure score) to 0.0 (pure diversity)" in said


def test_case_18_two_copies_do_not_count_as_two_sources() -> None:
    text = "Refunds are paid within thirty days of the return of the goods."
    copies = [
        Chunk(
            chunk_id="forum-1",
            source_id="forum",
            text=text,
            trust_score=0.3,
            timestamp=datetime(2026, 5, 1, tzinfo=UTC),
        ),
        Chunk(
            chunk_id="policy-1",
            source_id="policy",
            text=text,
            trust_score=0.9,
            timestamp=datetime(2026, 4, 1, tzinfo=UTC),
        ),
    ]
    kb = MemoryKnowledgeBase(copies, policy=POLICY)
    packet = packhorse.pack("When are refunds paid?", kb, as_of=AS_OF)
    assert packed(packet) == ["policy-1"]
    (out,) = packet.excluded_chunks
    assert (out.chunk_id, out.duplicate_of) == ("forum-1", "policy-1")
    assert packet.diversity.unique_sources == 1


@pytest.mark.parametrize("query", ["*", "(", "^", '"', "?!"])
def test_case_22_a_query_without_words_gives_an_empty_packet_that_says_so(query: str) -> None:
    packet = packhorse.pack(query, kb_of({"d1": "The multi-agent guide."}), as_of=AS_OF)
    assert (packed(packet), packet.status) == ([], "warning")
    assert packet.document["note"] == "no_searchable_terms"
    assert "no searchable words" in warnings(packet)["retrieval"]


@pytest.mark.parametrize(
    ("texts", "note", "said"),
    [
        ({}, "empty_knowledge_base", "holds no chunks"),
        ({"a": ""}, "no_searchable_text", "no searchable text"),
        ({"a": "   \n\t", "b": "!!!"}, "no_searchable_text", "no searchable text"),
    ],
)
def test_case_23_a_corpus_without_text_gives_an_empty_packet_that_says_so(
    texts: Mapping[str, str], note: str, said: str
) -> None:
    packet = packhorse.pack("refund", kb_of(texts), as_of=AS_OF)
    assert (packed(packet), packet.status, packet.document["note"]) == ([], "warning", note)
    assert said in warnings(packet)["retrieval"]
    assert Packet.from_json(packet.to_json()) == packet


def test_case_23_indexing_and_packing_an_empty_corpus_exit_with_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = [{"chunk_id": name, "source_id": "s", "text": name * 3} for name in "?!"]
    source = tmp_path / "marks.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    kb = tmp_path / "kb"
    indexed = invoke(capsys, "index", source, "--kb", kb, "--embedder", "none", "--json")
    assert (indexed.code, json.loads(indexed.out)["chunks_without_terms"]) == (1, 2)
    assert invoke(capsys, "pack", "--query", "refund", "--kb", kb, "--json").code == 1


def test_case_25_a_query_without_direction_warns_and_words_alone_search() -> None:
    class Nowhere(WordEmbedder):
        def embed(self, texts: Any) -> FloatArray:
            return np.zeros((len(texts), self.dimension), dtype=np.float32)

    chunks = [Chunk(chunk_id="a", source_id="s", text="refund window")]
    kb = MemoryKnowledgeBase(chunks, policy=POLICY, embedder=Nowhere())
    packet = packhorse.pack("refund", kb, as_of=AS_OF)
    assert packed(packet) == ["a"]
    assert "no direction" in warnings(packet)["retrieval"]
    assert packet.packed_chunks[0].dedup_penalty == 0.0


def test_case_42_packing_over_a_file_with_bad_lines_warns_and_counts_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "kb.jsonl"
    good = [{"chunk_id": name, "source_id": name, "text": "refund window"} for name in "13"]
    one, three = map(json.dumps, good)
    source.write_text(f'{one}\n\n{{"id":"2","text":\n{three}\n   \n', encoding="utf-8")
    pack = ["pack", "--query", "refund window", "--kb", source, "--embedder", "none"]
    out = tmp_path / "out"
    strict = invoke(capsys, *pack, "--out", out)
    assert (strict.code, out.exists()) == (2, False)
    assert "kb.jsonl line 3" in strict.err
    for _ in ("indexed now", "from the cache"):
        lenient = invoke(capsys, *pack, "--out", out, "--skip-bad-lines")
        assert lenient.code == 1
        assert "[WARN] Source read in part: 1 bad line left out" in lenient.out


def test_a_folder_of_which_nothing_could_be_read_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.bin").write_bytes(b"\0\1")
    outcome = invoke(capsys, "pack", "--query", "x", "--kb", docs, "--out", tmp_path / "out")
    assert outcome.code == 1
    assert "1 file not read" in outcome.out


def test_case_43_text_can_be_added_to_an_empty_base_later(tmp_path: Path) -> None:
    source = tmp_path / "kb.jsonl"

    def write(*texts: str) -> None:
        lines = [
            {"chunk_id": f"c{n}", "source_id": "s", "text": text} for n, text in enumerate(texts)
        ]
        source.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    write("", " \n ", "\u200b")
    report = build_index([source], tmp_path / "kb", embedder="none")
    assert (report.chunks, report.ingest.skipped_empty) == (0, ["c0", "c1", "c2"])
    write("", " \n ", "\u200b", "real")
    assert build_index([source], tmp_path / "kb").chunks == 1
    packet = packhorse.pack("real", tmp_path / "kb", as_of=AS_OF)
    assert packed(packet) == ["c3"]


def test_case_45_a_packet_names_the_content_it_was_made_from(tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text("Refunds take thirty days.", encoding="utf-8")
    report = build_index([source], tmp_path / "kb", embedder="none")
    packet = packhorse.pack("refunds", tmp_path / "kb", as_of=AS_OF)
    assert packet.document["kb"]["snapshot"] == report.snapshot


def test_case_47_a_query_of_two_million_characters_is_a_budget_error() -> None:
    with pytest.raises(BudgetExceededError, match="query"):
        packhorse.pack("word " * 400_000, kb_of({"a": "word"}), profile=Profile(name="plain"))
