"""Times fitting a long conversation: anew, with counts remembered, and turn by turn as it grows.

Usage: python -m bench.bench_window [--messages 2000] [--limit 32000] [--rounds 15]

The conversation has messages of 30 to 140 words, 257 thousand tokens in 2,000 of them, and goes
into 32 thousand. Everything takes turns in one run, and each row is a ratio to counting the texts
of all messages once, which nobody who fits exactly can do without. "Cold" remembers no counts;
"warm" has them all. "Grows" is one more message and the request that fits after it, by a
conversation that has so many messages already. Times are medians of the wall, and the least of the
process: on a machine that is shared the latter says what the work is. Exits with 1 when a goal is
missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.workloads import VOCABULARY, texts_like
from packhorse.tokens.registry import counter_named
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import counter_with_memory, fit_messages

__all__ = ["long_conversation", "main"]

POLICIES = ("sliding", "blocks")
WORDS = (30, 136)
GOALS = {"cold": 4.0, "warm": 1.7, "grows": 0.17}
"""Ratios: 25 and 10 milliseconds, and one, where counting once takes six."""
GROWN = 100
"""Turns that are appended one by one."""

Spent = tuple[float, float]
"""Milliseconds of the wall, and of the process."""


def long_conversation(n: int, seed: int = 7) -> list[dict[str, Any]]:
    """So many messages, a system prompt first, then user and assistant in turn."""
    texts = texts_like(np.random.default_rng(seed), n - 1, *WORDS)
    roles = ("user", "assistant")
    return [
        {"role": "system", "content": "You are terse."},
        *({"role": roles[at % 2], "content": text} for at, text in enumerate(texts)),
    ]


def timed(call: Callable[[], object]) -> Spent:
    """What one call takes."""
    wall, process = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1_000, (time.process_time() - process) * 1_000


def told(spent: list[Spent]) -> Spent:
    """The median of the wall, and the least of the process."""
    return statistics.median(wall for wall, _ in spent), min(cpu for _, cpu in spent)


def fits(talk: list[dict[str, Any]], limit: int, rounds: int) -> Iterator[tuple[str, Spent]]:
    """(what, milliseconds) of whole conversations."""
    counter = counter_named(VOCABULARY)
    texts = [message["content"] for message in talk]
    calls: dict[str, Callable[[], object]] = {"count": lambda: counter.count_batch(texts)}
    for policy in POLICIES:

        def fit(policy: str = policy) -> object:
            return fit_messages(talk, max_tokens=limit, policy=policy)

        def cold(fit: Callable[[], object] = fit) -> object:
            counter_with_memory.cache_clear()
            return fit()

        calls |= {f"cold, {policy}": cold, f"warm, {policy}": fit}
    spent: dict[str, list[Spent]] = {name: [] for name in calls}
    for turn in range(rounds + 1):
        for name, call in calls.items():
            found = timed(call)
            if turn:  # the first round warms up
                spent[name].append(found)
    yield from ((name, told(each)) for name, each in spent.items())


def grows(talk: list[dict[str, Any]], n: int, limit: int) -> Iterator[tuple[str, Spent]]:
    """(what, milliseconds) of one more turn, after so many."""
    for policy in POLICIES:
        history = GrowingConversation(talk[:n], max_tokens=limit, policy=policy)
        history.fitted()

        def one_more(
            message: dict[str, Any], history: GrowingConversation = history
        ) -> tuple[Any, ...]:
            history.append(message)
            return history.fitted().messages

        spent = [timed(partial(one_more, message)) for message in talk[n : n + GROWN]]
        yield f"grows, {policy}, {n:,} before", told(spent)


def main() -> int:
    """Prints a line a case; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--limit", type=int, default=32_000)
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    talk = long_conversation(asked.messages + GROWN)
    whole = talk[: asked.messages]
    tokens = sum(fit_messages(whole, max_tokens=asked.limit).fitted.costs)
    print(f"{asked.messages:,} messages, {tokens:,} tokens, into {asked.limit:,}\n")
    print(f"{'':36} {'wall ms':>9} {'cpu ms':>9}   of counting once (cpu)")
    rows = [*fits(whole, asked.limit, asked.rounds)]
    for before in (asked.messages // 10, asked.messages):
        rows += grows(talk, before, asked.limit)
    base = rows[0][1][1]
    missed = False
    for name, (wall, cpu) in rows:
        goal = GOALS.get(name.partition(",")[0], 1.0)
        is_over = cpu / base > goal
        missed = missed or is_over
        more = f"   over the goal of {goal}" if is_over else ""
        print(f"{name:36} {wall:9.2f} {cpu:9.2f} {cpu / base:9.3f}{more}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
