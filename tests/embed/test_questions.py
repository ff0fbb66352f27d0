"""What is searched for is embedded as a question everywhere, and what is searched as a passage."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from packhorse.api import pack
from packhorse.config import CoverageConfig, KnowledgeBasePolicy, Profile, QueryTypeConfig
from packhorse.embed.questions import embed_questions
from packhorse.evaluate.configuration import Configuration
from packhorse.evaluate.dataset import read_dataset
from packhorse.evaluate.runner import Runner
from packhorse.explain.recorded import vector_of
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk
from packhorse.window.few_shot.pool import choose_examples
from tests.embed.sided_embedder import SidedEmbedder

CHUNKS = [
    Chunk(chunk_id="days", source_id="a", text="Employees have 30 days of leave."),
    Chunk(chunk_id="party", source_id="b", text="The summer party is at the lake."),
]
POLICY = KnowledgeBasePolicy(name="leave")
QUESTION = "How many days of leave?"


def test_without_a_side_of_its_own_a_question_is_embedded_like_a_passage() -> None:
    plain, sided = WordEmbedder(), SidedEmbedder()
    assert (embed_questions(plain, [QUESTION]) == plain.embed([QUESTION])).all()
    assert (embed_questions(sided, [QUESTION]) != sided.embed([QUESTION])).any()
    assert sided.asked == [QUESTION]


def test_a_packet_is_of_the_vector_of_the_question_and_replays_without_the_embedder(
    tmp_path: Path,
) -> None:
    model = SidedEmbedder()
    examples = ("How much leave?", "When is the party?")
    types = (QueryTypeConfig(name="leave", examples=examples, required_topics=("leave",)),)
    profile = replace(Profile(), coverage=CoverageConfig(query_types=types))
    attached = tmp_path / "note.md"
    attached.write_text("Remember the lake.")
    kb = MemoryKnowledgeBase(CHUNKS, policy=POLICY, embedder=model)
    packet = pack(QUESTION, kb, budget=2000, profile=profile, attach=[attached])
    assert [text for text in model.asked if text not in examples] == [QUESTION]
    assert set(examples) <= set(model.asked)
    passages = [*(each.text for each in CHUNKS), "Remember the lake."]
    assert all(any(text in read for read in model.embedded) for text in passages)
    assert len(model.embedded) == len(passages)
    recorded = vector_of(packet.to_dict()["query_vector"])
    assert recorded is not None
    assert np.array_equal(recorded, SidedEmbedder().embed_questions([QUESTION])[0])
    read = (len(model.asked), len(model.embedded))
    assert packet.replay(kb).same
    assert (len(model.asked), len(model.embedded)) == read


def test_an_evaluation_asks_as_a_packet_does(tmp_path: Path) -> None:
    passages = [{"id": each.chunk_id, "text": each.text} for each in CHUNKS]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, passages)))
    asked = {"id": "q", "query": QUESTION, "gold": ["days"]}
    (tmp_path / "queries.jsonl").write_text(json.dumps(asked))
    dataset = read_dataset(tmp_path)
    model = SidedEmbedder()
    kb = MemoryKnowledgeBase(dataset.passages, policy=POLICY, embedder=model)
    runner = Runner(dataset, kb, model, budgets=(64,), charge="text", clock=lambda: 0.0)
    (query,) = runner.queries(Configuration(name="built-in", profile=Profile()))
    assert query.vector is not None
    assert np.array_equal(query.vector, SidedEmbedder().embed_questions([QUESTION])[0])
    assert model.asked == [QUESTION]


def test_examples_and_the_question_are_compared_on_one_side() -> None:
    model = SidedEmbedder()
    pool = [{"input": "2 + 3", "output": "5"}, {"input": "Capital of Peru", "output": "Lima"}]
    choose_examples(pool, "Capital of Chile", 200, embedder=model)
    assert sorted(model.asked) == ["2 + 3", "Capital of Chile", "Capital of Peru"]
    assert model.embedded == []
