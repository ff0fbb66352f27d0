"""Runs one configuration over all questions of a dataset and measures what comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from packhorse.direction import cosines_with
from packhorse.embed.questions import embed_questions
from packhorse.evaluate.findable import findable_in
from packhorse.evaluate.metrics.average_precision import average_precision
from packhorse.evaluate.metrics.evidence import answer_recall, span_recall
from packhorse.evaluate.metrics.gold_packed import all_gold, gold_recall
from packhorse.evaluate.metrics.losses import losses
from packhorse.evaluate.metrics.ndcg import ndcg
from packhorse.evaluate.metrics.recall import recall
from packhorse.evaluate.metrics.reciprocal_rank import reciprocal_rank
from packhorse.evaluate.metrics.redundancy import redundancy
from packhorse.evaluate.stages import Stages
from packhorse.evaluate.stand_ins import copies_of_gold, costs_of, counted, filtered_of
from packhorse.kb.progress import Progress, Silent
from packhorse.kb.searchable import searchable_text
from packhorse.question import make_query, rewritten_by
from packhorse.tokens.registry import counter_named
from packhorse.verify.consistency import find_conflicts

if TYPE_CHECKING:
    from packhorse.evaluate.configuration import Configuration
    from packhorse.evaluate.dataset import Dataset, Question
    from packhorse.evaluate.findable import Findable
    from packhorse.evaluate.stages import Packed, Ranked
    from packhorse.evaluate.stand_ins import StandIns
    from packhorse.protocols import Embedder, KnowledgeBase, Retriever
    from packhorse.types.arrays import FloatArray
    from packhorse.types.query import Query

__all__ = ["Measured", "QuestionFigures", "Runner"]

TEXT_TOKENIZER = "o200k_base"

_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""Where no passage has a date, no day makes a difference."""

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFigures:
    """What came out for one question; NaN where it is left out of a metric."""

    ranking: Figures
    """Metric of the ranked list -> value."""
    packing: Mapping[int, Figures]
    """Budget -> metric of the packed set -> value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """What one configuration did with every question, in the order of the dataset."""

    configuration: Configuration
    questions: tuple[QuestionFigures, ...]
    milliseconds: Mapping[str, tuple[float, ...]]
    """Stage -> what each question took."""

    def ranking(self, metric: str) -> FloatArray:
        """(n,) float64: one metric of the ranked list, for every question."""
        return np.array([each.ranking[metric] for each in self.questions], dtype=np.float64)

    def packing(self, metric: str, budget: int) -> FloatArray:
        """(n,) float64: one metric of the packed set, for every question."""
        return np.array([each.packing[budget][metric] for each in self.questions], dtype=np.float64)


class Runner:
    """Measures configurations over one dataset.

    Args:
        dataset: passages and questions.
        kb: the passages, indexed.
        embedder: makes the direction of each question; None where the index has no vectors.
        budgets: tokens.
        charge: `text` or `rendered`, see `stages`.
        as_of: the day freshness is measured from, as ISO 8601; None is the profile's, else the day
            of the newest passage, so that no result depends on today.
        clock: seconds, for the latency.
        progress: is told about each question.
    """

    def __init__(
        self,
        dataset: Dataset,
        kb: KnowledgeBase,
        embedder: Embedder | None,
        *,
        budgets: Sequence[int],
        charge: str,
        clock: Callable[[], float],
        as_of: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._dataset = dataset
        self._kb = kb
        self._embedder = embedder
        self._budgets = tuple(budgets)
        self._charge = charge
        self._as_of = as_of
        dates = [passage.timestamp for passage in dataset.passages if passage.timestamp]
        self._newest = max(dates, default=_NO_DATE)
        self._clock = clock
        self._progress = progress or Silent()
        self._findable = findable_in(dataset)
        self._stand_ins = copies_of_gold(dataset)
        texts = [searchable_text(passage) for passage in dataset.passages]
        counts = counter_named(TEXT_TOKENIZER).count_batch(texts)
        ids = [passage.chunk_id for passage in dataset.passages]
        self._passage_tokens = dict(zip(ids, counts, strict=True))

    def measure(self, configuration: Configuration) -> Measured:
        """Runs a configuration over all questions.

        The first question is run once more before, untimed, so that what is loaded on first use is
        in no figure.

        Raises:
            BudgetExceededError: the preamble is charged, and is over a budget.
            UnknownStrategyError: the profile names a strategy that nobody registered.
        """
        stages = self.stages(configuration)
        about = f"{self._dataset.name} with {configuration.name}"
        self._progress.stage(f"evaluate {about}", len(self._dataset.questions))
        queries = self.queries(configuration)
        self._figures(stages, queries, 0)
        stages.milliseconds.clear()
        questions = []
        for place in range(len(self._dataset.questions)):
            questions.append(self._figures(stages, queries, place))
            self._progress.advance(1)
        return Measured(
            configuration=configuration,
            questions=tuple(questions),
            milliseconds={stage: tuple(taken) for stage, taken in stages.milliseconds.items()},
        )

    @property
    def questions(self) -> tuple[Question, ...]:
        """In the order of the dataset."""
        return self._dataset.questions

    def stages(
        self,
        configuration: Configuration,
        retrieving: Callable[[Retriever], Retriever] | None = None,
    ) -> Stages:
        """The pipeline of a configuration over these passages; see `Stages`."""
        return Stages(
            self._kb,
            configuration,
            self._passage_tokens,
            charge=self._charge,
            clock=self._clock,
            retrieving=retrieving,
        )

    def queries(self, configuration: Configuration) -> list[Query]:
        """The questions as the profile searches them: with their conversations, and directed."""
        profile = configuration.profile
        as_of = self._as_of or profile.as_of or self._newest
        questions, embedder = self._dataset.questions, self._embedder
        rewritten = [rewritten_by(each.history, each.text, profile) for each in questions]
        searched = [str(new or each.text) for new, each in zip(rewritten, questions, strict=True)]
        directions = (
            [None] * len(searched) if embedder is None else embed_questions(embedder, searched)
        )
        queries = []
        for each, new, direction in zip(questions, rewritten, directions, strict=True):
            cosines = partial(cosines_with, embedder, direction)
            query = make_query(each.text, profile, as_of, (), new, cosines=cosines)
            queries.append(replace(query, vector=direction))
        return queries

    def _figures(self, stages: Stages, queries: Sequence[Query], place: int) -> QuestionFigures:
        question, findable = self._dataset.questions[place], self._findable[place]
        query = queries[place]
        ranked = stages.rank(query)
        packed = {budget: stages.pack(query, ranked, budget) for budget in self._budgets}
        return QuestionFigures(
            ranking=ranking_figures(question, ranked),
            packing={
                budget: packing_figures(
                    question,
                    findable,
                    self._stand_ins[place],
                    ranked,
                    packed=packed[budget],
                    budget=budget,
                )
                for budget in self._budgets
            },
        )


def ranking_figures(question: Question, ranked: Ranked) -> Figures:
    """Metrics of the ranked list, and of the candidates behind it.

    A copy of a gold passage under another name is none here, as in trec_eval.
    """
    candidates = counted(
        [chunk.chunk_id for chunk in ranked.ranking.pool.chunks], question.stand_ins
    )
    ids = counted(ranked.ids, question.stand_ins)
    return {
        "candidate_recall": recall(candidates, question.gold, len(candidates)),
        "ndcg@10": ndcg(ids, question.grades, 10),
        "recall@5": recall(ids, question.gold, 5),
        "recall@20": recall(ids, question.gold, 20),
        "mrr@10": reciprocal_rank(ids, question.gold, 10),
        "map@100": average_precision(ids, question.gold, 100),
    }


def packing_figures(
    question: Question,
    findable: Findable,
    stand_ins: StandIns,
    ranked: Ranked,
    *,
    packed: Packed,
    budget: int,
) -> Figures:
    """Metrics of a packed set; what stands for gold counts as gold."""
    ids = counted([chunk.chunk_id for chunk in packed.chunks], stand_ins)
    texts = [searchable_text(chunk) for chunk in packed.chunks]
    lost = losses(
        ids,
        question.gold,
        costs_of(ranked.tokens, stand_ins),
        filtered_of(ranked.tokens, ranked.filtered, stand_ins),
        packed.room,
    )
    return {
        "gold_recall": gold_recall(ids, question.gold),
        "all_gold": all_gold(ids, question.gold),
        "span_recall": span_recall(texts, findable.spans),
        "answer_recall": answer_recall(texts, findable.answers),
        "lost_in_retrieval": lost.retrieval,
        "lost_for_size": lost.size,
        "lost_in_filters": lost.filters,
        "lost_in_ranking": lost.ranking,
        "packed": float(len(texts)),
        "utilisation": packed.tokens / budget,
        "redundancy": redundancy(texts),
        "conflicts": float(len(find_conflicts(packed.chunks))),
    }
