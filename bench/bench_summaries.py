"""Measures what a summary of quoted sentences keeps, beside the latest messages of the same size.

Usage: python -m bench.bench_summaries DATA

DATA is a folder with the set sgd (see `bench_history`). Everything before the last word of the user
is summarised; a value is kept where the summary says it as it was said. The summary's first line
counts, as in a request; the messages of the window cost the tokens of `speaker: text`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.bench_history import lines_of
from packhorse.tokens.registry import counter_for
from packhorse.window.summary.extractive import extract
from packhorse.window.summary.told import Head, Quote, Told, rendered

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["main", "values_kept"]

ROOMS = (64, 128, 256)


def values_kept(folder: Path, room: int) -> tuple[float, float, float]:
    """Mean share of slot values in the summary and in the latest messages, and tokens summarised.

    Args:
        folder: with `conversations.jsonl` and `queries.jsonl`.
        room: tokens for either.
    """
    counter = counter_for("gpt-4o")
    talks = {talk["id"]: talk["turns"] for talk in lines_of(folder / "conversations.jsonl")}
    summary: list[float] = []
    window: list[float] = []
    sizes: list[int] = []
    for query in lines_of(folder / "queries.jsonl"):
        turns = talks[query["conversation"]][: query["turn_index"] + 1]
        told, turn = [], 0
        for at, each in enumerate(turns[:-1]):
            turn += each["speaker"] == "user"
            role = "user" if each["speaker"] == "user" else "assistant"
            told.append(Told(at, turn, role, each["text"]))
        cost = partial(_cost, counter, Head(turn, len(told)))
        found = extract(told, room, turns[-1]["text"], counter, cost)
        left, latest = room, []
        lines = [f"{each.role}: {each.text}" for each in told]
        for line in reversed(lines):
            left -= counter.count(line)
            if left < 0:
                break
            latest.append(line)
        sizes.append(sum(counter.count_batch(lines)))
        for texts, shares in (([q.text for q in found.quotes], summary), (latest, window)):
            said = "\n".join(texts).casefold()
            values = [fact["value"].casefold() for fact in query["facts"]]
            shares.append(sum(value in said for value in values) / len(values))
    return statistics.fmean(summary), statistics.fmean(window), statistics.fmean(sizes)


def _cost(counter: TokenCounter, head: Head, quotes: Sequence[Quote]) -> int:
    return counter.count(rendered(head, "", quotes))


def main() -> None:
    """Prints a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data / "sgd"
    print("tokens  summary  latest messages  (of tokens)")
    for room in ROOMS:
        summary, window, size = values_kept(folder, room)
        print(f"{room:6}  {summary:7.3f}  {window:15.3f}  {size:11.0f}")


if __name__ == "__main__":
    main()
