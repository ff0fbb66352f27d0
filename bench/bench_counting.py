"""Counting speed: toktok through our counter, tiktoken, and characters / 4, side by side.

Prints the median of several rounds for short texts in a batch, short texts one by one, and one
long text, with ratios to tiktoken taken in the same run. `python bench/bench_counting.py`
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.registry import counter_for, counter_named
from tests.tokens.oracle import oracle

ROUNDS = 7
ENCODING = "o200k_base"
SENTENCE = (
    "A home office that is used regularly and exclusively for business may be deducted; see"
    " Publication 587 (2024), page 12: $5 per square foot, at most 300 square feet.\n"
    "自宅の一部を事業に使う場合の経費は按分します。\n"
    "    return min(area_sqft, 300) * RATE  # Publication 587\n"
)
SHORT = [f'<evidence n="{n}">\n{SENTENCE * 3}</evidence>\n' for n in range(2_000)]
LONG = "".join(SHORT)


def median_ms(work: Callable[[], object]) -> float:
    """Median of the rounds, in milliseconds, after one round that is not counted."""
    work()
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        took.append(1_000 * (time.perf_counter() - start))
    return statistics.median(took)


def naive(texts: list[str]) -> list[int]:
    """A quarter of the characters: what is fast and wrong."""
    return [(len(text) + 3) // 4 for text in texts]


def main() -> None:
    """Times every way of counting on every workload and prints the table."""
    ours, theirs = counter_named(ENCODING), oracle(ENCODING)
    estimate, cached = counter_for("claude-sonnet-4-5"), CachedCounter(ours)
    counted, expected = ours.count(LONG), len(theirs.encode_ordinary(LONG))
    workloads: dict[str, dict[str, Callable[[], object]]] = {
        f"{len(SHORT)} blocks in a batch": {
            "tiktoken": lambda: theirs.encode_ordinary_batch(SHORT, num_threads=1),
            "toktok": lambda: ours.count_batch(SHORT),
            "toktok, estimate": lambda: estimate.count_batch(SHORT),
            "toktok, cached": lambda: cached.count_batch(SHORT),
            "characters / 4": lambda: naive(SHORT),
        },
        f"{len(SHORT)} blocks one by one": {
            "tiktoken": lambda: [len(theirs.encode_ordinary(text)) for text in SHORT],
            "toktok": lambda: [ours.count(text) for text in SHORT],
            "characters / 4": lambda: [naive([text]) for text in SHORT],
        },
        f"one text of {len(LONG):,} characters": {
            "tiktoken": lambda: theirs.encode_ordinary(LONG),
            "toktok": lambda: ours.count(LONG),
            "characters / 4": lambda: naive([LONG]),
        },
    }
    for title, ways in workloads.items():
        print(title)
        baseline = median_ms(ways["tiktoken"])
        for name, work in ways.items():
            took = baseline if name == "tiktoken" else median_ms(work)
            print(f"  {name:<18} {took:9.3f} ms   {baseline / took:8.1f} x tiktoken")
    off = 100 * (naive([LONG])[0] - expected) / expected
    print(f"tokens: toktok {counted:,}, tiktoken {expected:,}, characters / 4 off by {off:+.1f} %")
    if counted != expected:
        sys.exit("toktok and tiktoken disagree")


if __name__ == "__main__":
    main()
