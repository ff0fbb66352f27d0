"""Relevance: what words, meaning, names, mentions, length and likeness say of each candidate.

    relevance = mean of words and meaning + named + mention + length + alike, cut to 0..1

    named    w_named * how surely the question names the chunk
    mention  what the chunk gains from where it is mentioned, see `follow`
    length   -w_length * ln(characters / mean characters of what was found), at most one w_length
             either way
    alike    what the chunk gains or loses by what is most like it, see `alike`

A sum, so that the packet can show what each part came to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.kb.searchable import searchable_length
from packhorse.retrieve.fusion import channel_shares, fused
from packhorse.types.candidate import CLIPPED, RELEVANCE_PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import RetrievalConfig
    from packhorse.types.arrays import BoolArray, FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["Relevance", "combined", "length_part"]

_DECIMALS = 6
_MILLIONTHS = 1e6
_FURTHEST = 1.0
"""Chunks that are e times as long as the mean, or a part of e, have the whole weight."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relevance:
    """Of each candidate, and what it is made of."""

    values: FloatArray
    """(n,) 0..1, six decimals; NaN where a channel gave no finite number."""
    parts: Mapping[str, FloatArray]
    """Name -> (n,), six decimals: those of `RELEVANCE_PARTS` and what was cut off (`CLIPPED`).
    Together they are `values`."""


def length_part(chunks: Sequence[Chunk], found: BoolArray, weight: float) -> FloatArray:
    """(n,) what each chunk gains by being shorter than the mean of those found, or loses.

    A long chunk holds more words by chance, and takes the place of several others.
    """
    if not weight or not found.any():
        return np.zeros(len(chunks))
    characters = np.array([max(1, searchable_length(chunk)) for chunk in chunks])
    mean = float(characters[found].mean())
    # By the standard library: NumPy's logarithm differs between processors.
    ratio = np.array([math.log(each / mean) for each in characters.tolist()])
    part: FloatArray = -weight * np.clip(ratio, -_FURTHEST, _FURTHEST)
    return part


def combined(
    lexical: FloatArray,
    dense: FloatArray | None,
    *,
    named: FloatArray,
    mention: FloatArray,
    length: FloatArray,
    alike: FloatArray,
    config: RetrievalConfig,
) -> Relevance:
    """The sum, and its parts.

    Args:
        lexical: (n,) share of what the query could reach, 0..1.
        dense: (n,) cosines; None without vectors.
        named: (n,) what each row gains.
        mention: (n,) what each row gains.
        length: (n,) what each row gains or loses.
        alike: (n,) what each row gains or loses.
        config: weights of the channels.
    """
    weights = (config.lexical_weight, config.dense_weight)
    total = fused(lexical, dense, *weights) + named + mention + length + alike
    values = np.round(np.clip(total, 0.0, 1.0), _DECIMALS)
    each = (*channel_shares(lexical, dense, *weights), named, mention, length, alike)
    return Relevance(values=values, parts=_adding_up(each, total, values))


def _adding_up(
    each: Sequence[FloatArray], total: FloatArray, values: FloatArray
) -> Mapping[str, FloatArray]:
    """The parts in whole millionths; what rounding leaves over goes to the largest of a row."""
    whole = np.rint(np.stack(each) * _MILLIONTHS)
    sums = np.rint(total * _MILLIONTHS)
    largest = np.abs(whole).argmax(axis=0)
    rows = np.arange(len(total))
    whole[largest, rows] += sums - whole.sum(axis=0)
    whole[:, np.isnan(total)] = np.nan
    parts = dict(zip(RELEVANCE_PARTS, whole, strict=True))
    parts[CLIPPED] = np.rint(values * _MILLIONTHS) - sums
    # Adding 0 makes -0 a plain 0.
    return {name: part / _MILLIONTHS + 0.0 for name, part in parts.items()}
