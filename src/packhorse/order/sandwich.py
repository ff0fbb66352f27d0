"""Sandwich: the two best chunks at the two ends, where a model reads most closely."""

from collections.abc import Sequence

from packhorse.types.chunk import Chunk

__all__ = ["SandwichOrderer"]


class SandwichOrderer:
    """Best first, second-best last, the rest descending between: 1 3 4 5 6 2.

    After Liu et al., "Lost in the Middle" (2023). Rank 1 is first and rank 2 last for odd and
    even numbers of chunks alike.
    """

    name = "sandwich"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        places = range(len(ranked))
        return (*places[:1], *places[2:], *places[1:2])
