"""Packets that reports are made of in the tests."""

from pathlib import Path
from typing import Any

from packhorse.api import open_kb, pack
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from tests.packet.assemblies import assembly, chunk
from tests.properties.hashed_embedder import HashedEmbedder

__all__ = ["HOSTILE", "hostile_packet", "tax_kb", "tax_packet"]

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
