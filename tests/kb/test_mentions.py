"""Names in questions, and what chunks mention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import NamesChunks
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from packhorse.protocols import Reference

FILMS = (
    ("ada", "Ada Bright", "Ada Bright directed The Silver Heron, a drama about a lighthouse."),
    ("heron", "The Silver Heron", "The Silver Heron is a film that was shot in Port Ellery."),
    ("port", "Port Ellery", "Port Ellery is a town of 4,000 people on the north coast."),
    ("boat", "Boats", "Boats float on water, and some of them carry goods."),
)


def knowledge_base(*rows: tuple[str, str, str]) -> MemoryKnowledgeBase:
    chunks = [
        Chunk(chunk_id=name, source_id=name, header=title, text=text) for name, title, text in rows
    ]
    return MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="films"))


def ids(references: tuple[Reference, ...]) -> list[str]:
    return [each.chunk_id for each in references]


def test_question_names_chunks_and_chunks_mention_others() -> None:
    kb = knowledge_base(*FILMS)
    assert isinstance(kb, NamesChunks)
    question = "In which town was the film by Ada Bright shot?"
    assert ids(kb.named(question)) == ["ada"]
    of_ada, of_heron = kb.mentions(list(kb.get(["ada", "heron"]).values()), question)
    assert ids(of_ada) == ["heron"]
    assert ids(of_heron) == ["port"]
    assert 0 < of_heron[0].strength <= 1
    assert of_heron[0].name == "Port Ellery"
