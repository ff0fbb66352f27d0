"""The six critical tests of the specification (6.2)."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from packhorse.api import count_tokens, open_kb, pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from tests.specification.edge_case import load_situation
from tests.tokens.oracle import oracle

QUERY = "Can I deduct home office expenses?"
SCORE_TOLERANCE = 0.005
"""Quantised embeddings may differ by this much between processors."""


@pytest.fixture(scope="module")
def golden(fixtures_dir: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((fixtures_dir / "golden_query.json").read_text("utf-8"))
    return data


@pytest.fixture(scope="module")
def packet(fixtures_dir: Path) -> Packet:
    return pack(QUERY, open_kb(fixtures_dir / "tax_kb"), budget=2800)


def test_1_golden_query_gives_the_expected_packet(packet: Packet, golden: dict[str, Any]) -> None:
    document = packet.to_dict()
    expected = golden["expect"]
    packed = document["packed_chunks"]
    assert [c["chunk_id"] for c in packed] == [c["chunk_id"] for c in expected["packed"]]
    assert [c["tokens"] for c in packed] == [c["tokens"] for c in expected["packed"]]
    for chunk, wanted in zip(packed, expected["packed"], strict=True):
        assert chunk["score"] == pytest.approx(wanted["score"], abs=SCORE_TOLERANCE)
    assert document["coverage"]["score"] == pytest.approx(expected["coverage"]["score"])


def test_2_token_count_is_that_of_the_exact_tokenizer(packet: Packet) -> None:
    exact = oracle("o200k_base")
    assert isinstance(exact, tiktoken.Encoding)
    assert count_tokens(packet.text) == len(exact.encode_ordinary(packet.text)) == 2741
    assert count_tokens(packet.text) != len(packet.text) // 4


def test_3_mandatory_chunk_is_in_whatever_its_score(packet: Packet) -> None:
    document = packet.to_dict()
    mandatory = next(c for c in document["packed_chunks"] if c["reason_code"] == "mandatory")
    better = [c for c in document["excluded_chunks"] if (c["score"] or 0) > mandatory["score"]]
    assert mandatory["chunk_id"] == "regulatory_disclaimer"
    assert better


def test_4_chunk_over_the_rest_is_skipped_and_the_next_smaller_one_is_packed(
    packet: Packet,
) -> None:
    document = packet.to_dict()
    skipped = next(c for c in document["excluded_chunks"] if c["chunk_id"] == "tax-kb-0201")
    later = [c for c in document["packed_chunks"] if c["rank"] > skipped["rank"]]
    assert skipped["reason_code"] == "exceeded_remaining_budget"
    assert any(c["reason_code"] == "ranked" for c in later)


def test_5_coverage_names_what_is_missing_and_scores_it(fixtures_dir: Path, tmp_path: Path) -> None:
    situation = load_situation(fixtures_dir, "single_source", tmp_path)
    chunk = situation.kb.get(["exclusive-use"])["exclusive-use"]
    tagged = replace(chunk, topic_tags=(("deduction_definition", 1.0), ("eligibility", 1.0)))
    kb = MemoryKnowledgeBase([tagged], policy=KnowledgeBasePolicy(name="one"))
    required = ["deduction_definition", "eligibility", "calculation"]
    coverage = pack(
        "exclusive use of a home office", kb, as_of="2026-01-15", require_topics=required
    ).to_dict()["coverage"]
    assert coverage["missing"] == ["calculation"]
    assert coverage["covered"] == ["deduction_definition", "eligibility"]
    assert round(coverage["score"], 2) == 0.67


def run_process(kb: Path, out: Path, cache: Path, **variables: str) -> dict[str, bytes]:
    """Packs in a process of its own and returns what it wrote, by file name."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), **variables}
    arguments = ["pack", "--query", QUERY, "--kb", str(kb), "--budget", "2800", "--out", str(out)]
    subprocess.run(
        [sys.executable, "-m", "packhorse", *arguments],
        check=True,
        capture_output=True,
        env=environment,
    )
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def test_6_same_input_gives_the_same_bytes_in_every_process(
    fixtures_dir: Path, tmp_path: Path
) -> None:
    shuffled = tmp_path / "fixtures"
    shutil.copytree(fixtures_dir, shuffled)
    chunks = shuffled / "tax_kb" / "chunks.jsonl"
    lines = chunks.read_text(encoding="utf-8").splitlines()
    reordered = [*lines[1::2], *reversed(lines[0::2])]
    chunks.write_text("\n".join(reordered) + "\n", encoding="utf-8")
    kb, cache = fixtures_dir / "tax_kb", tmp_path / "cache"
    first = run_process(kb, tmp_path / "a", cache, PYTHONHASHSEED="0", OMP_NUM_THREADS="1")
    again = run_process(kb, tmp_path / "b", cache, PYTHONHASHSEED="1", OMP_NUM_THREADS="2")
    other = run_process(
        shuffled / "tax_kb",
        tmp_path / "c",
        tmp_path / "other cache",
        PYTHONHASHSEED="2",
        OPENBLAS_NUM_THREADS="2",
    )
    assert first == again == other
    assert sorted(first) == [
        "context.txt",
        "context_packet.json",
        "explainability.csv",
        "messages.json",
    ]
