"""Start-up and packing times: medians, and ratios to bare starts measured in the same run.

    python bench/bench_startup.py [--rounds N]

Absolute times differ between machines and between runs on one machine; the ratio to `python -c
pass` and `import numpy`, taken side by side, differs less.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = str(Path(sys.executable).with_name("packhorse"))
QUESTION = "Can I deduct home office expenses?"
KB = str(ROOT / "fixtures" / "tax_kb")

BARE, NUMPY = "python -c pass", "python -c 'import numpy'"
GOALS = {
    "import packhorse": 0.1,
    "packhorse --help": 0.2,
    "packhorse pack, cold": 1.0,
    "packhorse.pack, warm, without the embedding": 0.010,
}
"""Seconds at most, on the reference machine of two cores."""


def main() -> int:
    """Measures, prints a table, and returns 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure start-up and packing")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        times = {**measure_processes(folder, rounds), **measure_warm(rounds)}
    print(f"medians of {rounds} rounds, seconds")
    print(f"{'what':46} {'median':>8} {'goal':>6} {'/ bare':>7} {'/ numpy':>8}")
    missed = False
    for name, seconds in times.items():
        goal = GOALS.get(name)
        missed |= goal is not None and seconds > goal
        shown = f"{goal:6.2f}" if goal else " " * 6
        ratios = f"{seconds / times[BARE]:7.2f} {seconds / times[NUMPY]:8.2f}"
        print(f"{name:46} {seconds:8.4f} {shown} {ratios}")
    return 1 if missed else 0


def measure_processes(folder: str, rounds: int) -> dict[str, float]:
    """Whole processes, the commands taking turns, so that a slow minute hits all of them."""
    pack = ["pack", "--query", QUESTION, "--kb", KB, "--budget", "2800", "--out", f"{folder}/out"]
    commands = {
        BARE: [sys.executable, "-c", "pass"],
        NUMPY: [sys.executable, "-c", "import numpy"],
        "import packhorse": [sys.executable, "-c", "import packhorse"],
        "packhorse --help": [PROGRAM, "--help"],
        "packhorse pack, cold": [PROGRAM, *pack],
    }
    for command in commands.values():  # fills the file caches, and the index of the sample
        run(command)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(timed(lambda command=command: run(command)))  # type: ignore[misc]  # mypy cannot infer a lambda's default
    return {name: statistics.median(values) for name, values in times.items()}


def measure_warm(rounds: int) -> dict[str, float]:
    """`packhorse.pack` in this process: with the query's embedding, and what is left without it."""
    import packhorse

    kb = packhorse.open_kb(KB)
    embedder = kb.embedder()

    def pack() -> None:
        packhorse.pack(QUESTION, kb, budget=2800, candidates=50)

    def embed() -> None:
        if embedder is not None:
            embedder.embed([QUESTION])

    pack()
    both = [(timed(pack), timed(embed)) for _ in range(max(rounds, 30))]
    return {
        "packhorse.pack, warm": statistics.median(whole for whole, _ in both),
        "packhorse.pack, warm, without the embedding": statistics.median(
            whole - part for whole, part in both
        ),
    }


def timed(action: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run(command: list[str]) -> None:
    """Runs a command to its end; a packet with a warning is an answer too."""
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{command} failed: {done.stderr.decode('utf-8', 'replace')}")


if __name__ == "__main__":
    sys.exit(main())
