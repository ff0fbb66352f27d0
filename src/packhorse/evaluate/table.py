"""The results as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["dataset_lines", "latency_lines"]

RANKING = (
    ("candidate_recall", "candidates"),
    ("ndcg@10", "nDCG@10"),
    ("recall@5", "recall@5"),
    ("recall@20", "recall@20"),
    ("mrr@10", "MRR@10"),
    ("map@100", "MAP@100"),
)
PACKING = (
    ("gold_recall", "gold"),
    ("all_gold", "all gold"),
    ("span_recall", "spans"),
    ("answer_recall", "answers"),
    ("utilisation", "used"),
    ("redundancy", "copies"),
    ("conflicts", "conflicts"),
    ("packed", "passages"),
)
_NOTHING = "-"
_WIDTH = 10


def dataset_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Lines about one dataset of results.json."""
    without = results["questions_without_gold"]
    left_out = f" ({without} without gold, left out of recall)" if without else ""
    yield (
        f"{results['name']}: {results['passages']} passages,"
        f" {results['questions']} questions{left_out}"
    )
    configurations = results["configurations"]
    width = max(12, *(len(each["name"]) for each in configurations))
    yield f"  {'ranking':<{width}}{_heads(RANKING)}"
    for each in configurations:
        yield f"  {each['name']:<{width}}{_cells(each['ranking'], RANKING)}"
    for budget in configurations[0]["budgets"]:
        yield f"  {budget + ' tokens':<{width}}{_heads(PACKING)}"
        for each in configurations:
            yield f"  {each['name']:<{width}}{_cells(each['budgets'][budget], PACKING)}"
        for each in configurations:
            yield f"    {each['name']}: {_losses(each['budgets'][budget])}"
        for each in configurations[1:]:
            yield f"    {each['name']} - {configurations[0]['name']}: {_moved(each, budget)}"


def _heads(columns: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{head:>{_WIDTH}}" for _, head in columns)


def _cells(metrics: Mapping[str, Any], columns: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{_number(metrics[name]['mean']):>{_WIDTH}}" for name, _ in columns)


def _number(mean: float | None) -> str:
    return _NOTHING if mean is None else f"{mean:.3f}"


def _losses(metrics: Mapping[str, Any]) -> str:
    """Where the gold went, in words; retrieval and packing apart."""
    lost = {name: metrics[name]["mean"] for name in metrics if name.startswith("lost_")}
    if metrics["gold_recall"]["mean"] is None:
        return "no question has gold"
    found = 1 - lost["lost_in_retrieval"]
    parts = [f"gold found in the candidates {found:.2f}"]
    parts += [
        f"lost {name.removeprefix('lost_').replace('_', ' ')} {lost[name]:.2f}"
        for name in ("lost_in_ranking", "lost_in_filters", "lost_for_size")
    ]
    return f"{', '.join(parts)}; packed {metrics['gold_recall']['mean']:.2f}"


def _moved(configuration: Mapping[str, Any], budget: str) -> str:
    told = configuration["budgets"][budget]["gold_recall"].get("difference")
    if told is None:
        return "no question in common"
    clear = told["low"] > 0 or told["high"] < 0
    said = "" if clear else ", which these questions do not tell from 0"
    return (
        f"gold {told['mean']:+.3f} (95 % interval {told['low']:+.3f} to {told['high']:+.3f},"
        f" {told['higher']} better, {told['lower']} worse{said})"
    )


def latency_lines(timings: Mapping[str, Any]) -> Iterator[str]:
    """Lines about the latency of one dataset of timings.json."""
    for each in timings["configurations"]:
        stages = ", ".join(
            f"{stage} {taken['p50']:.1f} / {taken['p95']:.1f}"
            for stage, taken in each["milliseconds"].items()
        )
        yield f"  milliseconds p50 / p95, {each['name']}: {stages}"
