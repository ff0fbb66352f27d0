"""By score: best first, or best last (right before the question)."""

from collections.abc import Sequence

from packhorse.types.chunk import Chunk

__all__ = ["RelevanceOrderer", "ReverseOrderer"]


class RelevanceOrderer:
    """Best first: 1 2 3 4 5 6."""

    name = "relevance"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        return tuple(range(len(ranked)))


class ReverseOrderer:
    """Best last: 6 5 4 3 2 1."""

    name = "reverse"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        return tuple(reversed(range(len(ranked))))
