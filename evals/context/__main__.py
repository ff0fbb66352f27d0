"""Measures chunk size and expansion over public sets: `python -m evals.context --data DIR`."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from evals.context.documents import SETS, documents_of
from evals.context.measure import BUDGETS, Figures, measured
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.embed.remembered import VECTORS_FILE, RememberedEmbedder
from packhorse.errors import PackhorseError
from packhorse.indexing.cache import cache_root

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (64, 128, 256, 320, 512)
HEADER = f"| set | chunk tokens | expand | {' | '.join(f'{budget} tokens' for budget in BUDGETS)} |"
RULE = "|---|---:|---|" + "---:|" * len(BUDGETS)
MOST_VECTORS = 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Prints rows of Markdown; returns the exit code: 2 where there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.context", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="tokens of a chunk")
    parser.add_argument("--questions", type=int, default=150, help="of each set, evenly spread")
    parser.add_argument("--rules", action="store_true", help="other ways to compete, beside these")
    parser.add_argument("--cache", type=Path, help="where vectors are kept")
    asked = parser.parse_args(arguments)
    embedder = RememberedEmbedder(
        MiniLmEmbedder(), cache_root(asked.cache) / VECTORS_FILE, max_rows=MOST_VECTORS
    )
    print(f"{HEADER}\n{RULE}", flush=True)
    for name in asked.sets.split(","):
        try:
            documents, questions = documents_of(asked.data / name)
        except PackhorseError as error:
            print(f"[ERROR] {error.message}\n[HINT] {error.hint}", file=sys.stderr)
            return 2
        some = questions[:: max(1, len(questions) // asked.questions)]
        for size in map(int, asked.sizes.split(",")):
            found = measured(documents, some, size, embedder, with_rules=asked.rules)
            for line in rows(name, size, found):
                print(line, flush=True)
    return 0


def rows(name: str, size: int, found: Mapping[str, Figures]) -> Iterator[str]:
    """A row of Markdown for each way: evidence and surroundings at each budget."""
    for way, figures in found.items():
        cells = [f"{_shown(evidence)} {_shown(around)}" for evidence, around in figures]
        yield f"| {name} | {size} | {way} | {' | '.join(cells)} |"


def _shown(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"  # noqa: PLR0124 - true of NaN alone


if __name__ == "__main__":
    sys.exit(main())
