"""Chronological: oldest first, so that what is read last is what holds now."""

from collections.abc import Sequence
from datetime import UTC

from packhorse.types.chunk import Chunk

__all__ = ["ChronologicalOrderer"]


class ChronologicalOrderer:
    """By date, oldest first; chunks without a date last; ties by chunk id, source, position."""

    name = "chronological"

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Places in `ranked`, in reading order."""
        return tuple(sorted(range(len(ranked)), key=lambda place: _key(ranked[place])))


def _key(chunk: Chunk) -> tuple[bool, float, str, str, int]:
    date = chunk.timestamp
    # A naive date would be read in the machine's time zone; no zone means UTC here.
    seconds = (
        0.0 if date is None else (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    )
    return (date is None, seconds, chunk.chunk_id, chunk.source_id, chunk.position_in_source)
