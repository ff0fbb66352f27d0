"""What the settings that ship are held to, beside what they came to.

A bar is a gold recall at a token budget that is to be reached without any tuning on the set; no set
may lie below its best single channel by more than 0.01. Recall of conflicts is of a classifier that
was fitted without the set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

__all__ = ["BARS", "CHANNELS", "bars_table", "conflicts_table"]

BUDGETS = (256, 512, 1024)

BARS: Mapping[str, tuple[float, float, float]] = {
    "hotpotqa": (0.81, 0.94, 0.97),
    "2wiki": (0.65, 0.86, 0.96),
    "scifact": (0.25, 0.62, 0.78),
    "cranfield": (0.13, 0.26, 0.40),
    "mtrag_un": (0.28, 0.55, 0.74),
    "nq": (0.94, 0.99, 1.00),
}
"""Set -> gold recall at each of `BUDGETS`."""

CHANNELS = ("bm25", "dense")
"""Configurations that search by one channel alone."""

SLACK = 0.01
"""How far below its best single channel a set may lie."""

CONFLICT_BARS = (
    ("fever_symmetric", "conflict evidence_evidence", "agree claim_evidence", 45, 4),
    ("ramdocs", "conflict passage_swapped", "agree passage_same_answer", 70, 3),
)
"""Set, pairs that conflict, pairs that agree, least found and most false alarms in per cent."""

Means = Mapping[str, Mapping[str, float | None]]


def bars_table(results: Mapping[str, Means]) -> Iterator[str]:
    """Lines: for each set and budget the shipped settings, the bar, and the best single channel.

    What is shown is compared, two decimals of a bar with three of a recall: 0.809 misses 0.81.

    Args:
        results: set -> configuration -> metric -> mean, as `evals/results` holds them.
    """
    yield "Gold recall, and the bar that the project has set itself; BELOW: by more than"
    yield f"{SLACK} under the better one of words alone and vectors alone."
    yield f"{'set':<16} {'budget':>6} {'built-in':>9} {'bar':>5}  {'':<7}best channel"
    verdicts: list[str] = []
    for name in sorted(results, key=lambda name: (name not in BARS, name)):
        means = results[name]
        for at, budget in enumerate(BUDGETS):
            metric = f"gold_recall@{budget}"
            measured = means.get("built-in", {}).get(metric)
            if measured is None:
                continue
            recall = round(measured, 3)
            bar = BARS[name][at] if name in BARS else None
            channel, best = _best_channel(means, metric)
            verdicts += [_verdict(recall, bar)] if bar is not None else []
            yield (
                f"{name:<16} {budget:>6} {recall:>9.3f} {'' if bar is None else f'{bar:.2f}':>5}"
                f"  {_verdict(recall, bar):<7}{channel} {best:.3f}"
                f"{'' if recall >= best - SLACK else f'  BELOW by {best - recall:.3f}'}"
            ).rstrip()
    yield f"{verdicts.count('met')} of {len(verdicts)} bars met"


def conflicts_table() -> Iterator[str]:
    """Lines: conflicts found and false alarms, each set by a classifier fitted without it."""
    shipped = files("packhorse") / "verify" / "consistency" / "data" / "classifier.json"
    told: dict[str, Any] = json.loads(shipped.read_text(encoding="utf-8"))["left_out_results"]
    yield f"{'conflicts':<16} {'found':>20} {'bar':>6}   {'false alarms':>18} {'bar':>6}"
    for name, conflict, agree, least, most in CONFLICT_BARS:
        found, alarms = told[name][conflict], told[name][agree]
        yield f"{name:<16} {found:>20} {f'>={least}%':>6}   {alarms:>18} {f'<={most}%':>6}"


def _best_channel(means: Means, metric: str) -> tuple[str, float]:
    """The best of the single channels that were measured, ties by their order in `CHANNELS`."""
    known = [
        (name, round(value, 3))
        for name in CHANNELS
        if (value := means.get(name, {}).get(metric)) is not None
    ]
    return max(known, key=lambda pair: pair[1], default=("none", 0.0))


def _verdict(recall: float, bar: float | None) -> str:
    if bar is None:
        return ""
    return "met" if recall >= bar else f"-{bar - recall:.3f}"
