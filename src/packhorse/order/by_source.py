"""By source: passages of one document stand together, as they follow each other there."""

from collections.abc import Sequence

from packhorse.types.chunk import Chunk

__all__ = ["SourceOrderer"]


class SourceOrderer:
    """Sources by their best rank; inside a source by position, then chunk id."""

    name = "source"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        best: dict[str, int] = {}
        for place, chunk in enumerate(ranked):
            best.setdefault(chunk.source_id, place)

        def key(place: int) -> tuple[int, int, str]:
            chunk = ranked[place]
            return (best[chunk.source_id], chunk.position_in_source, chunk.chunk_id)

        return tuple(sorted(range(len(ranked)), key=key))
