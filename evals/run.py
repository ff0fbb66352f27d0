"""Evaluates the settings that ship and says what moved: `make evals`, or `python -m evals.run`.

The sets lie beside the clone and are read in place. What an earlier run came to is in
evals/results, a small file a set, with its settings and its version; `--write` stores the new one.
At the end stands what the shipped settings are held to, set by set; `--stored` prints that from
what is stored, and runs nothing.
Exit code 1 where gold recall fell by more than 0.01 anywhere, 2 where there is nothing to evaluate.
"""

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evals.bars import bars_table, conflicts_table
from packhorse.cli.progress import TerminalProgress
from packhorse.errors import PackhorseError
from packhorse.evaluate.configuration import read_configurations
from packhorse.evaluate.dataset import read_dataset
from packhorse.evaluate.evaluation import Plan, evaluate
from packhorse.indexing.cache import cache_root

__all__ = ["main", "moved", "stored_form"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "evals" / "results"
SETS = ("2wiki", "cranfield", "hotpotqa", "mtrag_un", "nq", "ramdocs", "scifact", "squad")
SAMPLE = ROOT / "fixtures" / "rental_questions"
CONFIGURATIONS = ("bm25", "dense", "rrf", "built-in")
WORTH_SAYING = 0.0005
FELL = 0.01


def main(arguments: list[str] | None = None) -> int:
    """Runs what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--sample", action="store_true", help="the committed sample alone")
    parser.add_argument("--write", action="store_true", help="store what comes out")
    parser.add_argument("--stored", action="store_true", help="print what is stored, run nothing")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    if asked.stored:
        print_bars(stored_means(asked.results))
        return 0
    folders = [SAMPLE] if asked.sample else [asked.data / name for name in asked.sets.split(",")]
    missing = [folder.name for folder in folders if not folder.is_dir()]
    if missing:
        print("=" * 78, file=sys.stderr)
        print(
            f"[ERROR] Nothing was evaluated: no {', '.join(missing)} in {asked.data}",
            file=sys.stderr,
        )
        print("[HINT] Say where the sets are: make evals DATA=path/to/data", file=sys.stderr)
        print("=" * 78, file=sys.stderr)
        return 2
    worst, means = 0.0, {}
    for folder in folders:
        try:
            now, fall = one_set(folder, asked.results, write=asked.write)
        except PackhorseError as error:
            print(f"[ERROR] {error.message}\n[HINT] {error.hint}", file=sys.stderr)
            return 2
        worst = min(worst, fall)
        means[now["dataset"]] = now["means"]
    print_bars(means)
    return 1 if worst < -FELL else 0


def print_bars(means: dict[str, Any]) -> None:
    """What the shipped settings are held to, beside what they came to."""
    print()
    for line in (*bars_table(means), "", *conflicts_table()):
        print(line)


def stored_means(results: Path) -> dict[str, Any]:
    """Set -> configuration -> metric -> mean, of all runs that are stored."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("*.json"))]
    return {run["dataset"]: run["means"] for run in runs}


def one_set(folder: Path, results: Path, *, write: bool) -> tuple[dict[str, Any], float]:
    """Evaluates a set and prints what moved.

    Returns:
        what is stored of it, and the largest fall of gold recall, at most 0.
    """
    with TerminalProgress() as progress:
        done = evaluate(
            [read_dataset(folder)],
            Plan(configurations=read_configurations(CONFIGURATIONS)),
            cache=cache_root(),
            clock=time.perf_counter,
            version=version("packhorse"),
            date=datetime.now(UTC).date().isoformat(),
            progress=progress,
        )
    now = stored_form(done.results)
    path = results / f"{folder.resolve().name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    lines, fall = moved(before, now)
    print(f"{now['dataset']}: {now['questions']} questions")
    for line in lines:
        print(f"  {line}")
    if write:
        results.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return now, fall


def stored_form(results: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a results document with one dataset: the settings, and the means."""
    (dataset,) = results["datasets"]
    return {
        "dataset": dataset["name"],
        "sha256": dataset["sha256"],
        "questions": dataset["questions"],
        "date": results["date"],
        "version": results["version"],
        "charge": results["charge"],
        "embedder": results["embedder"],
        "configurations": results["configurations"],
        "means": {
            each["name"]: {
                **{metric: told["mean"] for metric, told in each["ranking"].items()},
                **{
                    f"{metric}@{budget}": told["mean"]
                    for budget, metrics in each["budgets"].items()
                    for metric, told in metrics.items()
                },
            }
            for each in dataset["configurations"]
        },
    }


def moved(before: dict[str, Any] | None, now: dict[str, Any]) -> tuple[list[str], float]:
    """Lines about every mean that moved, and the largest fall of gold recall, at most 0."""
    if before is None:
        return ["not evaluated before; --write stores this run"], 0.0
    lines = []
    if before["sha256"] != now["sha256"]:
        lines.append("the data is not that of the stored run")
    for name, configuration in now["configurations"].items():
        if before["configurations"].get(name) != configuration:
            lines.append(f"{name}: other settings than in the stored run")
    fall = 0.0
    for name, means in now["means"].items():
        for metric, mean in means.items():
            earlier = before["means"].get(name, {}).get(metric)
            if mean is None or earlier is None or abs(mean - earlier) < WORTH_SAYING:
                continue
            lines.append(
                f"{name:<10} {metric:<22} {earlier:8.3f} -> {mean:8.3f}  {mean - earlier:+.3f}"
            )
            if metric.startswith("gold_recall@"):
                fall = min(fall, mean - earlier)
    return lines or ["nothing moved"], fall


if __name__ == "__main__":
    sys.exit(main())
