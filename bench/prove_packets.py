"""Tries at length what the suite tries in samples: replays, and the changes that `why` names.

Usage: python bench/prove_packets.py [replays|changes] [--n N] [--jobs N]

`replays`: random requests over the two fixtures; each packet is made again by a process of its
own, under a hash seed of its own, and has to come out byte for byte. `changes`: for every
excluded chunk of random packets, selecting again with the change that `why` names has to flip the
decision, and with one step less not. Exit code 1 when anything is otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from packhorse.api import open_kb  # noqa: E402 - the tests' generators need the path above
from packhorse.errors import BudgetError  # noqa: E402 - as above
from packhorse.explain.counterfactual import counterfactuals  # noqa: E402 - as above
from packhorse.explain.selection import Selection  # noqa: E402 - as above
from packhorse.packet.packet import Packet  # noqa: E402 - as above
from tests.explain.changes import changed  # noqa: E402 - as above
from tests.explain.random_packs import random_packets, random_request  # noqa: E402 - as above

__all__ = ["main"]

SOURCES = (ROOT / "fixtures" / "tax_kb", ROOT / "fixtures" / "medical_kb")


def fixture_packets(seed: int) -> Iterator[tuple[Path, Packet]]:
    """Packets over the fixtures and what each was packed from, without end."""
    attachments = sorted((ROOT / "fixtures" / "prompts").glob("*.md"))[:2]
    chance = random.Random(seed)  # noqa: S311 - drawn the same way each time, and no secret
    with closing(open_kb(SOURCES[0])) as tax, closing(open_kb(SOURCES[1])) as medical:
        while True:
            which = chance.randrange(2)
            kb = (tax, medical)[which]
            request = random_request(chance, kb, attachments)
            try:
                yield SOURCES[which], request.pack(kb)
            except BudgetError:
                continue


def replays(n_packets: int, jobs: int) -> int:
    """Packs, then replays each packet in a fresh process; returns how many differ."""
    with tempfile.TemporaryDirectory() as folder:
        made: list[tuple[int, Path, Path]] = []
        for number, (source, packet) in enumerate(islice(fixture_packets(2026), n_packets)):
            path = Path(folder) / f"{number}.json"
            path.write_bytes(packet.to_json().encode())
            made.append((number, path, source))

        def replayed(one: tuple[int, Path, Path]) -> str:
            number, path, source = one
            command = [sys.executable, "-m", "packhorse", "replay", str(path), "--kb", str(source)]
            environment = {**os.environ, "PYTHONHASHSEED": str(1 + number)}
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, env=environment
            )
            return "" if done.returncode == 0 else f"{number}: {done.stdout}{done.stderr}"

        with ThreadPoolExecutor(jobs) as pool:
            different = [told for told in pool.map(replayed, made) if told]
    print("\n".join(different))
    print(f"replays: {n_packets - len(different)} of {n_packets} identical, byte for byte")
    return len(different)


def wrong_changes(data: str) -> tuple[Counter[str], list[str]]:
    """Counts of what `why` names for the excluded chunks of a packet, and what is not so."""
    document = Packet.from_json(data).document
    finding, trying = Selection(document), Selection(document)
    counts: Counter[str] = Counter()
    wrong = []
    if difference := finding.difference():
        wrong.append(difference)
    for row, entry in enumerate(finding.recorded.entries):
        if "position" in entry:
            continue
        counts["chunks"] += 1
        for told in counterfactuals(finding, row):
            counts[f"{told.kind} {'flips' if told.flips else 'does not flip'}"] += 1
            if not told.flips:
                continue
            flipped = row in trying.chosen(changed(told.kind, told.becomes, row))
            stays = told.stays_at is None or row not in trying.chosen(
                changed(told.kind, told.stays_at, row)
            )
            if not (flipped and stays):
                wrong.append(f"{document['trace_id']} {entry['chunk_id']}: {told}")
    return counts, wrong


def changes(n_packets: int, jobs: int) -> int:
    """Half of the packets over the fixtures, half over random words; returns how many are wrong."""
    half = n_packets // 2
    data = [packet.to_json() for _, packet in islice(fixture_packets(2027), n_packets - half)]
    data += [packet.to_json() for _, _, packet in islice(random_packets(2027), half)]
    counts: Counter[str] = Counter()
    wrong = []
    with ProcessPoolExecutor(jobs) as pool:
        for found, amiss in pool.map(wrong_changes, data):
            counts += found
            wrong += amiss
    print("\n".join(wrong))
    for name, count in sorted(counts.items()):
        print(f"  {name:<24}{count:>7}")
    print(f"changes: {n_packets} packets, {counts['chunks']} excluded chunks, {len(wrong)} wrong")
    return len(wrong)


def main() -> int:
    """Runs what was asked for and prints the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("replays", "changes"))
    parser.add_argument("--n", type=int, help="packets; 1,000 to replay, 200 to change")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    begun = time.perf_counter()
    if given.what == "replays":
        n_wrong = replays(given.n or 1_000, given.jobs)
    else:
        n_wrong = changes(given.n or 200, given.jobs)
    print(f"took {time.perf_counter() - begun:.0f} s")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
