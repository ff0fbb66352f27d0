"""Selecting again from a packet: the production stages, fed with nothing but the packet."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.api import open_kb, pack
from packhorse.errors import BudgetError, InputError
from packhorse.explain.selection import Change, Selection
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.packet.reselect import packed_triangle, unpacked_triangle
from packhorse.types.chunk import Chunk
from tests.explain.random_packs import random_packets, random_request
from tests.properties.hashed_embedder import HashedEmbedder
from tests.properties.test_packet_invariants import QUERIES, knowledge_base, profiles
from tests.strategies import AS_OF, budgets, chunk_lists


@given(st.integers(0, 9), st.data())
def test_similarities_are_read_back_as_they_were(n_rows: int, data: st.DataObject) -> None:
    values = data.draw(
        st.lists(
            st.integers(0, 1_000_000),
            min_size=n_rows * (n_rows - 1) // 2,
            max_size=n_rows * (n_rows - 1) // 2,
        )
    )
    table = np.zeros((n_rows, n_rows))
    table[np.triu_indices(n_rows, 1)] = values
    table += table.T
    np.fill_diagonal(table, 1e6)
    assert (unpacked_triangle(packed_triangle(table), n_rows) == table).all()


@pytest.mark.parametrize("name", ["tax_kb", "medical_kb"])
def test_selecting_again_gives_the_decisions_of_the_packet(name: str, fixtures_dir: Path) -> None:
    kb = open_kb(fixtures_dir / name)
    chance = random.Random(name)  # noqa: S311 - drawn the same way each time, and no secret
    n_packets = 0
    while n_packets < 8:
        request = random_request(chance, kb, [fixtures_dir / "README.md"])
        try:
            packet = request.pack(kb)
        except BudgetError:
            continue
        n_packets += 1
        assert Selection(Packet.from_json(packet.to_json()).document).difference() == "", request


def test_selecting_again_over_random_pools_gives_the_decisions_of_the_packet() -> None:
    for _, (_, request, packet) in zip(range(40), random_packets(1), strict=False):
        assert Selection(packet.document).difference() == "", request


@given(chunks=chunk_lists(max_size=8), query=QUERIES, budget=budgets(1_500), profile=profiles())
def test_selecting_again_from_hostile_chunks(
    chunks: list[Chunk], query: str, budget: int, profile: Any
) -> None:
    from packhorse.config import KnowledgeBasePolicy

    kb = knowledge_base(chunks, KnowledgeBasePolicy(name="any"))
    try:
        packet = pack(query, kb, budget=budget, profile=profile, as_of=AS_OF)
    except BudgetError:
        return
    assert Selection(packet.document).difference() == ""


def test_a_change_is_a_change_of_that_thing_alone() -> None:
    _, _, packet = next(random_packets(4, strategies=("ranked",)))
    selection = Selection(packet.document)
    out = next(row for row, e in enumerate(selection.recorded.entries) if "excluded_reason" in e)
    before = selection.ranking()
    after = selection.ranking(Change(row=out, relevance=0.987654))
    changed = np.flatnonzero(before.signals.relevance != after.signals.relevance)
    assert changed.tolist() == [out]
    assert after.signals.relevance[out] == 0.987654
    assert (before.signals.trust == after.signals.trust).all()


def big_packet() -> tuple[MemoryKnowledgeBase, Packet]:
    from packhorse.config import KnowledgeBasePolicy

    words = [f"w{n}" for n in range(40)]
    chance = random.Random(3)  # noqa: S311 - drawn the same way each time, and no secret
    chunks = [
        Chunk(
            chunk_id=f"c{n:03d}",
            source_id=f"s{n % 9}",
            text=" ".join(["deduct", *chance.choices(words, k=20)]),
            trust_score=0.5,
        )
        for n in range(300)
    ]
    policy = KnowledgeBasePolicy(name="big")
    kb = MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())
    profile = {"candidates": 290, "mmr_lambda": 0.6}
    return kb, pack("deduct w1 w2", kb, budget=900, profile=profile, as_of=AS_OF)


def test_a_packet_of_many_candidates_asks_for_its_knowledge_base() -> None:
    kb, packet = big_packet()
    assert packet.document["packing"]["candidates"] > 256
    assert packet.document["similarities"]["millionths"] is None
    with pytest.raises(InputError, match="does not hold the similarities") as caught:
        Selection(packet.document)
    assert "--kb" in caught.value.hint
    assert Selection(packet.document, kb).difference() == ""


def test_a_knowledge_base_that_has_changed_is_refused() -> None:
    kb, packet = big_packet()
    chunks = list(kb.get([f"c{n:03d}" for n in range(300)]).values())
    id_changed = packet.document["excluded_chunks"][0]["chunk_id"]
    others = [c for c in chunks if c.chunk_id != id_changed]
    moved = MemoryKnowledgeBase(others, policy=kb.policy, embedder=HashedEmbedder())
    with pytest.raises(InputError, match=f"Chunk '{id_changed}' is gone"):
        Selection(packet.document, moved)


def test_copies_of_rows_that_are_none_are_refused() -> None:
    _, _, packet = next(random_packets(5))
    document = packet.to_dict()
    n_rows = document["packing"]["candidates"]
    document["copies"].append([0, n_rows, 1.0])
    with pytest.raises(InputError, match=f"name row {n_rows} of {n_rows} candidates"):
        Selection(document)


def test_vectors_of_another_embedder_are_refused() -> None:
    kb, packet = big_packet()
    chunks = kb.get([f"c{n:03d}" for n in range(300)]).values()
    without = MemoryKnowledgeBase(chunks, policy=kb.policy)
    with pytest.raises(InputError, match="those of the knowledge base of None"):
        Selection(packet.document, without)


def test_a_packet_that_other_code_made_is_known_by_its_first_difference() -> None:
    _, _, packet = next(random_packets(5))
    document = copy.deepcopy(packet.to_dict())
    document["packed_chunks"][0]["score"] += 0.001
    name = document["packed_chunks"][0]["chunk_id"]
    assert Selection(document).difference().startswith(f"score of {name} comes to")
