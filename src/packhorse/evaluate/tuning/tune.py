"""The whole of tuning: a search in every fold, its worth on questions held out, a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import ConfigError
from packhorse.evaluate.absent import absences_in
from packhorse.evaluate.compare import Difference, paired_difference
from packhorse.evaluate.corpus import opened_dataset
from packhorse.evaluate.runner import Runner
from packhorse.evaluate.stages import CHARGES
from packhorse.evaluate.tuning.bench import METRICS, Bench
from packhorse.evaluate.tuning.folds import folds_of
from packhorse.evaluate.tuning.once import searched_once
from packhorse.evaluate.tuning.search import Search
from packhorse.evaluate.tuning.space import axes_of
from packhorse.kb.progress import Progress, Silent

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.config import Profile
    from packhorse.evaluate.absent import Absence
    from packhorse.evaluate.dataset import Dataset
    from packhorse.evaluate.tuning.search import Chosen
    from packhorse.evaluate.tuning.space import Point
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["MIN_QUESTIONS", "Fold", "Tuned", "TuningPlan", "tune"]

MIN_QUESTIONS = 30
"""Questions with gold below which nothing is searched: a fold of five would hold out fewer than
six, and one of them moves the mean by 17 points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningPlan:
    """What to tune, and how."""

    base: Profile
    """What the search starts from, and what its result is compared with."""
    budgets: tuple[int, ...] = (256, 512, 1024)
    metric: str = "gold_recall"
    """A name from `METRICS`; its mean over budgets and questions is what is raised."""
    n_folds: int = 5
    seed: int = 0
    """Of the folds; nothing else is left to chance."""
    evaluations: int = 60
    """Most settings that the search of one fold looks at."""
    charge: str = "text"
    limit: int | None = None
    """Questions, from the first on; None is all."""
    embedder: str = "minilm"
    """Makes the vectors of passages without an index; recorded, `index` where they have one."""
    as_of: str | None = None

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise ConfigError(f"metric is {self.metric!r}", hint=f"Take {' or '.join(METRICS)}")
        if self.charge not in CHARGES:
            raise ConfigError(f"charge is {self.charge!r}", hint=f"Take {' or '.join(CHARGES)}")
        if not self.budgets or min(self.budgets) < 1 or len(set(self.budgets)) < len(self.budgets):
            raise ConfigError(
                "Budgets are numbers above 0, each named once", hint="For example --budgets 256,512"
            )
        for name, least in (("n_folds", 2), ("evaluations", 2), ("limit", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                said = name.removeprefix("n_")
                raise ConfigError(f"{said} is {value}", hint=f"{said} is {least} or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A search, and what it is worth on the questions that it did not see."""

    chosen: Chosen
    n_held_out: int
    base: tuple[float, ...]
    """Mean of the base on the questions held out, for each budget."""
    tuned: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What tuning came to."""

    dataset: str
    digest: str
    n_questions: int
    """With gold; the others take no part."""
    n_without_gold: int
    base: tuple[float, ...]
    """Mean of the base over all questions, for each budget."""
    folds: tuple[Fold, ...]
    """Empty where there were too few questions."""
    held_out: Mapping[int, Difference]
    """Budget -> tuned less base, every question under the settings of a search without it."""
    overall: Difference | None
    """The same for the mean over budgets; None where nothing was searched."""
    chosen: Chosen | None
    """The search over all questions: the settings that a profile gets."""
    n_measured: int
    """Different settings that were measured."""
    reason: str
    """Why the default stays; empty where tuning is worth it."""
    not_there: tuple[Absence, ...] = ()
    """What the questions name and the dataset does not hold."""

    @property
    def is_better(self) -> bool:
        """Whether questions held out say that the tuned settings are better."""
        return not self.reason


def tune(
    dataset: Dataset,
    plan: TuningPlan,
    *,
    cache: Path,
    clock: Callable[[], float],
    progress: Progress | None = None,
) -> Tuned:
    """Searches settings for a dataset, as often as there are folds and once more on all questions.

    Args:
        dataset: with gold.
        plan: what to search, and how.
        cache: directory where indexes and vectors are kept.
        clock: seconds; no result depends on it.
        progress: is told how far it is.

    Raises:
        ConfigError: no question has gold, there are more folds than questions, or a setting cannot
            be used.
        BudgetExceededError: the preamble is charged, and is over a budget.
    """
    asked = dataset.questions[: plan.limit]
    questions = tuple(question for question in asked if question.gold)
    if not questions:
        raise ConfigError(
            f"No question of {dataset.name} names its gold passages",
            hint="Give questions of queries.jsonl a list of passage ids under `gold`",
        )
    progress = progress or Silent()
    labelled = replace(dataset, questions=questions)
    with opened_dataset(dataset, embedder_name=plan.embedder, cache=cache, progress=progress) as (
        kb,
        embedder,
    ):
        runner = Runner(
            labelled,
            searched_once(kb),
            embedder,
            budgets=plan.budgets,
            charge=plan.charge,
            as_of=plan.as_of,
            clock=clock,
        )
        bench = Bench(runner, plan.base, metric=plan.metric, budgets=plan.budgets)
        axes = axes_of(plan.base, labelled, has_vectors=embedder is not None)
        search = Search(
            bench.scores, axes, evaluations=plan.evaluations, advance=lambda: progress.advance(1)
        )
        found = _searched(search, labelled, plan, progress)
    return replace(found, n_without_gold=len(asked) - len(questions))


def _searched(search: Search, dataset: Dataset, plan: TuningPlan, progress: Progress) -> Tuned:
    n = len(dataset.questions)
    if n >= MIN_QUESTIONS and plan.n_folds > n:
        raise ConfigError(
            f"{plan.n_folds} folds, for {n} questions with gold",
            hint=f"A fold holds a question or more: take --folds {n} or fewer, 5 are usual",
        )
    base = search.of(())
    nothing = Tuned(
        dataset=dataset.name,
        digest=dataset.digest,
        n_questions=n,
        n_without_gold=0,
        not_there=absences_in(dataset),
        base=_means(base),
        folds=(),
        held_out={},
        overall=None,
        chosen=None,
        n_measured=search.n_measured,
        reason=f"{n} questions with gold are too few to tell settings apart; {MIN_QUESTIONS} are"
        " the least, some hundred are better",
    )
    if n < MIN_QUESTIONS:
        return nothing
    everything = np.arange(n)
    ids = [question.id for question in dataset.questions]
    tuned, folds = np.array(base), []
    for at, rows in enumerate(folds_of(ids, plan.n_folds, plan.seed), start=1):
        progress.stage(f"search without fold {at} of {plan.n_folds}", plan.evaluations)
        chosen = search.on(np.setdiff1d(everything, rows))
        progress.advance(plan.evaluations - chosen.tried)
        tuned[rows] = search.of(chosen.point)[rows]
        folds.append(_fold(chosen, rows, base, tuned))
    progress.stage("search on all questions", plan.evaluations)
    final = search.on(everything)
    overall = paired_difference(base.mean(axis=1), tuned.mean(axis=1))
    return replace(
        nothing,
        folds=tuple(folds),
        held_out={
            budget: difference
            for column, budget in enumerate(plan.budgets)
            if (difference := paired_difference(base[:, column], tuned[:, column])) is not None
        },
        overall=overall,
        chosen=final,
        n_measured=search.n_measured,
        reason=_reason(final.point, overall),
    )


def _reason(point: Point, overall: Difference | None) -> str:
    if not point:
        return "no other setting is better than the default by more than one standard error"
    if overall is None or overall.low <= 0:
        return (
            "what the search gained does not show on questions held out: the interval of the"
            " difference holds 0"
        )
    return ""


def _fold(chosen: Chosen, rows: IntArray, base: FloatArray, tuned: FloatArray) -> Fold:
    return Fold(
        chosen=chosen, n_held_out=rows.size, base=_means(base[rows]), tuned=_means(tuned[rows])
    )


def _means(scores: FloatArray) -> tuple[float, ...]:
    return tuple(round(float(mean), 6) for mean in scores.mean(axis=0))
