"""Replays packets in a process of its own: `python -m tests.explain.replay_worker < lines`.

A line is a packet's path, a tab, and a knowledge base; what comes out is a line for each, empty
for the same bytes.
"""

import sys
from contextlib import ExitStack, closing
from pathlib import Path

from packhorse.api import open_kb
from packhorse.packet.packet import Packet

__all__ = ["main"]


def main() -> None:
    """Reads all lines, then answers."""
    with ExitStack() as stack:
        opened = {}
        for line in sys.stdin.read().splitlines():
            path, source = line.split("\t")
            if source not in opened:
                opened[source] = stack.enter_context(closing(open_kb(source)))
            told = Packet.from_json(Path(path).read_bytes()).replay(opened[source])
            answer = "" if told.same else str(told).replace("\n", " ")
            sys.stdout.write(f"{answer}\n")


if __name__ == "__main__":
    main()
