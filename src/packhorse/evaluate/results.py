"""results.json: means, counts and differences, the same bytes for the same input.

Nothing in it depends on the machine; what does, the latency, is in timings.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.evaluate.absent import absences_in
from packhorse.evaluate.compare import paired_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.evaluate.dataset import Dataset
    from packhorse.evaluate.runner import Measured
    from packhorse.types.arrays import FloatArray

__all__ = ["SCHEMA_VERSION", "dataset_results", "dataset_timings", "question_rows"]

SCHEMA_VERSION = "1"

_DECIMALS = 6
_MILLISECOND_DECIMALS = 3


def dataset_results(dataset: Dataset, runs: Sequence[Measured]) -> dict[str, Any]:
    """What the configurations came to over one dataset; the first is the base of differences."""
    return {
        "name": dataset.name,
        "sha256": dataset.digest,
        "kb": None if dataset.kb is None else dataset.kb.name,
        "passages": len(dataset.passages),
        "questions": len(dataset.questions),
        "questions_without_gold": sum(not question.gold for question in dataset.questions),
        "not_there": [absence.as_document() for absence in absences_in(dataset)],
        "configurations": [_configuration(run, runs[0]) for run in runs],
    }


def _configuration(run: Measured, base: Measured) -> dict[str, Any]:
    first, compared = run.questions[0], run is not base
    return {
        "name": run.configuration.name,
        "ranking": {
            metric: _metric(run.ranking(metric), base.ranking(metric) if compared else None)
            for metric in first.ranking
        },
        "budgets": {
            str(budget): {
                metric: _metric(
                    run.packing(metric, budget), base.packing(metric, budget) if compared else None
                )
                for metric in metrics
            }
            for budget, metrics in first.packing.items()
        },
    }


def _metric(values: FloatArray, base: FloatArray | None) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    told: dict[str, Any] = {
        "mean": round(float(known.mean()), _DECIMALS) if known.size else None,
        "n": int(known.size),
    }
    difference = None if base is None else paired_difference(base, values)
    if difference is not None:
        told["difference"] = {
            "mean": difference.mean,
            "low": difference.low,
            "high": difference.high,
            "higher": difference.higher,
            "lower": difference.lower,
        }
    return told


def dataset_timings(dataset: Dataset, runs: Sequence[Measured]) -> dict[str, Any]:
    """Latency in milliseconds a question: half the questions took at most p50, 95 % at most p95."""
    return {
        "name": dataset.name,
        "configurations": [
            {
                "name": run.configuration.name,
                "milliseconds": {
                    stage: _percentiles(taken) for stage, taken in run.milliseconds.items()
                },
            }
            for run in runs
        ],
    }


def _percentiles(taken: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile(np.array(taken), [50, 95])
    return {
        "p50": round(float(p50), _MILLISECOND_DECIMALS),
        "p95": round(float(p95), _MILLISECOND_DECIMALS),
    }


def question_rows(dataset: Dataset, runs: Sequence[Measured]) -> list[dict[str, Any]]:
    """One row a question and configuration: to see which questions moved."""
    return [
        {
            "dataset": dataset.name,
            "configuration": run.configuration.name,
            "question": question.id,
            "ranking": _without_nan(run.questions[place].ranking),
            "budgets": {
                str(budget): _without_nan(metrics)
                for budget, metrics in run.questions[place].packing.items()
            },
        }
        for place, question in enumerate(dataset.questions)
        for run in runs
    ]


def _without_nan(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {
        name: None if np.isnan(value) else round(value, _DECIMALS)
        for name, value in figures.items()
    }
