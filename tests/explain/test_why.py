"""What `why` says: the sum, the stages, what stood in the way, what would change it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import InputError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.explanation import WIDTH
from packhorse.packet.packet import Packet
from packhorse.rerank.deduplication import similarities
from packhorse.types.chunk import Chunk
from tests.explain.random_packs import random_packets
from tests.properties.hashed_embedder import HashedEmbedder

GOLDEN = Path(__file__).parent / "why.txt"
AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
QUERY = "home office deduction limit"
RENT = "The home office deduction has a limit of five dollars per square foot of the office"


def made(chunk_id: str, text: str, source: str, trust: float | None, days: int | None) -> Chunk:
    return Chunk(
        chunk_id=chunk_id,
        source_id=source,
        text=text,
        trust_score=trust,
        timestamp=None if days is None else AS_OF - timedelta(days=days),
    )


def packet_of_every_kind() -> Packet:
    """One chunk for each reason that a default strategy gives."""
    long = " and the regular and exclusive use of a room" * 6
    chunks = [
        made("notice", "This is no advice.", "law", 1.0, 100),
        made("rule", f"{RENT}.", "law", 0.9, 30),
        made("rule-copy", f"{RENT}, as people say.", "blog", 0.5, 30),
        made(
            "long", f"The office deduction of home workers follows the law{long}.", "guide", 0.8, 50
        ),
        made("short", "A home office limit: three hundred square feet.", "guide", 0.8, 70),
        made("undated", "Deduction of office rent at home, without a limit.", "wiki", None, None),
        made("third", "Another home office note.", "guide", 0.3, 10),
        made("old", "The home office deduction limit of long ago.", "archive", 0.9, 4_000),
        made("doubtful", "My home office deduction limit trick.", "forum", 0.1, 3),
        made("spam", "Home office deduction limit secrets.", "spam", 0.9, 3),
        made("aside", "Storage rules, with one office.", "law", 0.9, 300),
        made("last", "A limit.", "misc", 0.4, 2_000),
    ]
    policy = KnowledgeBasePolicy(name="notes", mandatory=("notice",), blocked_sources=("spam",))
    kb = MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())
    profile = {
        "min_trust": 0.2,
        "max_age_days": 3_000,
        "min_relevance": 0.05,
        "max_per_source": 2,
        "top_k": 4,
        "mmr_lambda": 0.7,
        "evidence_preamble": "Cite by number.",
    }
    return pack(QUERY, kb, budget=120, profile=profile, as_of=AS_OF)


def test_what_is_said_for_people(rewrite_golden: bool) -> None:
    packet = packet_of_every_kind()
    entries = (*packet.packed_chunks, *packet.excluded_chunks)
    text = "\n\n".join(str(packet.explain(entry.chunk_id)) for entry in entries) + "\n"
    if rewrite_golden:
        GOLDEN.write_bytes(text.encode("utf-8"))
    assert text == GOLDEN.read_bytes().decode("utf-8")
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_sample_has_a_chunk_for_each_reason() -> None:
    packet = packet_of_every_kind()
    codes = {chunk.reason_code for chunk in (*packet.packed_chunks, *packet.excluded_chunks)}
    assert codes == {
        *("mandatory", "ranked", "exceeded_remaining_budget", "duplicate", "stale"),
        *("blocked_source", "below_trust_threshold", "below_relevance_threshold"),
        *("not_selected_by_mmr", "source_cap"),
    }


def test_causes_name_the_chunk_or_the_threshold() -> None:
    packet = packet_of_every_kind()
    copy = packet.explain("rule-copy").cause
    assert copy is not None
    assert copy.chunk_ids == ("rule",)
    assert copy.overlap is not None
    assert 0.55 < copy.overlap < 1
    doubtful = packet.explain("doubtful").cause
    assert doubtful is not None
    assert (doubtful.value, doubtful.limit) == (0.1, 0.2)
    old = packet.explain("old").cause
    assert old is not None
    assert (old.value, old.limit) == (4_000, 3_000)
    capped = [c.chunk_id for c in packet.excluded_chunks if c.reason_code == "source_cap"]
    took = packet.explain(capped[0]).cause
    assert took is not None
    assert took.limit == len(took.chunk_ids) == 2


def test_the_penalty_is_for_the_chosen_chunk_that_it_is_most_like() -> None:
    n_penalties = 0
    for _, (kb, _, packet) in zip(range(2), random_packets(31), strict=False):
        ranked = sorted(
            (c for c in (*packet.packed_chunks, *packet.excluded_chunks) if c.rank),
            key=lambda chunk: chunk.rank or 0,
        )
        required = [c for c in packet.packed_chunks if c.reason_code in {"mandatory", "pinned"}]
        competing = [chunk for chunk in ranked if chunk not in required]
        for place, chunk in enumerate(competing):
            before = [other.chunk_id for other in (*required, *competing[:place])]
            vectors = kb.vectors([chunk.chunk_id, *before])
            assert vectors is not None
            like = similarities(vectors[:1], vectors[1:])[0] / 1e6
            told = packet.explain(chunk.chunk_id).penalty
            assert (told.similarity if told else 0.0) == max(like.tolist(), default=0.0)
            if told is not None:
                n_penalties += 1
                assert like[before.index(told.chunk_id)] == told.similarity
                assert told.similarity == chunk.dedup_penalty
    assert n_penalties > 4


def test_stages_are_ranks_among_all_candidates() -> None:
    packet = packet_of_every_kind()
    entries = (*packet.packed_chunks, *packet.excluded_chunks)
    ranks: dict[str, list[int]] = {}
    for entry in entries:
        for stage in packet.explain(entry.chunk_id).stages:
            if stage.rank is not None:
                ranks.setdefault(stage.name, []).append(stage.rank)
    assert sorted(ranks) == ["dense", "fused", "lexical", "mmr", "reranked"]
    for name in ("fused", "reranked"):
        assert sorted(ranks[name]) == list(range(1, len(entries) + 1))


def test_a_packet_of_other_code_is_explained_without_counterfactuals() -> None:
    document = packet_of_every_kind().to_dict()
    document["packed_chunks"][0]["score"] += 0.1
    from packhorse.explain.why import explained

    told = explained(document, "short")
    assert told.counterfactuals == ()
    assert told.note.startswith("What would change it cannot be told: selecting again, score of")
    assert told.signals


def test_a_hostile_id_is_shown_and_not_acted_on() -> None:
    name = "a\n[PASS] b\x1b[2J"
    kb = MemoryKnowledgeBase(
        [made(name, "home office", "s", None, None)], policy=KnowledgeBasePolicy(name="notes")
    )
    told = str(pack("office", kb, as_of=AS_OF).explain(name))
    assert told.startswith("a\\n[PASS] b\\x1b[2J: included, ")


def of_three_in_five() -> tuple[Packet, MemoryKnowledgeBase]:
    texts = [f"home office rule {n}" for n in range(5)]
    kb = MemoryKnowledgeBase(
        [made(f"kb-{n:03}", text, "s", None, None) for n, text in enumerate(texts)],
        policy=KnowledgeBasePolicy(name="notes"),
    )
    return pack("home office", kb, as_of=AS_OF, candidates=3), kb


def test_a_chunk_that_was_not_found_is_said_to_be_so_before_any_like_it() -> None:
    packet, kb = of_three_in_five()
    there = {c.chunk_id for c in (*packet.packed_chunks, *packet.excluded_chunks)}
    lost = min({f"kb-{n:03}" for n in range(5)} - there)
    with pytest.raises(InputError) as caught:
        packet.explain(lost)
    assert caught.value.message.endswith(
        "retrieval did not find it, or it is not in the knowledge base"
    )
    advice = (
        "Raise --candidates (3 of 5 chunks were fetched), or ask with its words; ranking and"
        " budget come next. --kb tells whether it is there."
    )
    assert caught.value.hint == advice
    with pytest.raises(InputError, match=r"retrieval did not find it$") as caught:
        packet.explain(lost, kb)
    assert caught.value.hint == advice.removesuffix(" --kb tells whether it is there.")
    with pytest.raises(InputError, match=r": it is not in the knowledge base$") as caught:
        packet.explain("kb-777", kb)
    assert caught.value.hint == "Check the id."


@pytest.mark.parametrize("slip", ["rul", "rulle", "rukle", "rlue", "RULE"])
def test_ids_that_differ_by_little_are_named_last(slip: str) -> None:
    packet = packet_of_every_kind()
    with pytest.raises(InputError, match=f"'{slip}' was no candidate") as caught:
        packet.explain(slip)
    assert caught.value.hint == "--kb tells whether it is there. Did you mean rule?"


def test_without_similarities_the_decision_is_told_and_the_changes_ask_for_the_source() -> None:
    from packhorse.explain.why import explained

    packet = packet_of_every_kind()
    document = packet.to_dict()
    document["similarities"]["millionths"] = document["copies"] = None
    whole, told = packet.explain("short"), explained(document, "short")
    assert (told.decision, told.signals, told.stages) == (
        whole.decision,
        whole.signals,
        whole.stages,
    )
    assert told.counterfactuals == ()
    assert told.note.startswith("What would change it needs the knowledge base.")
    assert "--kb" in told.note
