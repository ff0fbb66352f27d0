"""How many sources stand behind the packed chunks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Diversity, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import VerifyConfig
    from packhorse.types.chunk import Chunk

__all__ = ["diversity_check", "measure_diversity"]


def measure_diversity(packed: Sequence[Chunk]) -> Diversity:
    """Counts sources. The same text under two sources counts as one source.

    A repeated text is counted for a source that holds some text of its own, else for the first
    of its sources by name. `largest_share` is over the chunks as they are.
    """
    if not packed:
        return Diversity(unique_sources=0, largest_share=0.0)
    sources: dict[str, set[str]] = {}
    for chunk in packed:
        key = " ".join(chunk.text.casefold().split())
        sources.setdefault(key, set()).add(chunk.source_id)
    independent = {next(iter(ids)) for ids in sources.values() if len(ids) == 1}
    for ids in sorted(sorted(ids) for ids in sources.values() if len(ids) > 1):
        if not independent.intersection(ids):
            independent.add(ids[0])
    share = _largest(packed)[1] / len(packed)
    return Diversity(unique_sources=len(independent), largest_share=round(share, 6))


def diversity_check(packed: Sequence[Chunk], diversity: Diversity, config: VerifyConfig) -> Check:
    """Warns when two or more chunks stand on one source, or on one as far as the config allows.

    Without a `max_source_share` it tells the number and warns of nothing.
    """
    n_sources = diversity.unique_sources
    detail = f"{n_sources} unique source{'' if n_sources == 1 else 's'}"
    limit = config.max_source_share
    if limit is None or len(packed) < 2:  # noqa: PLR2004 - one chunk cannot come from two sources
        return Check(name="diversity", status=Status.PASS, detail=detail)
    source, count = _largest(packed)
    if count == len(packed):
        reason = f"all {count} chunks come from {source}"
    elif n_sources == 1:
        reason = f"all {len(packed)} chunks repeat the text of {source}"
    elif diversity.largest_share >= limit:
        reason = f"{source} holds {count} of {len(packed)} chunks"
    else:
        return Check(name="diversity", status=Status.PASS, detail=detail)
    return Check(name="diversity", status=Status.WARN, detail=f"{detail} ({reason})")


def _largest(packed: Sequence[Chunk]) -> tuple[str, int]:
    """The source with the most chunks, ties by name, and how many it has."""
    counts = Counter(chunk.source_id for chunk in packed)
    return min(counts.items(), key=lambda item: (-item[1], item[0]))
