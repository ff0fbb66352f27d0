"""Measures the formula of relevance over the public sets: `python -m evals.ranking --data DIR`."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from evals.ranking.data import Features
from evals.ranking.features import features_of_folder
from evals.ranking.formula import CHOSEN, Weights, floors, relevance
from evals.ranking.leave_one_out import leave_one_out
from evals.ranking.recall import BUDGETS, mean_recall
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.errors import PackhorseError
from packhorse.indexing.cache import cache_root

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent.parent
SETS = ("2wiki", "cranfield", "hotpotqa", "mtrag_un", "nq", "ramdocs", "scifact", "squad")
FLOORS = ("bm25", "dense", "rrf", "today")
HEADER = f"| set | ranking | {' | '.join(f'{budget} tokens' for budget in BUDGETS)} |"
RULE = "|---|---|" + "---:|" * len(BUDGETS)
WITHOUT: Mapping[str, Weights] = {
    "no names, no mentions": replace(CHOSEN, named=0.0, mention=0.0),
    "no mentions": replace(CHOSEN, mention=0.0),
    "no length": replace(CHOSEN, length=0.0),
    "no feedback": replace(CHOSEN, alike_words=0.0, alike_direction=0.0),
}


def main(arguments: list[str] | None = None) -> int:
    """Prints what is asked for; returns the exit code: 2 where there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.ranking", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--cache", type=Path, help="where vectors and features are kept")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--leave-one-out", action="store_true", help="fit on the others, test on one")
    what.add_argument("--parts", action="store_true", help="the formula without each of its parts")
    parser.add_argument("--questions", type=int, default=100, help="of each set, to fit on")
    parser.add_argument("--seed", type=int, default=0, help="of that sample")
    asked = parser.parse_args(arguments)
    try:
        sets = read_sets(asked.data, asked.sets.split(","), cache_root(asked.cache))
    except PackhorseError as error:
        print(f"[ERROR] {error.message}\n[HINT] {error.hint}", file=sys.stderr)
        return 2
    if asked.leave_one_out and len(sets) == 1:
        print("[ERROR] Nothing to fit on: one set alone", file=sys.stderr)
        print("[HINT] Name two sets or more with --sets", file=sys.stderr)
        return 2
    if asked.leave_one_out:
        lines = left_out_table(sets, n_questions=asked.questions, seed=asked.seed)
    else:
        lines = table(sets, WITHOUT if asked.parts else {})
    for line in lines:
        print(line, flush=True)
    return 0


def read_sets(data: Path, names: list[str], cache: Path) -> dict[str, Features]:
    """The features of every set, made now where the cache has none."""
    embedder = MiniLmEmbedder()
    sets = {}
    for name in names:
        sets[name] = features_of_folder(data / name, embedder, cache)
        print(f"{name}: {sets[name].n_questions} questions", file=sys.stderr, flush=True)
    return sets


def table(sets: Mapping[str, Features], variants: Mapping[str, Weights]) -> Iterator[str]:
    """Rows of Markdown: the floors and the formula, or the formula and variants of it."""
    yield HEADER
    yield RULE
    for name, features in sets.items():
        if not variants:
            for floor in FLOORS:
                yield _row(name, floor, _floor(features, floor))
        yield _row(name, "formula", _formula(features, CHOSEN))
        for label, weights in variants.items():
            yield _row(name, label, _formula(features, weights))


def left_out_table(sets: Mapping[str, Features], *, n_questions: int, seed: int) -> Iterator[str]:
    """Rows of Markdown: today's relevance, the formula as chosen and as fitted on the others."""
    yield HEADER.removesuffix("|") + "| weights |"
    yield RULE + "---|"
    for each in leave_one_out(sets, n_questions=n_questions, seed=seed):
        features = sets[each.name]
        yield _row(each.name, "today", _floor(features, "today")) + " |"
        yield _row(each.name, "chosen, in sample", _formula(features, CHOSEN)) + " |"
        told = ", ".join(f"{part} {value:g}" for part, value in asdict(each.weights).items())
        yield f"{_row(each.name, 'left out', each.recall)} {told} |"


def _floor(features: Features, name: str) -> tuple[float, ...]:
    return mean_recall(features, lambda question: floors(features, question)[name])


def _formula(features: Features, weights: Weights) -> tuple[float, ...]:
    return mean_recall(features, lambda question: relevance(features, question, weights))


def _row(name: str, ranking: str, recalls: tuple[float, ...]) -> str:
    return f"| {name} | {ranking} | {' | '.join(f'{recall:.3f}' for recall in recalls)} |"


if __name__ == "__main__":
    sys.exit(main())
