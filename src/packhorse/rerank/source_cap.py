"""The source cap: no more than so many chunks of one source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import IntArray
    from packhorse.types.chunk import Chunk

__all__ = ["capped", "source_numbers"]


def source_numbers(chunks: Sequence[Chunk]) -> IntArray:
    """(n,) the same number for every chunk of one source, in the order of first appearance."""
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(chunk.source_id, len(numbers)) for chunk in chunks], dtype=np.int64
    )


def capped(chunk: Chunk, cap: int | None) -> Exclusion:
    """Why a chunk was passed over: its source holds `cap` better-placed or required chunks."""
    return Exclusion(
        code=ExclusionCode.SOURCE_CAP,
        reason=f"source_cap ({chunk.source_id} has {cap} chunks ranked or required before it)",
    )
