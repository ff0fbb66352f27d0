"""How fast an index is built, searched and opened, and how much memory that takes.

    python bench/bench_index.py [--passages N] [--search-passages N]

Passages are made of words drawn by a fixed rule, 100 words each. Prints passages a second without
vectors and with the static embedder (its own time apart), the peak of memory of a build in a
process of its own, the latency of warm searches, and the time to open an index cold.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from packhorse.config import KnowledgeBasePolicy
from packhorse.embed.registry import embedder
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.types.chunk import Chunk

POLICY = KnowledgeBasePolicy(name="bench")
WORDS_A_PASSAGE = 100
VOCABULARY = 30_000
ENDINGS = ("", "", "s", "ed", "ing", "ation")


def passages(n: int) -> Iterator[Chunk]:
    """Chunks of words whose frequencies fall as they do in a language (Zipf)."""
    chance = random.Random(20_260_115)  # noqa: S311 - made-up text
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [
        "".join(chance.choices(letters, k=chance.randint(3, 9))) + chance.choice(ENDINGS)
        for _ in range(VOCABULARY)
    ]
    weights = [1 / (rank + 2) for rank in range(VOCABULARY)]
    for number in range(n):
        text = " ".join(chance.choices(words, weights, k=WORDS_A_PASSAGE))
        yield Chunk(chunk_id=f"p{number:07d}", source_id=f"s{number // 20}", text=f"{text}.")


class Timed:
    """An embedder that keeps its own time."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.fingerprint: str = inner.fingerprint
        self.dimension: int = inner.dimension
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Any:
        """Embeds, and adds the time it took."""
        start = time.perf_counter()
        rows = self._inner.embed(texts)
        self.seconds += time.perf_counter() - start
        return rows


def build(folder: Path, chunks: Sequence[Chunk], name: str) -> tuple[float, float]:
    """Seconds of a whole build, and those of them that the embedder took."""
    found = embedder(name)
    model = Timed(found) if found else None
    if model:
        model.embed(["load"])
        model.seconds = 0.0
    start = time.perf_counter()
    with IndexWriter(folder, embedder=model, embedder_name=name) as writer:
        writer.stage("bench", chunks)
        writer.commit()
    return time.perf_counter() - start, model.seconds if model else 0.0


def bench_build(folder: Path, n: int) -> None:
    """Passages a second, first build and unchanged run."""
    chunks = list(passages(n))
    for name in ("none", "static"):
        total, embedding = build(folder / name, chunks, name)
        rest = total - embedding
        print(
            f"build, embedder {name:6}: {n} passages in {total:.2f} s, embedding {embedding:.2f} s;"
            f" {n / rest:,.0f} passages/s without embedding"
        )
        again, _ = build(folder / name, chunks, name)
        print(f"  again, nothing changed: {again:.2f} s, {n / again:,.0f} passages/s")


def bench_memory(folder: Path, n: int) -> None:
    """Peak resident memory of builds of two sizes, each in a process of its own."""
    code = (
        "import sys, resource; sys.path.insert(0, sys.argv[1]); import bench_index as b;"
        "from pathlib import Path; n = int(sys.argv[3]);"
        "w = b.IndexWriter(Path(sys.argv[2]), embedder=None);"
        "w.stage('bench', b.passages(n)); w.commit(); w.close();"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    for size in (n, 4 * n):
        command = [sys.executable, "-c", code, str(Path(__file__).parent), str(folder / f"m{size}")]
        done = subprocess.run([*command, str(size)], check=True, capture_output=True, text=True)
        print(f"memory: {size} streamed passages, peak {done.stdout.strip()} MB")


def bench_search(folder: Path, n: int) -> None:
    """Latency of warm hybrid searches, and of fetching what they found."""
    chunks = list(passages(n))
    build(folder, chunks, "static")
    kb = LocalKnowledgeBase(folder, policy=POLICY)
    model = embedder("static")
    texts = [" ".join(chunk.text.split()[:8]) for chunk in chunks[:200]]
    vectors: Any = model.embed(texts) if model else []
    times: list[tuple[float, float]] = []
    for text, vector in zip(texts, vectors, strict=True):
        start = time.perf_counter()
        found = kb.search(text, vector, 100)
        middle = time.perf_counter()
        kb.get([hit.chunk_id for hit in found.lexical])
        times.append((middle - start, time.perf_counter() - middle))
    search, get = (statistics.median(column) * 1000 for column in zip(*times[20:], strict=True))
    print(f"search over {n} passages: p50 {search:.2f} ms, fetching 100 chunks {get:.2f} ms")
    kb.close()


def bench_open(folder: Path) -> None:
    """Time of opening an index in a fresh process, imports apart and together."""
    code = (
        "import sys, time; a = time.perf_counter(); from packhorse.indexing.open import open_kb;"
        "b = time.perf_counter(); kb = open_kb(sys.argv[1]); c = time.perf_counter();"
        "print(b - a, c - b)"
    )
    runs = []
    for _ in range(5):
        command = [sys.executable, "-c", code, str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append([float(part) * 1000 for part in done.stdout.split()])
    imports, opening = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"cold open: imports {imports:.0f} ms, opening {opening:.0f} ms")


def main() -> None:
    """Runs all of it in a temporary directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--search-passages", type=int, default=5_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench_build(folder, asked.passages)
        bench_memory(folder, asked.passages)
        bench_search(folder / "search", asked.search_passages)
        bench_open(folder / "search")


if __name__ == "__main__":
    main()
