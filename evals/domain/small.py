"""The domain check in corpora of few chunks, cut from the public sets: `--small`.

A question of a set is asked of a corpus that holds the first of its gold and what stands around
that in the file, as a small knowledge base is of one subject. Beside it the same corpus is asked a
question of another field.
"""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING

from evals.domain.collect import SETS, is_near
from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.embed.questions import embed_questions
from packhorse.evaluate.dataset import read_dataset
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.types.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from packhorse.evaluate.dataset import Dataset, Question
    from packhorse.protocols import Embedder
    from packhorse.types.chunk import Chunk

__all__ = ["SIZES", "small_corpora"]

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
RULES = (("as shipped", RetrievalConfig()), ("no allowance", RetrievalConfig(domain_chunks=1)))
_TODAY = datetime(2026, 1, 1, tzinfo=UTC)


def small_corpora(data: Path, *, n_questions: int, embedder: Embedder | None) -> Iterator[str]:
    """Rows of Markdown: false alarms and misses by size of the corpus, with a rule and without."""
    sets = {name: read_dataset(data / name) for name in SETS if name != "mtrag_un"}
    asked = {name: [q for q in each.questions if q.gold] for name, each in sets.items()}
    yield "| chunks | " + " | ".join(f"{rule}: false alarm | missed" for rule, _ in RULES) + " |"
    yield "|---:|" + "---:|" * 2 * len(RULES)
    for size in SIZES:
        random = Random(size)  # noqa: S311 - a sample
        wrong = {rule: [0, 0] for rule, _ in RULES}
        n = 0
        for name, dataset in sets.items():
            strangers = [other for other in sets if other != name and not is_near(name, other)]
            for question in random.sample(asked[name], min(n_questions, len(asked[name]))):
                chunks = _around(dataset, question, size)
                stranger = random.choice(asked[random.choice(strangers)])
                kb = MemoryKnowledgeBase(
                    chunks, policy=KnowledgeBasePolicy(name=name), embedder=embedder
                )
                n += 1
                for rule, config in RULES:
                    inside, outside = (
                        _is_inside(kb, config, each.text, embedder) for each in (question, stranger)
                    )
                    wrong[rule][0] += not inside
                    wrong[rule][1] += outside
        shown = (f"{count / n:.3f}" for rule, _ in RULES for count in wrong[rule])
        yield f"| {size} | {' | '.join(shown)} |"


def _around(dataset: Dataset, question: Question, size: int) -> Sequence[Chunk]:
    at = next(at for at, each in enumerate(dataset.passages) if each.chunk_id == question.gold[0])
    start = max(0, min(at - size // 2, len(dataset.passages) - size))
    return dataset.passages[start : start + size]


def _is_inside(
    kb: MemoryKnowledgeBase, config: RetrievalConfig, text: str, embedder: Embedder | None
) -> bool:
    vector = None if embedder is None else embed_questions(embedder, [text])[0]
    query = Query(text=text, as_of=_TODAY, vector=vector)
    return HybridRetriever(kb, config).retrieve(query).in_domain
