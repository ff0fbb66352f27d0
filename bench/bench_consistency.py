"""Measures conflict detection on labelled pairs, and times it on ten chunks of 300 words.

Usage: python bench/bench_consistency.py DATA_DIR [--show N]

DATA_DIR holds a folder for each data set with a `pairs.jsonl`: one object a line with `a.text`,
`b.text`, `label` (`conflict` or `agree`) and `kind`. A pair counts as flagged when at least one
conflict is found in it: for `conflict` that is recall, for `agree` it is a false alarm.
`--show N` prints the first N false alarms of each set.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.types.chunk import Chunk
from packhorse.verify.consistency import find_conflicts

if TYPE_CHECKING:
    from packhorse.types.verdict import Conflict

N_CHUNKS = 10
N_WORDS = 300
ROUNDS = 51


def read_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The pairs of one data set."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def conflicts_of(pair: dict[str, Any]) -> tuple[Conflict, ...]:
    """What is found when both texts are packed together."""
    return find_conflicts(
        [Chunk(chunk_id=side, source_id=side, text=str(pair[side]["text"])) for side in ("a", "b")]
    )


def measure(path: Path, n_shown: int) -> None:
    """Prints one row for each label and kind of pair."""
    totals: Counter[tuple[str, str]] = Counter()
    flagged: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    shown = 0
    for pair in read_pairs(path):
        group = (str(pair["label"]), str(pair["kind"]))
        totals[group] += 1
        found = conflicts_of(pair)
        if found:
            flagged[group][found[0].kind] += 1
        if found and pair["label"] == "agree" and shown < n_shown:
            shown += 1
            print(f"    {found[0].kind}: {found[0].a}\n        {found[0].b}")
    for group in sorted(totals):
        label, kind = group
        n_flagged = flagged[group].total()
        kinds = ", ".join(f"{name} {n}" for name, n in sorted(flagged[group].items()))
        name = f"{path.parent.name} {label} {kind}"
        print(f"{name:<45} {totals[group]:>6} {n_flagged / totals[group]:>8.1%}  {kinds}")


def time_it(path: Path) -> None:
    """Prints the median of a warm run over ten chunks made of the set's own texts."""
    words = " ".join(str(pair["b"]["text"]) for pair in read_pairs(path)).split(" ")
    packed = [
        Chunk(
            chunk_id=f"c{n}", source_id="s", text=" ".join(words[n * N_WORDS : (n + 1) * N_WORDS])
        )
        for n in range(N_CHUNKS)
    ]
    start = time.perf_counter()
    find_conflicts(packed)
    cold = time.perf_counter() - start
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        find_conflicts(packed)
        rounds.append(time.perf_counter() - start)
    warm = statistics.median(rounds)
    print(
        f"{path.parent.name}: {N_CHUNKS} chunks of {N_WORDS} words,"
        f" warm {warm * 1000:.2f} ms (median of {ROUNDS}), cold {cold * 1000:.0f} ms"
    )


def main() -> None:
    """Prints the table, then the times."""
    parser = argparse.ArgumentParser(description="Recall and false alarms of conflict detection")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    print(f"{'set, label, kind':<45} {'pairs':>6} {'flagged':>8}  kinds")
    paths = sorted(arguments.data_dir.glob("*/pairs.jsonl"))
    for path in paths:
        measure(path, arguments.show)
    for path in paths:
        time_it(path)


if __name__ == "__main__":
    main()
