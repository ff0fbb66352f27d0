"""Retrieval that is done once gives what retrieval that is done each time gives."""

import time
from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy, Profile
from packhorse.evaluate.configuration import Configuration
from packhorse.evaluate.dataset import Dataset, read_dataset
from packhorse.evaluate.runner import Runner
from packhorse.evaluate.tuning.bench import Bench
from packhorse.evaluate.tuning.once import searched_once
from packhorse.evaluate.tuning.space import axes_of, profile_at
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.protocols import KnowledgeBase, NamesChunks, ScoresChunks
from tests.properties.hashed_embedder import HashedEmbedder

BUDGETS = (40, 80)
POLICY = KnowledgeBasePolicy(name="rental")


@pytest.fixture(scope="module")
def rental(request: pytest.FixtureRequest) -> Dataset:
    return read_dataset(Path(request.config.rootpath) / "fixtures" / "rental_tuning")


class Counted:
    """Passes everything on, and counts searches."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.n_searches = 0

    def __getattr__(self, name: str) -> object:
        if name == "search":
            self.n_searches += 1
        return getattr(self._kb, name)


def runner(dataset: Dataset, kb: KnowledgeBase) -> Runner:
    return Runner(
        dataset, kb, HashedEmbedder(), budgets=BUDGETS, charge="text", clock=time.perf_counter
    )


def test_every_option_scores_as_a_plain_run_does_and_nothing_is_searched_twice(
    rental: Dataset,
) -> None:
    kb = MemoryKnowledgeBase(rental.passages, policy=POLICY, embedder=HashedEmbedder())
    counted = Counted(kb)
    once = runner(rental, searched_once(counted))  # type: ignore[arg-type]  # passes all on
    bench = Bench(once, Profile(), metric="gold_recall", budgets=BUDGETS)
    plain = runner(rental, kb)
    options = [
        option for axis in axes_of(Profile(), rental, has_vectors=True) for option in axis.options
    ]
    for point in ((), *options[::3], options[0] + options[-1], ()):
        measured = plain.measure(Configuration(name="x", profile=profile_at(Profile(), point)))
        for column, budget in enumerate(BUDGETS):
            expected = measured.packing("gold_recall", budget).tolist()
            assert bench.scores(point)[:, column].tolist() == expected, point
    assert counted.n_searches == len(rental.questions)


def test_what_a_knowledge_base_can_do_besides_it_still_can(rental: Dataset) -> None:
    kb = MemoryKnowledgeBase(rental.passages, policy=POLICY, embedder=HashedEmbedder())
    once = searched_once(kb)
    assert isinstance(once, NamesChunks) == isinstance(kb, NamesChunks)
    assert isinstance(once, ScoresChunks)
    ids = [each.chunk_id for each in rental.passages]
    found = once.lexical_scores("battery range", ids)
    assert found.any()
    assert found.tolist() == kb.lexical_scores("battery range", ids).tolist()
    chunks = list(kb.get([passage.chunk_id for passage in rental.passages]).values())
    for text in ("Prices until spring and winter storage", "battery range", "battery range"):
        assert isinstance(kb, NamesChunks)
        assert isinstance(once, NamesChunks)
        assert once.named(text) == kb.named(text)
        assert once.mentions(chunks, text) == kb.mentions(chunks, text)
        assert once.mentions(chunks[3:], text) == kb.mentions(chunks[3:], text)
    assert once.snapshot() == kb.snapshot()
    assert once.get(["nowhere", chunks[0].chunk_id]) == {chunks[0].chunk_id: chunks[0]}
