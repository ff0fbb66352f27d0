"""The second pass: from the best candidates to what they mention.

A question about two things is often answered by a chunk that shares no word with it, but is named
where the question points. So the four best candidates hand on relevance to what they mention:

    gain(d, s) = w * strength of the mention of d in s * relevance of s / highest relevance
    w          = mention_weight * (n + unnamed_share * (1 - n))
    n          = how surely the question names anything: min(1, 2 * highest strength)

and d has at most `mention_limit` of the relevance of s after it: what is mentioned helps to
understand where it is mentioned, and does not go before it. Of several mentions the one with the
highest gain counts, not their sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.types.candidate import Mention

if TYPE_CHECKING:
    from packhorse.config import RetrievalConfig
    from packhorse.protocols import Reference
    from packhorse.types.arrays import BoolArray, FloatArray

__all__ = ["SEEDS", "Gains", "gains", "no_gains", "seeds", "strongest", "weight_of_mentions"]

SEEDS = 4
"""Candidates that hand on relevance."""

_DECIMALS = 6
_SURE_NAME = 2.0
"""A name of half the highest strength already says that the question is about named things."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gains:
    """What mentions add to each row."""

    values: FloatArray
    """(n,), 0 or more."""
    mentions: tuple[Mention | None, ...]
    """Of each row the mention with the highest gain; None for a row that nothing mentions."""


def no_gains(n: int) -> Gains:
    """Nothing, for n rows."""
    return Gains(values=np.zeros(n), mentions=(None,) * n)


def strongest(references: Sequence[Reference]) -> dict[str, Reference]:
    """Chunk id -> the strongest reference to it, ties by name; by chunk id."""
    ordered = sorted(references, key=lambda each: (each.chunk_id, -each.strength, each.name))
    found: dict[str, Reference] = {}
    for reference in ordered:
        found.setdefault(reference.chunk_id, reference)
    return found


def weight_of_mentions(config: RetrievalConfig, named: Mapping[str, Reference]) -> float:
    """What a sure mention in the best chunk adds: less where the question names nothing."""
    highest = max((reference.strength for reference in named.values()), default=0.0)
    sure = min(1.0, _SURE_NAME * highest)
    return config.mention_weight * (sure + config.unnamed_share * (1.0 - sure))


def seeds(first: FloatArray, eligible: BoolArray) -> list[int]:
    """The best `SEEDS` eligible rows, best first, ties by row; none of relevance 0 or less."""
    rounded = np.round(first, _DECIMALS)
    rounded[~eligible | ~np.isfinite(rounded)] = 0.0
    order = np.lexsort((np.arange(len(first)), -rounded))[:SEEDS]
    return [row for row in order.tolist() if rounded[row] > 0]


def gains(
    first: FloatArray,
    references: Mapping[str, Sequence[Reference]],
    row_of: Mapping[str, int],
    *,
    weight: float,
    limit: float,
) -> Gains:
    """What each row gains from the rows that mention it.

    Args:
        first: (n,) relevance before mentions, not cut to 0..1.
        references: chunk id of each seed, best first -> what it mentions.
        row_of: chunk id -> row, of every candidate.
        weight: of a sure mention in the best seed.
        limit: highest relevance after it, as a share of the seed's.
    """
    values = np.zeros(len(first))
    mentions: list[Mention | None] = [None] * len(first)
    highest = max((float(first[row_of[seed]]) for seed in references), default=1.0)
    for seed, named in references.items():
        own = float(first[row_of[seed]])
        for target, reference in strongest(named).items():
            row = row_of.get(target)
            if row is None or target == seed or not np.isfinite(first[row]):
                continue
            gain = weight * reference.strength * own / highest
            gain = round(min(gain, limit * own - float(first[row])), _DECIMALS)
            # A better seed comes first and keeps what it has by a tie.
            if mentions[row] is None or gain > values[row]:
                mentions[row] = Mention(chunk_id=seed, name=reference.name)
                values[row] = max(gain, 0.0)
    return Gains(values=values, mentions=tuple(mentions))
