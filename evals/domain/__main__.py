"""Measures the domain check over public sets: `python -m evals.domain --data DIR`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evals.domain.collect import FAR, INSIDE, NEAR, measured
from evals.domain.features import FEATURES
from evals.domain.plot import roc_plot
from evals.domain.roc import area, curve, highest_threshold, rates
from evals.domain.small import small_corpora
from packhorse.config import RetrievalConfig
from packhorse.errors import PackhorseError
from packhorse.evaluate.corpus import remembered_embedder
from packhorse.indexing.cache import cache_root
from packhorse.retrieve.domain import MINILM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evals.domain.collect import Measured

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
KINDS = ((FAR, "far"), (NEAR, "near"))
SHIPPED = (
    ("relevance", MINILM.closeness),
    ("share", RetrievalConfig().min_domain_share),
)
"""The figures that the product goes by, with vectors and without."""


def main(arguments: list[str] | None = None) -> int:
    """Prints the tables and draws the curves; 2 where there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.domain", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--questions", type=int, default=100, help="of each set")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--cache", type=Path, help="where indexes and vectors are kept")
    parser.add_argument("--plot", type=Path, help="writes the curves there, as an SVG")
    parser.add_argument("--small", action="store_true", help="corpora of few chunks instead")
    asked = parser.parse_args(arguments)
    if asked.small:
        for line in small_corpora(
            asked.data,
            n_questions=asked.questions,
            embedder=remembered_embedder(asked.embedder, cache_root(asked.cache)),
        ):
            print(line, flush=True)
        return 0
    corpora: list[Measured] = []
    try:
        for each in measured(
            asked.data,
            ROOT / "fixtures",
            HERE / "questions.yaml",
            n_questions=asked.questions,
            embedder=asked.embedder,
            cache=cache_root(asked.cache),
        ):
            corpora.append(each)
            print(f"{each.corpus}: {len(each.kinds)} questions", file=sys.stderr, flush=True)
    except PackhorseError as error:
        print(f"[ERROR] {error.message}\n[HINT] {error.hint}", file=sys.stderr)
        return 2
    tables = (areas, figures, wordless, thresholds)
    for line in (line for table in tables for line in (*table(corpora), "")):
        print(line)
    if asked.plot:
        asked.plot.write_text(plot(corpora), encoding="utf-8")
    return 0


def areas(corpora: Sequence[Measured]) -> Iterator[str]:
    """Rows of Markdown: the area under the curve of every figure, by corpus and over all."""
    yield f"| corpus | outside questions | {' | '.join(FEATURES)} |"
    yield "|---|---|" + "---:|" * len(FEATURES)
    for kind, kind_name in KINDS:
        found = []
        for each in corpora:
            if (each.kinds == kind).any():
                row = [area(each.column(f, INSIDE), each.column(f, kind)) for f in FEATURES]
                found.append(row)
                yield _row(each.corpus, kind_name, row)
        yield _row("**mean**", kind_name, np.mean(found, axis=0))
        pooled = [area(_all(corpora, f, INSIDE), _all(corpora, f, kind)) for f in FEATURES]
        yield _row("**all as one**", kind_name, pooled)


def thresholds(corpora: Sequence[Measured]) -> Iterator[str]:
    """Rows of Markdown: errors at the shipped threshold, and at the one chosen elsewhere."""
    yield (
        "| figure | corpus | shipped: false alarm | far missed | near missed | chosen without it |"
        " false alarm | far missed | near missed |"
    )
    yield "|---|---|" + "---:|" * 7
    for figure, shipped in SHIPPED:
        rows = []
        for each in corpora:
            others = [other for other in corpora if other is not each]
            chosen = highest_threshold(_all(others, figure, INSIDE))
            row = [*_errors(each, figure, shipped), chosen, *_errors(each, figure, chosen)]
            rows.append(row)
            yield _row(figure, each.corpus, row)
        yield _row(figure, "**mean**", np.nanmean(np.array(rows), axis=0))


def figures(corpora: Sequence[Measured]) -> Iterator[str]:
    """Rows of Markdown: what each figure would miss at the same false alarm over all questions."""
    yield "| figure | threshold chosen on all | false alarm | far missed | near missed |"
    yield "|---|" + "---:|" * 4
    for figure in FEATURES:
        inside, far, near = (_all(corpora, figure, kind) for kind in (INSIDE, FAR, NEAR))
        chosen = highest_threshold(inside)
        at = rates(inside, far, chosen)
        yield _row(figure, (chosen, at.false_alarm, at.miss, rates(inside, near, chosen).miss))
    either = [
        np.maximum(_all(corpora, "nearest", kind) / 0.35, _all(corpora, "overlap", kind) / 0.5)
        for kind in (INSIDE, FAR, NEAR)
    ]
    at, beside = (rates(either[0], others, 1.0) for others in either[1:])
    yield _row("nearest >= 0.35 or overlap >= 0.50", (np.nan, at.false_alarm, at.miss, beside.miss))
    close, sure = MINILM.closeness, MINILM.sure_cosine
    either = [
        np.maximum(_all(corpora, "relevance", kind) / close, _all(corpora, "nearest", kind) / sure)
        for kind in (INSIDE, FAR, NEAR)
    ]
    at, beside = (rates(either[0], others, 1.0) for others in either[1:])
    name = f"relevance >= {close:.2f} or nearest >= {sure:.2f}"
    yield _row(name, (np.nan, at.false_alarm, at.miss, beside.miss))


def wordless(corpora: Sequence[Measured]) -> Iterator[str]:
    """Rows of Markdown: what the check says of the same questions were none of their words known.

    A question in words of its own has the cosine that it has and a lexical share of 0: closeness
    is half its cosine.
    """
    close, sure = MINILM.closeness, MINILM.sure_cosine
    inside, far, near = (_all(corpora, "nearest", kind) for kind in (INSIDE, FAR, NEAR))
    yield "| no word in common | false alarm | far missed | near missed |"
    yield "|---|" + "---:|" * 3
    for name, threshold in (
        (f"nearest / 2 >= {close:.2f}", 2 * close),
        (f"nearest / 2 >= {close:.2f} or nearest >= {sure:.2f}", min(2 * close, sure)),
    ):
        at, beside = (rates(inside, others, threshold) for others in (far, near))
        yield _row(name, (at.false_alarm, at.miss, beside.miss))


def plot(corpora: Sequence[Measured]) -> str:
    """All corpora as one: each figure that the product goes by or could, and the shipped points."""
    shown = (*(figure for figure, _ in SHIPPED), "nearest", "overlap")
    titles = {FAR: "Questions of another field", NEAR: "Questions of a neighbouring set"}
    panels = [
        (
            titles[kind],
            {
                _TITLES[figure]: curve(_all(corpora, figure, INSIDE), _all(corpora, figure, kind))
                for figure in shown
            },
        )
        for kind, _ in KINDS
    ]
    marks = {}
    for kind, _ in KINDS:
        at = [
            rates(_all(corpora, figure, INSIDE), _all(corpora, figure, kind), threshold)
            for figure, threshold in SHIPPED
        ]
        marks[titles[kind]] = [(each.false_alarm, 1 - each.miss) for each in at]
    return roc_plot(panels, marks)


_TITLES = {
    "relevance": "closeness (used with vectors)",
    "share": "lexical share (used without)",
    "nearest": "highest cosine",
    "overlap": "share of words in one chunk",
}


def _all(corpora: Sequence[Measured], figure: str, kind: int) -> np.ndarray:
    return np.concatenate([each.column(figure, kind) for each in corpora])


def _errors(each: Measured, figure: str, threshold: float) -> tuple[float, float, float]:
    inside = each.column(figure, INSIDE)
    far, near = (each.column(figure, kind) for kind, _ in KINDS)
    missed = rates(inside, far, threshold)
    near_missed = rates(inside, near, threshold).miss if near.size else float("nan")
    return missed.false_alarm, missed.miss, near_missed


def _row(*cells: object) -> str:
    *names, numbers = cells
    shown = ["" if np.isnan(x) else f"{x:.3f}" for x in np.asarray(numbers, dtype=np.float64)]
    return f"| {' | '.join([*map(str, names), *shown])} |"


if __name__ == "__main__":
    sys.exit(main())
