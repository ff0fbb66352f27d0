"""The whole of an evaluation: datasets through configurations to one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError
from packhorse.evaluate.corpus import opened_dataset
from packhorse.evaluate.results import (
    SCHEMA_VERSION,
    dataset_results,
    dataset_timings,
    question_rows,
)
from packhorse.evaluate.runner import Runner
from packhorse.evaluate.stages import CHARGES

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.evaluate.configuration import Configuration
    from packhorse.evaluate.dataset import Dataset
    from packhorse.evaluate.runner import Measured
    from packhorse.kb.progress import Progress

__all__ = ["DEFAULT_BUDGETS", "Evaluation", "Plan", "evaluate"]

DEFAULT_BUDGETS = (256, 512, 1024, 2048)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to evaluate, and how."""

    configurations: tuple[Configuration, ...]
    budgets: tuple[int, ...] = DEFAULT_BUDGETS
    charge: str = "text"
    """`text` or `rendered`, see `packhorse.evaluate.stages`."""
    limit: int | None = None
    """Questions of each dataset, from the first on; None is all."""
    embedder: str = "minilm"
    """Makes the vectors of passages without an index; recorded, `index` where they have one."""
    as_of: str | None = None
    """Day that freshness is measured from; None is the profile's, else the day of the newest
    passage, so that no result depends on today."""

    def __post_init__(self) -> None:
        if self.charge not in CHARGES:
            raise ConfigError(
                f"charge is {self.charge!r}", hint=f"charge is {' or '.join(CHARGES)}"
            )
        if not self.budgets or min(self.budgets) < 1:
            raise ConfigError("A budget is not above 0", hint="For example --budgets 256,512")
        if len(set(self.budgets)) < len(self.budgets):
            raise ConfigError("A budget is named twice", hint="For example --budgets 256,512")
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit is {self.limit}", hint="Evaluate 1 question or more")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """What came out."""

    results: dict[str, Any]
    """The same for the same input."""
    timings: dict[str, Any]
    """Of this machine and this moment."""
    questions: list[dict[str, Any]]
    """A row for each question and configuration."""


def evaluate(
    datasets: Sequence[Dataset],
    plan: Plan,
    *,
    cache: Path,
    clock: Callable[[], float],
    version: str,
    date: str,
    progress: Progress | None = None,
) -> Evaluation:
    """Runs all configurations over all datasets.

    Args:
        datasets: with names that differ.
        plan: what to do with them.
        cache: directory where indexes and vectors are kept.
        clock: seconds, for the latency.
        version: of this program; recorded.
        date: of the run; recorded.
        progress: is told how far it is.

    Raises:
        ConfigError: two datasets have one name, or a setting cannot be used.
        BudgetExceededError: the preamble is charged, and is over a budget.
    """
    names = [dataset.name for dataset in datasets]
    if len(set(names)) < len(names):
        raise ConfigError("Two datasets have the same name", hint="Rename one of the folders")
    results, timings, rows = [], [], []
    for dataset in datasets:
        asked = replace(dataset, questions=dataset.questions[: plan.limit])
        runs = measured(asked, plan, cache, clock, progress)
        results.append(dataset_results(asked, runs))
        timings.append(dataset_timings(asked, runs))
        rows += question_rows(asked, runs)
    document = {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "date": date,
        "as_of": plan.as_of,
        "charge": plan.charge,
        "budgets": list(plan.budgets),
        "embedder": plan.embedder,
        "limit": plan.limit,
        "configurations": {each.name: each.as_document() for each in plan.configurations},
        "datasets": results,
    }
    times = {"schema_version": SCHEMA_VERSION, "date": date, "datasets": timings}
    return Evaluation(results=document, timings=times, questions=rows)


def measured(
    dataset: Dataset,
    plan: Plan,
    cache: Path,
    clock: Callable[[], float],
    progress: Progress | None,
) -> list[Measured]:
    """One dataset through all configurations."""
    with opened_dataset(dataset, embedder_name=plan.embedder, cache=cache, progress=progress) as (
        kb,
        embedder,
    ):
        _check_vectors(plan, has_vectors=embedder is not None)
        runner = Runner(
            dataset,
            kb,
            embedder,
            budgets=plan.budgets,
            charge=plan.charge,
            as_of=plan.as_of,
            clock=clock,
            progress=progress,
        )
        return [runner.measure(configuration) for configuration in plan.configurations]


def _check_vectors(plan: Plan, *, has_vectors: bool) -> None:
    """Refuses a ranking by vectors alone where there are none: all its figures would be 0."""
    needing = [each.name for each in plan.configurations if each.floor == "dense"]
    if needing and not has_vectors:
        raise ConfigError(
            f"The configuration {needing[0]} ranks by vectors, and there are none",
            hint="Leave it out, or make vectors: --embedder minilm, here or for the index",
        )
