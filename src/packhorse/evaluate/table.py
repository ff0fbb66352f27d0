"""The results as lines for a terminal: what was found, what was packed, where the rest was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["FEW", "absence_lines", "dataset_lines", "few_lines", "latency_lines", "mean_lines"]

FEW = 30
"""Questions with gold below which configurations are hardly ever told apart."""
FOUND = (
    ("candidate_recall", "candidates"),
    ("ndcg@10", "nDCG@10"),
    ("recall@5", "recall@5"),
    ("recall@20", "recall@20"),
    ("mrr@10", "MRR@10"),
    ("map@100", "MAP@100"),
)
PACKED = (
    ("all_gold", "all gold"),
    ("span_recall", "spans"),
    ("answer_recall", "answers"),
    ("packed", "passages"),
    ("utilisation", "used"),
    ("redundancy", "copies"),
    ("conflicts", "conflicts"),
)
LOST = (
    ("lost_in_ranking", "lost in ranking"),
    ("lost_in_filters", "lost in filters"),
    ("lost_for_size", "lost for size"),
)
_NOTHING = "-"
_WIDTH = 11
_WIDE = 25
"""A difference with its interval and its star, and a space before it."""
_LABEL = 18


def dataset_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Lines about one dataset of results.json."""
    without = results["questions_without_gold"]
    left_out = f" ({without} without gold, left out of recall)" if without else ""
    yield (
        f"{results['name']}: {results['passages']} passages,"
        f" {results['questions']} questions{left_out}"
    )
    configurations = results["configurations"]
    budgets = list(configurations[0]["budgets"])
    label = max(_LABEL, 2 + max(len(_versus(each, configurations[0])) for each in configurations))
    yield _line("  found", label, (head for _, head in FOUND))
    for each in configurations:
        yield _line(f"  {each['name']}", label, _numbers(each["ranking"], FOUND))
    yield _line("  gold packed at", label, budgets, _WIDE)
    for each in configurations:
        gold = [each["budgets"][budget]["gold_recall"] for budget in budgets]
        yield _line(f"  {each['name']}", label, (_number(told["mean"]) for told in gold), _WIDE)
    for each in configurations[1:]:
        gold = [each["budgets"][budget]["gold_recall"] for budget in budgets]
        yield _line(f"  {_versus(each, configurations[0])}", label, map(_moved, gold), _WIDE)
    yield _line("  packed set", label, (head for _, head in PACKED))
    for each in configurations:
        for budget in budgets:
            metrics = each["budgets"][budget]
            yield _line(f"  {each['name']} {budget}", label, _numbers(metrics, PACKED))
    for each in configurations:
        for budget in budgets:
            yield f"  {each['name']} {budget}: {_losses(each['budgets'][budget])}"


def mean_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Gold recall as the plain mean over datasets; nothing for a single one."""
    datasets = results["datasets"]
    if len(datasets) < 2:  # noqa: PLR2004 - a mean of several
        return
    budgets = [str(budget) for budget in results["budgets"]]
    names = list(results["configurations"])
    label = max(_LABEL, 2 + max(map(len, names)))
    yield _line(f"mean of {len(datasets)} sets, gold", label, budgets)
    for at, name in enumerate(names):
        means = []
        for budget in budgets:
            gold = [
                each["configurations"][at]["budgets"][budget]["gold_recall"]["mean"]
                for each in datasets
            ]
            means.append(_number(sum(gold) / len(gold)))
        yield _line(f"  {name}", label, means)


def few_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """A warning for each dataset whose questions are too few to compare configurations with."""
    if len(results["configurations"]) < 2:  # noqa: PLR2004 - a comparison
        return
    for each in results["datasets"]:
        asked = each["questions"] - each["questions_without_gold"]
        if 0 < asked < FEW:
            yield (
                f"{each['name']} has {asked} questions with gold, and each moves the mean by"
                f" {100 / asked:.0f} points: differences say little"
            )


def absence_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """A warning for each kind of thing that a dataset names and does not hold."""
    for each in results["datasets"]:
        for absence in each["not_there"]:
            yield f"{each['name']}: {absence['text']}"


def latency_lines(timings: Mapping[str, Any]) -> Iterator[str]:
    """Lines about the latency of one dataset of timings.json."""
    for each in timings["configurations"]:
        stages = ", ".join(
            f"{stage} {taken['p50']:.1f} / {taken['p95']:.1f}"
            for stage, taken in each["milliseconds"].items()
        )
        yield f"  {each['name']}, milliseconds p50 / p95: {stages}"


def _line(
    label: str, label_width: int, cells: Iterator[str] | Sequence[str], width: int = _WIDTH
) -> str:
    return (f"{label:<{label_width}}" + "".join(f"{cell:>{width}}" for cell in cells)).rstrip()


def _versus(other: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    return f"{other['name']} - {base['name']}"


def _numbers(metrics: Mapping[str, Any], columns: Sequence[tuple[str, str]]) -> Iterator[str]:
    return (_number(metrics[name]["mean"]) for name, _ in columns)


def _number(mean: float | None) -> str:
    return _NOTHING if mean is None else f"{mean:.3f}"


def _moved(told: Mapping[str, Any]) -> str:
    """A difference with its 95 % interval; a star where that leaves 0 out."""
    difference = told.get("difference")
    if difference is None:
        return _NOTHING
    low, high = difference["low"], difference["high"]
    star = "*" if low > 0 or high < 0 else " "
    return f"{difference['mean']:+.3f} [{low:+.3f}, {high:+.3f}]{star}"


def _losses(metrics: Mapping[str, Any]) -> str:
    """Where the gold went, in words: what retrieval found, and what was lost after it."""
    if metrics["gold_recall"]["mean"] is None:
        return "no question has gold"
    found = 1 - metrics["lost_in_retrieval"]["mean"]
    lost = (f"{words} {metrics[name]['mean']:.2f}" for name, words in LOST)
    return (
        f"gold found in the candidates {found:.2f}, {', '.join(lost)},"
        f" packed {metrics['gold_recall']['mean']:.2f}"
    )
