"""A build that ends itself without any clean-up when it has come as far as it was told.

python crash_build.py KB_DIR N_CHUNKS WORD STAGE SHARE
"""

import os
import signal
import sys
from pathlib import Path

from packhorse.kb.writer import IndexWriter
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk


def chunks(n: int, word: str) -> list[Chunk]:
    """Numbered chunks; every third has the word in it."""
    return [
        Chunk(
            chunk_id=f"c{i:05d}",
            source_id=f"s{i % 7}",
            text=f"passage {i} about {word if i % 3 == 0 else 'refunds'} number {i % 11}",
        )
        for i in range(n)
    ]


class Deadly:
    """Progress that kills its own process at a share of one stage."""

    def __init__(self, stage: str, share: float, expected: int) -> None:
        self._deadly, self._at = stage, max(1, int(share * expected))
        self._now, self._done = "read", 0

    def stage(self, name: str, total: int | None) -> None:
        """Notes the stage."""
        del total
        self._now, self._done = name, 0

    def advance(self, n: int) -> None:
        """Counts, and kills."""
        self._done += n
        if self._now == self._deadly and self._done >= self._at:
            os.kill(os.getpid(), signal.SIGKILL)


def build(folder: Path, n: int, word: str, progress: Deadly | None = None) -> None:
    """One whole run of the writer."""
    with IndexWriter(
        folder, embedder=WordEmbedder(), embedder_name="words", progress=progress
    ) as writer:
        writer.stage("origin", chunks(n, word))
        writer.commit()


if __name__ == "__main__":
    _, where, count, named, stage, share = sys.argv
    build(Path(where), int(count), named, Deadly(stage, float(share), int(count)))
