"""One input of a request changed, at random, with the name that `diff` gives it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.explain.random_packs import STRATEGIES, WORDS, Request
from tests.properties.hashed_embedder import HashedEmbedder

__all__ = ["CHANGES", "SEPARABLE", "Case", "altered"]

IDS = tuple(f"c{place:02d}" for place in range(60))


@dataclass(frozen=True)
class Case:
    """A knowledge base and one call of `pack` on it."""

    kb: MemoryKnowledgeBase
    request: Request

    def pack(self) -> Packet:
        return self.request.pack(self.kb)

    def asked(self, **arguments: Any) -> Case:
        """The same with other arguments."""
        merged = {**self.request.arguments, **arguments}
        return replace(self, request=replace(self.request, arguments=merged))

    def set(self, key: str, value: Any) -> Case:
        """The same with another setting."""
        return self.asked(profile={**self.request.arguments["profile"], key: value})

    def chunks(self) -> dict[str, Chunk]:
        return dict(self.kb.get(IDS))

    def holding(self, chunks: dict[str, Chunk], **policy: Any) -> Case:
        """The same over other chunks, or under another policy."""
        return replace(
            self,
            kb=MemoryKnowledgeBase(
                chunks.values(), policy=replace(self.kb.policy, **policy), embedder=HashedEmbedder()
            ),
        )

    def with_chunk(self, name: str, **changes: Any) -> Case:
        chunks = self.chunks()
        return self.holding({**chunks, name: replace(chunks[name], **changes)})


Altered = tuple[frozenset[str], Case]
Change = Callable[[random.Random, Case, Packet], Altered]


def _other(chance: random.Random, now: Any, *values: Any) -> Any:
    return chance.choice([value for value in values if value != now])


def _setting(key: str, *values: Any) -> Change:
    def change(chance: random.Random, case: Case, packet: Packet) -> Altered:
        now = packet.document["profile"][key]
        return frozenset({key}), case.set(key, _other(chance, now, *values))

    return change


def _weight(name: str, *values: float) -> Change:
    def change(chance: random.Random, case: Case, packet: Packet) -> Altered:
        now = packet.document["weights"]
        others = case.request.arguments["profile"].get("weights", now)
        weights = {**others, name: _other(chance, now[name], *values)}
        return frozenset({f"weights.{name}"}), case.set("weights", weights)

    return change


def _budget(chance: random.Random, case: Case, packet: Packet) -> Altered:
    now = packet.document["budget"]["evidence_budget"]
    return frozenset({"budget"}), case.asked(budget=_other(chance, now, None, 200, 350, 600, 900))


def _query(chance: random.Random, case: Case, _: Packet) -> Altered:
    text = " ".join(chance.choices(WORDS, k=4)) + " else"
    return frozenset({"query"}), replace(case, request=replace(case.request, query=text))


def _day(chance: random.Random, case: Case, _: Packet) -> Altered:
    return frozenset({"as_of"}), case.asked(as_of=chance.choice(("2026-09-01", "2024-02-03")))


def _pins(chance: random.Random, case: Case, packet: Packet) -> Altered:
    blocked = case.kb.policy.blocked_sources
    ids = [name for name, chunk in case.chunks().items() if chunk.source_id not in blocked]
    now = packet.document["packing"]["pinned"]
    pins = [] if now else [chance.choice(sorted(set(ids) - set(case.kb.policy.mandatory)))]
    return frozenset({"pinned"}), case.asked(pin=pins)


def _topics(_: random.Random, case: Case, packet: Packet) -> Altered:
    now = packet.document["coverage"]["required_topics"]
    topics = () if now else ("eligibility", "limits")
    return frozenset({"require_topics"}), case.asked(require_topics=topics)


def _candidate(chance: random.Random, packet: Packet) -> str:
    entries = (*packet.document["packed_chunks"], *packet.document["excluded_chunks"])
    return str(chance.choice(sorted(entry["chunk_id"] for entry in entries)))


def _trust(chance: random.Random, case: Case, packet: Packet) -> Altered:
    name = _candidate(chance, packet)
    trust = _other(chance, case.chunks()[name].trust_score, 0.05, 0.6, 0.97)
    return frozenset({f"chunks[{name}].trust"}), case.with_chunk(name, trust_score=trust)


def _date(chance: random.Random, case: Case, packet: Packet) -> Altered:
    name = _candidate(chance, packet)
    stamp = case.chunks()[name].timestamp
    day = datetime.fromisoformat(packet.document["as_of"])
    new = day - timedelta(days=chance.choice((3, 400, 2_000)))
    if new == stamp:
        new -= timedelta(days=1)
    return frozenset({f"chunks[{name}].date"}), case.with_chunk(name, timestamp=new)


def _blocked(chance: random.Random, case: Case, packet: Packet) -> Altered:
    chunks = case.chunks()
    required = [*case.kb.policy.mandatory, *packet.document["packing"]["pinned"]]
    free = {chunk.source_id for chunk in chunks.values()}
    free -= {chunks[name].source_id for name in required if name in chunks}
    blocked = case.kb.policy.blocked_sources
    new = tuple(sorted({*blocked, chance.choice(sorted(free - set(blocked)))}))
    return frozenset({"policy.blocked_sources"}), case.holding(chunks, blocked_sources=new)


def _least_trust(chance: random.Random, case: Case, _: Packet) -> Altered:
    now = case.kb.policy.min_trust
    least = _other(chance, now, None, 0.3, 0.7)
    return frozenset({"policy.min_trust"}), case.holding(case.chunks(), min_trust=least)


def _mandatory(chance: random.Random, case: Case, packet: Packet) -> Altered:
    chunks, policy = case.chunks(), case.kb.policy
    pinned = packet.document["packing"]["pinned"]
    ids = [
        name
        for name, chunk in chunks.items()
        if chunk.source_id not in policy.blocked_sources and name not in pinned
    ]
    new = () if policy.mandatory else (chance.choice(sorted(ids)),)
    return frozenset({"policy.mandatory"}), case.holding(chunks, mandatory=new)


def _text(chance: random.Random, case: Case, packet: Packet) -> Altered:
    name = _candidate(chance, packet)
    text = case.chunks()[name].text + " " + " ".join(chance.choices(WORDS, k=6))
    return frozenset({f"chunks[{name}].text", "snapshot"}), case.with_chunk(name, text=text)


def _gone(chance: random.Random, case: Case, packet: Packet) -> Altered:
    required = {*case.kb.policy.mandatory, *packet.document["packing"]["pinned"]}
    entries = (*packet.document["packed_chunks"], *packet.document["excluded_chunks"])
    names = {entry["chunk_id"] for entry in entries} - required
    name = chance.choice(sorted(names))
    chunks = {each: chunk for each, chunk in case.chunks().items() if each != name}
    return frozenset({"snapshot"}), case.holding(chunks)


def _new(chance: random.Random, case: Case, _: Packet) -> Altered:
    text = " ".join((case.request.query, *chance.choices(WORDS, k=8)))
    new = Chunk(chunk_id="c59", source_id="s9", text=text, trust_score=0.8)
    return frozenset({"snapshot"}), case.holding({**case.chunks(), "c59": new})


SEPARABLE: dict[str, Change] = {
    "budget": _budget,
    "query": _query,
    "as_of": _day,
    "pinned": _pins,
    "require_topics": _topics,
    "trust": _trust,
    "date": _date,
    "policy.blocked_sources": _blocked,
    "policy.min_trust": _least_trust,
    "policy.mandatory": _mandatory,
    "weights.trust": _weight("trust", 0.0, 0.5, 0.9),
    "weights.freshness": _weight("freshness", 0.0, 0.4, 0.8),
    "weights.deduplication": _weight("deduplication", -0.4, -0.0, -0.9),
    "mmr_lambda": _setting("mmr_lambda", 0.1, 0.5, 0.8, 1.0),
    "top_k": _setting("top_k", 2, 5, 9),
    "min_trust": _setting("min_trust", 0.0, 0.3, 0.6),
    "min_relevance": _setting("min_relevance", 0.0, 0.1, 0.3),
    "max_age_days": _setting("max_age_days", None, 300, 1_500),
    "freshness_half_life_days": _setting("freshness_half_life_days", 50, 500),
    "max_per_source": _setting("max_per_source", None, 1, 3),
    "dedup_threshold": _setting("dedup_threshold", None, 0.3, 0.8),
    "max_packed_per_source": _setting("max_packed_per_source", None, 1, 2),
    "require_each_topic": _setting("require_each_topic", True, False),
    "strategy": _setting("strategy", *sorted(set(STRATEGIES))),
    "candidates": _setting("candidates", 4, 8, 100),
    "lexical_weight": _setting("lexical_weight", 0.1, 0.5, 0.9),
    "length_weight": _setting("length_weight", 0.0, 0.1, 0.3),
    "alike_weight": _setting("alike_weight", 0.0, 0.2, 1.0),
    "format": _setting("format", "xml", "markdown", "plain"),
    "order": _setting("order", "sandwich", "relevance", "source", "chronological"),
    "evidence_preamble": _setting("evidence_preamble", "", "Cite by number.", "Cite. " * 20),
    "output_reservation": _setting("output_reservation", 1_000, 2_000, 4_000),
}
"""Changes that can be made each by itself, whatever else changes."""

CHANGES: dict[str, Change] = {**SEPARABLE, "text": _text, "gone": _gone, "new": _new}


def altered(name: str, chance: random.Random, case: Case, packet: Packet) -> Altered:
    """The inputs that may be named for it, and the request with it."""
    return CHANGES[name](chance, case, packet)
