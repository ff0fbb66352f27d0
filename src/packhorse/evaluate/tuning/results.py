"""The result of tuning as one JSON document, and as lines for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from packhorse.evaluate.tuning.space import changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packhorse.evaluate.compare import Difference
    from packhorse.evaluate.tuning.search import Chosen
    from packhorse.evaluate.tuning.space import Point
    from packhorse.evaluate.tuning.tune import Tuned, TuningPlan

__all__ = ["SCHEMA_VERSION", "shown_changes", "tuning_document", "tuning_lines"]

SCHEMA_VERSION = "1"

_LABEL = 22
_COLUMN = 11


def tuning_document(tuned: Tuned, plan: TuningPlan, *, version: str, date: str) -> dict[str, Any]:
    """Everything that came out; the same for the same input."""

    def searched(chosen: Chosen | None) -> dict[str, Any] | None:
        if chosen is None:
            return None
        return {
            "changes": _changes(plan, chosen.point),
            "best": _changes(plan, chosen.best),
            "gain": chosen.gain,
            "best_gain": chosen.best_gain,
            "tried": chosen.tried,
        }

    budgets = [str(budget) for budget in plan.budgets]
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "date": date,
        "dataset": {
            "name": tuned.dataset,
            "digest": tuned.digest,
            "questions": tuned.n_questions,
            "questions_without_gold": tuned.n_without_gold,
            "not_there": [absence.as_document() for absence in tuned.not_there],
        },
        "plan": _plan(plan),
        "default": dict(zip(budgets, tuned.base, strict=True)),
        "folds": [
            {
                "held_out": fold.n_held_out,
                "default": dict(zip(budgets, fold.base, strict=True)),
                "tuned": dict(zip(budgets, fold.tuned, strict=True)),
                "search": searched(fold.chosen),
            }
            for fold in tuned.folds
        ],
        "held_out": {str(budget): asdict(each) for budget, each in tuned.held_out.items()},
        "overall": None if tuned.overall is None else asdict(tuned.overall),
        "search": searched(tuned.chosen),
        "measured": tuned.n_measured,
        "verdict": "tuned" if tuned.is_better else "keep the default",
        "reason": tuned.reason,
    }


def tuning_lines(tuned: Tuned, plan: TuningPlan) -> Iterator[str]:
    """The result for people: each fold, each budget, and what to do."""
    without = f" ({tuned.n_without_gold} more without gold)" if tuned.n_without_gold else ""
    yield f"{tuned.dataset}: {tuned.n_questions} questions{without}, {plan.metric} at token budgets"
    budgets = [str(budget) for budget in plan.budgets]
    yield _row("", budgets, "mean")
    yield _row(f"{plan.base.name}, all", [f"{mean:.3f}" for mean in tuned.base], _mean(tuned.base))
    if tuned.folds:
        yield f"questions held out, {plan.n_folds} folds: default -> tuned without them"
    for at, fold in enumerate(tuned.folds, start=1):
        cells = [f"{a:.3f}>{b:.3f}" for a, b in zip(fold.base, fold.tuned, strict=True)]
        both = f"{_mean(fold.base)}>{_mean(fold.tuned)}"
        yield _row(f"  fold {at}, {fold.n_held_out} questions", cells, both)
        yield f"      {shown_changes(plan, fold.chosen.point) or 'as the default'}"
    if tuned.overall is not None:
        yield "gain on questions held out, with the middle 95 % of 2,000 draws"
        for budget, each in tuned.held_out.items():
            yield f"  at {budget:>6} {_difference(each)}"
        yield f"  {'mean':>9} {_difference(tuned.overall)}"
    if tuned.chosen is not None:
        yield (
            f"search on all questions: {tuned.chosen.tried} settings tried, best"
            f" {tuned.chosen.best_gain:+.3f} where it was chosen"
        )
        yield f"      {shown_changes(plan, tuned.chosen.point) or 'as the default'}"


def shown_changes(plan: TuningPlan, point: Point) -> str:
    """Settings that a point changes, from what to what; empty for the base."""
    return ", ".join(
        f"{key} {_value(was)} -> {_value(now)}"
        for key, (was, now) in changes(plan.base, point).items()
    )


def _plan(plan: TuningPlan) -> dict[str, Any]:
    names = ("metric", "n_folds", "seed", "evaluations", "charge", "limit", "embedder", "as_of")
    return {
        "base": plan.base.name,
        "budgets": list(plan.budgets),
        **{name: getattr(plan, name) for name in names},
    }


def _changes(plan: TuningPlan, point: Point) -> dict[str, Any]:
    return {key: {"from": was, "to": now} for key, (was, now) in changes(plan.base, point).items()}


def _difference(each: Difference) -> str:
    star = " *" if each.clear else ""
    return (
        f"{each.mean:+.3f} [{each.low:+.3f}, {each.high:+.3f}]{star}"
        f"  {each.higher} questions better, {each.lower} worse"
    )


def _row(label: str, cells: list[str], last: str) -> str:
    return f"{label:<{_LABEL}}" + "".join(f"{cell:>{_COLUMN + 2}}" for cell in [*cells, last])


def _mean(values: tuple[float, ...]) -> str:
    return f"{sum(values) / len(values):.3f}"


def _value(value: Any) -> str:
    return "off" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
