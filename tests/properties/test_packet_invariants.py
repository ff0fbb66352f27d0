"""Promises that hold for every corpus, question, budget and setting, through the whole pipeline."""

import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

import toktok
from hypothesis import given
from hypothesis import strategies as st

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy, Profile
from packhorse.errors import BudgetExceededError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from packhorse.types.ledger import FIXED_LINES
from tests.promises import promised
from tests.properties.hashed_embedder import HashedEmbedder
from tests.render.parsers import READERS
from tests.strategies import AS_OF, budgets, chunk_lists, texts

QUERIES = st.one_of(
    st.sampled_from(("deduction per square foot", "税務署", "the", "title:x AND (")),
    texts(4).filter(lambda text: bool(text.strip())),
)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Settings of every kind that a packet depends on."""
    built_in = Profile()
    return replace(
        built_in,
        rerank=replace(
            built_in.rerank,
            mmr_lambda=draw(st.sampled_from((0.0, 0.3, 0.7, 1.0))),
            top_k=draw(st.sampled_from((None, 1, 3))),
            min_trust=draw(st.sampled_from((0.0, 0.4))),
            max_age_days=draw(st.sampled_from((None, 1095.0))),
            max_per_source=draw(st.sampled_from((None, 1, 2))),
            dedup_threshold=draw(st.sampled_from((None, 0.55))),
        ),
        retrieval=replace(
            built_in.retrieval, expand=draw(st.sampled_from(("none", "neighbours", "section")))
        ),
        pack=replace(built_in.pack, strategy=draw(st.sampled_from(("ranked", "density")))),
        render=replace(
            built_in.render,
            format=draw(st.sampled_from(("xml", "markdown", "plain"))),
            order=draw(st.sampled_from(("sandwich", "edges", "chronological", "source"))),
            evidence_preamble=draw(st.sampled_from(("", "Cite by number.", "A\n\n<evidence> B"))),
        ),
    )


def knowledge_base(chunks: list[Chunk], policy: KnowledgeBasePolicy) -> MemoryKnowledgeBase:
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def counted(text: str) -> int:
    return int(toktok.batch_count([text], "o200k_base", 1)[0])


def check_sum(error: BudgetExceededError, budget: int) -> None:
    """A refusal shows a sum that adds up to more than the budget."""
    assert sum(tokens for _, tokens in error.parts) == error.needed > budget


def check_balance(packet: Packet, budget: int) -> None:
    """Never over, and every token on exactly one line; counted here with the bare tokenizer."""
    lines = packet.to_dict()["budget"]
    fixed = sum(lines[name] for name in FIXED_LINES)
    assert (
        fixed + lines["output_reservation"] + lines["available_evidence"] == (lines["total_window"])
    )
    assert counted(packet.text) == lines["packed_evidence"] <= lines["evidence_budget"] == budget
    blocks = sum(chunk["tokens"] for chunk in packet.to_dict()["packed_chunks"])
    assert lines["evidence_preamble"] + blocks == lines["packed_evidence"]
    assert lines["remaining_unused"] == budget - lines["packed_evidence"]
    contents = [message["content"] for message in packet.messages("openai")]
    overhead = lines["message_overhead"]
    assert sum(map(counted, contents)) + overhead == fixed + lines["packed_evidence"]


def check_decisions(packet: Packet, chunks: list[Chunk], required: tuple[str, ...]) -> None:
    """Every candidate once, each with a reason; what must be in is in."""
    document = packet.to_dict()
    packed = [chunk["chunk_id"] for chunk in document["packed_chunks"]]
    excluded = [chunk["chunk_id"] for chunk in document["excluded_chunks"]]
    assert max(Counter(packed + excluded).values(), default=1) == 1
    assert set(packed + excluded) <= {chunk.chunk_id for chunk in chunks}
    assert document["packing"]["candidates"] == len(packed) + len(excluded)
    assert set(required) <= set(packed)
    assert all(chunk["excluded_reason"] for chunk in document["excluded_chunks"])
    assert all(chunk["included_reason"] for chunk in document["packed_chunks"])
    assert [chunk["position"] for chunk in document["packed_chunks"]] == [
        *range(1, len(packed) + 1)
    ]


def check_text(packet: Packet, preamble: str) -> None:
    """Reading the rendered text back gives the packed chunks and nothing else."""
    document = packet.to_dict()
    opening = f"{preamble}\n" if preamble and packet.text else ""
    blocks = READERS[document["rendered"]["format"]](packet.text, opening)
    assert [block.number for block in blocks] == [
        chunk["position"] for chunk in document["packed_chunks"]
    ]
    digest = hashlib.sha256(packet.text.encode("utf-8")).hexdigest()
    assert document["rendered"]["sha256"] == digest


def packed(
    chunks: list[Chunk],
    policy: KnowledgeBasePolicy,
    query: str,
    **settings: Any,
) -> Packet | BudgetExceededError:
    """The packet over a knowledge base of its own, or the refusal."""
    try:
        return pack(query, knowledge_base(chunks, policy), as_of=AS_OF, **settings)
    except BudgetExceededError as error:
        return error


@promised
@given(
    chunks=chunk_lists(max_size=8),
    query=QUERIES,
    budget=budgets(1_500),
    profile=profiles(),
    data=st.data(),
)
def test_every_packet_balances_accounts_for_all_reads_back_and_is_the_same_from_shuffled_chunks(
    chunks: list[Chunk], query: str, budget: int, profile: Profile, data: st.DataObject
) -> None:
    ids = sorted(chunk.chunk_id for chunk in chunks)
    required = tuple(data.draw(st.lists(st.sampled_from(ids), max_size=2))) if ids else ()
    shuffled = data.draw(st.permutations(chunks))
    policy = KnowledgeBasePolicy(name="any", mandatory=required[:1])
    pinned = tuple(dict.fromkeys(required))
    packet, again = (
        packed(list(order), policy, query, budget=budget, profile=profile, pin=pinned)
        for order in (chunks, shuffled)
    )
    if isinstance(packet, BudgetExceededError):
        check_sum(packet, budget)
        assert isinstance(again, BudgetExceededError)
        assert (again.needed, again.parts) == (packet.needed, packet.parts)
        return
    check_balance(packet, budget)
    check_decisions(packet, chunks, pinned)
    check_text(packet, profile.render.evidence_preamble)
    written = packet.to_json()
    assert Packet.from_json(written).to_json() == written
    assert isinstance(again, Packet)
    assert again.to_json() == written
