"""Requests drawn at random over the two fixtures, and knowledge bases made of random words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import BudgetError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.profiles.profile import load_profile, profile_to_dict
from packhorse.protocols import KnowledgeBase
from packhorse.types.chunk import Chunk
from tests.properties.hashed_embedder import HashedEmbedder

__all__ = ["Request", "all_ids", "random_kb", "random_packets", "random_request"]

STRATEGIES = ("ranked", "ranked", "density", "submodular")
ALL_STRATEGIES = (*STRATEGIES, "optimal")
ORDERS = ("sandwich", "edges", "relevance", "reverse", "chronological", "source")
DAYS = ("2026-01-15", "2025-03-31T12:30:00", "2027-11-05")
WORDS = (
    *("deduct", "home", "office", "expenses", "square", "foot", "method", "form", "record", "year"),
    *("limit", "claim", "rent", "share", "use", "regular", "exclusive", "business", "income"),
    *("simple", "rate", "depreciation", "dose", "drug", "interaction", "statin"),
)


@dataclass(frozen=True)
class Request:
    """One call of `pack`."""

    query: str
    arguments: dict[str, Any]

    def pack(self, kb: KnowledgeBase) -> Packet:
        return pack(self.query, kb, **self.arguments)


def all_ids(kb: KnowledgeBase) -> list[str]:
    """Ids of a fixture's chunks: everything that a common word finds."""
    found = kb.search("the a of and to for is in", None, 1_000)
    return sorted({hit.chunk_id for hit in found.lexical})


def random_request(chance: random.Random, kb: KnowledgeBase, attachments: list[Path]) -> Request:
    """A question made of a chunk's words, and settings of every kind."""
    ids = all_ids(kb)
    policy = kb.policy
    source = kb.get([chance.choice(ids)])
    text = next(iter(source.values())).text.split()
    start = chance.randrange(max(1, len(text) - 8))
    query = " ".join(text[start : start + chance.randint(2, 9)]) + chance.choice(("", "?"))
    profile = profile_to_dict(load_profile(Path(str(policy.default_profile))))
    profile |= {
        "weights": {
            "relevance": round(chance.uniform(0.2, 0.8), 3),
            "trust": round(chance.uniform(0, 0.4), 2),
            "freshness": round(chance.uniform(0, 0.4), 2),
            "coverage": round(chance.uniform(0, 0.3), 2),
            "deduplication": -round(chance.uniform(0, 0.3), 2),
        },
        "min_trust": chance.choice((0.0, 0.4, 0.7)),
        "min_relevance": chance.choice((0.0, 0.15, 0.3)),
        "max_age_days": chance.choice((None, 400, 1095)),
        "dedup_threshold": chance.choice((None, 0.4, 0.55, 0.8)),
        "max_per_source": chance.choice((None, None, 1, 3)),
        "freshness_half_life_days": chance.choice((90, 365, 1000)),
        "history_max_tokens": chance.choice((None, 60)),
        "expand": chance.choice(("none", "neighbours", "section")),
        "neighbours": chance.choice((1, 3)),
    }
    blocked = {
        chunk.chunk_id
        for chunk in kb.get(ids).values()
        if chunk.source_id in policy.blocked_sources
    }
    pins = [each for each in chance.sample(ids, chance.choice((0, 0, 1, 2))) if each not in blocked]
    return Request(
        query,
        {
            "budget": chance.choice((None, *[chance.randint(500, 5_000) for _ in range(6)])),
            "profile": profile,
            "as_of": chance.choice(DAYS),
            "strategy": chance.choice(ALL_STRATEGIES),
            "order": chance.choice(ORDERS),
            "format": chance.choice(("xml", "markdown", "plain")),
            "candidates": chance.choice((3, 12, 24, 42)),
            "top_k": chance.choice(("auto", 1, 5, 12)),
            "lambda_": round(chance.uniform(0, 1), chance.choice((1, 2, 6))),
            "pin": pins,
            "attach": attachments[: chance.choice((0, 0, 0, 1, 2))],
            "history": random_history(chance),
            "require_topics": chance.sample(
                ("eligibility", "limits", "zzz"), chance.choice((0, 1))
            ),
        },
    )


def random_history(chance: random.Random) -> list[dict[str, str]] | None:
    """Nothing, or some turns that may not all fit."""
    n_turns = chance.choice((0, 0, 1, 3))
    if not n_turns:
        return None
    return [
        {"role": role, "content": " ".join(chance.choices(WORDS, k=chance.randint(3, 15)))}
        for _ in range(n_turns)
        for role in ("user", "assistant")
    ]


def random_kb(chance: random.Random) -> MemoryKnowledgeBase:
    """Some dozens of chunks, copies of each other among them, with coarse trust and dates."""
    as_of = datetime(2026, 1, 15, tzinfo=UTC)
    texts = [chance.choices(WORDS, k=chance.randint(8, 60)) for _ in range(chance.randint(8, 45))]
    for place in range(1, len(texts)):
        if chance.random() < 0.3:
            copy = list(texts[chance.randrange(place)])
            copy[chance.randrange(len(copy))] = "other"
            texts[place] = copy + chance.choices(WORDS, k=chance.choice((0, 0, 4)))
    n_linked = chance.choice((0, 0, 0, len(texts)))
    chunks = [
        Chunk(
            chunk_id=f"c{place:02d}",
            source_id=f"s{chance.randrange(6)}",
            text=" ".join(words),
            trust_score=chance.choice((None, 0.2, 0.5, 0.5, 0.9, round(chance.random(), 4))),
            timestamp=chance.choice((None, as_of - timedelta(days=chance.randint(-50, 2_500)))),
            topic_tags=chance.choice(((), (("eligibility", 0.9),), (("limits", 0.5),))),
            metadata=random_metadata(chance, n_linked),
        )
        for place, words in enumerate(texts)
    ]
    policy = KnowledgeBasePolicy(
        name="random",
        mandatory=("c03",) if chance.random() < 0.3 else (),
        blocked_sources=("s5",) if chance.random() < 0.3 and chunks[3].source_id != "s5" else (),
    )
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def random_metadata(chance: random.Random, n_linked: int) -> dict[str, object]:
    """Now and then a chunk that another one goes with, or never goes with."""
    if not n_linked or chance.random() < 0.8:
        return {}
    other = f"c{chance.randrange(n_linked):02d}"
    return {chance.choice(("linked_with", "exclusive_with", "exclusive_with")): other}


def random_packets(
    seed: int, *, strategies: tuple[str, ...] = STRATEGIES
) -> Iterator[tuple[MemoryKnowledgeBase, Request, Packet]]:
    """Packets over random knowledge bases, without end."""
    chance = random.Random(seed)  # noqa: S311 - drawn the same way each time, and no secret
    while True:
        kb = random_kb(chance)
        profile = {
            "min_trust": chance.choice((0.0, 0.0, 0.45)),
            "max_age_days": chance.choice((None, None, 900)),
            "min_relevance": chance.choice((0.0, 0.2)),
            "max_per_source": chance.choice((None, None, 2)),
            "max_packed_per_source": chance.choice((None, None, 1, 2)),
            "require_each_topic": chance.choice((False, False, True)),
            "top_k": chance.choice(("auto", 6, 12)),
            "freshness_half_life_days": chance.choice((200, 365)),
            "mmr_lambda": chance.choice((0.3, 0.7, 0.95, 1.0, 0.123456)),
            "strategy": chance.choice(strategies),
            "evidence_preamble": chance.choice(("", "Cite by number.")),
        }
        query = " ".join(chance.choices(WORDS, k=4))
        arguments: dict[str, Any] = {
            "budget": chance.randint(120, 1_200),
            "profile": profile,
            "as_of": "2026-01-15",
            "pin": ["c01"]
            if chance.random() < 0.2 and "s5" not in kb.policy.blocked_sources
            else [],
            "require_topics": chance.choice(((), ("eligibility", "limits"))),
        }
        request = Request(query, arguments)
        try:
            yield kb, request, request.pack(kb)
        except BudgetError:
            continue
