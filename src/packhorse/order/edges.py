"""Edges: ranks alternate from both ends, so that quality falls towards the middle."""

from collections.abc import Sequence

from packhorse.types.chunk import Chunk

__all__ = ["EdgesOrderer"]


class EdgesOrderer:
    """Odd ranks from the front, even ranks from the back: 1 3 5 6 4 2."""

    name = "edges"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        places = range(len(ranked))
        return (*places[::2], *reversed(places[1::2]))
