"""Packets that reports are made of in the tests."""

import random
import re
from pathlib import Path
from typing import Any

from packhorse.api import open_kb, pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.packet.assemblies import assembly, chunk
from tests.properties.hashed_embedder import HashedEmbedder

__all__ = [
    "HOSTILE",
    "hostile_kb",
    "hostile_packet",
    "large_kb",
    "large_packet",
    "tax_kb",
    "tax_packet",
]

HOSTILE = (
    "<script>document.title = 'run'</script>",
    "</script><img src=x onerror=\"document.title='run'\">",
    "<!--<script>",
    "--><svg onload=\"document.title='run'\">",
    "</style></title></textarea></noscript><b>",
    "]]> <![CDATA[ <?php ?> &lt;b&gt; &#60;b&#62; &amp;",
    "javascript:document.title='run'",
    "\"'`><input autofocus onfocus=\"document.title='run'\">",
    "\u202eright to left\u202c and \u2066isolated\u2069",
    "nul \x00, bell \x07, escape \x1b[31m, delete \x7f, c1 \x9b",
    "lone \ud800 and \udfff, non-characters \ufffe \U0001ffff, tags \U000e0041",
    "{{7*7}} ${7*7} {% raw %}",
)
"""Each must stay text, wherever it stands."""


def tax_kb(fixtures_dir: Path) -> MemoryKnowledgeBase:
    """The fixture under an embedder that gives the same directions on every processor."""
    kb = open_kb(fixtures_dir / "tax_kb", embedder="none")
    ids = [f"tax-kb-{n:04}" for n in range(1000)]
    chunks = kb.get([*ids, "regulatory_disclaimer"])
    return MemoryKnowledgeBase(chunks.values(), policy=kb.policy, embedder=HashedEmbedder())


def tax_packet(kb: MemoryKnowledgeBase, **settings: Any) -> Packet:
    """The sample question."""
    return pack("Can I deduct home office expenses?", kb, **{"budget": 2800, **settings})


def hostile_packet(*texts: str, **settings: Any) -> Packet:
    """A packet in which the texts stand wherever a document or a user has a word."""
    chunks = [
        chunk(
            text * (number % 3 + 1),
            text=text + " word" * 4,
            source_id=text,
            section_id=text,
            header=text,
            topic_tags=((text, 1.0),),
            metadata={"key": text},
        )
        for number, text in enumerate(texts)
    ]
    query = " ".join(texts)
    return Packet.of(
        assembly(chunks, **{"budget": 80, "query": query, "blocked": (1,), **settings})
    )


def hostile_kb() -> MemoryKnowledgeBase:
    """Each text as the id, source, section and text of a passage that answers to "hostile"."""
    chunks = [
        Chunk(
            chunk_id=f"{number} {text}",
            source_id=text,
            section_id=text,
            text=f"{text} hostile {number} " + "word " * 20,
        )
        for number, text in enumerate(HOSTILE)
        if not re.search("[\ud800-\udfff]", text)  # refused before they are in any packet
    ]
    policy = KnowledgeBasePolicy(name=HOSTILE[0])
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def large_kb() -> MemoryKnowledgeBase:
    """620 passages of 110 to 270 words, each word drawn as often as words of a text are."""
    chance = random.Random(5)  # noqa: S311 - drawn the same way each time, and no secret
    letters = "etaoinshrdlucmfw"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(4_000)]
    shares = [1 / (place + 2.7) for place in range(len(words))]
    chunks = [
        Chunk(
            chunk_id=f"passage-{number:04}",
            source_id=f"source {number % 60} of many",
            text=" ".join(["Deduct", *chance.choices(words, shares, k=chance.randint(110, 270))]),
            trust_score=round(chance.uniform(0.4, 1), 2),
        )
        for number in range(620)
    ]
    policy = KnowledgeBasePolicy(name="large")
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def large_packet(kb: MemoryKnowledgeBase) -> Packet:
    """500 candidates for a budget of 32,000 tokens."""
    profile = {"candidates": 500, "dedup_threshold": None}
    return pack("deduct", kb, budget=32_000, profile=profile, as_of="2026-01-15")
