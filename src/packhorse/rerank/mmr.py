"""Maximal marginal relevance on bare vectors, as Carbonell and Goldstein (1998) wrote it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from packhorse.types.arrays import FloatArray

__all__ = ["mmr"]


def mmr(
    vectors: npt.ArrayLike | Sequence[Sequence[float]],
    query_vector: npt.ArrayLike | Sequence[float],
    k: int,
    lambda_: float = 0.7,
) -> list[int]:
    """Indices of up to `k` vectors, in the order of choice.

    Each step takes the vector with the highest

        lambda * cos(vector, query) - (1 - lambda) * max(cos(vector, chosen))

    where the maximum is 0 while nothing is chosen. Cosines and values have six decimals; equal
    values go to the lower index. A vector of length 0 is similar to nothing.
    `FiveSignalReranker` does the same with the composite score in the place of the first cosine.

    Args:
        vectors: (n, d), of any length.
        query_vector: (d,).
        k: how many to choose; all of them, in order, when there are fewer.
        lambda_: 1.0 is relevance alone, 0.0 diversity alone.

    Raises:
        ConfigError: `lambda_` is outside 0..1, or `k` is negative.
        InputError: the shapes do not match, or a number is not finite.

    Example:
        >>> mmr([[1.0, 0.0], [0.999, 0.045], [0.6, 0.8]], [1.0, 0.0], 2, lambda_=0.0)
        [0, 2]
    """
    if not (math.isfinite(lambda_) and 0.0 <= lambda_ <= 1.0):
        raise ConfigError(
            f"lambda_ is {lambda_}, outside 0..1",
            hint="1.0 is relevance alone, 0.0 diversity alone",
        )
    if k < 0:
        raise ConfigError(f"k is {k}, below 0", hint="Choose 0 or more")
    rows, query = _directions(vectors, query_vector)
    relevance = np.round(rows @ query, 6)
    highest = np.zeros(relevance.size, dtype=np.float64)
    taken = np.zeros(relevance.size, dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(k, relevance.size):
        value = np.round(lambda_ * relevance - (1.0 - lambda_) * highest, 6)
        best = int(np.where(taken, -np.inf, value).argmax())
        similarity = np.round(rows @ rows[best], 6)
        highest = np.maximum(highest, similarity) if chosen else similarity
        taken[best] = True
        chosen.append(best)
    return chosen


def _directions(
    vectors: npt.ArrayLike, query_vector: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Rows and query scaled to length 1, in float64; length 0 stays 0."""
    try:
        query = np.asarray(query_vector, dtype=np.float64)
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as exc:
        raise InputError(
            "mmr: vectors are not numbers of one length", hint="Give every vector the same length"
        ) from exc
    if rows.size == 0:
        rows = rows.reshape(0, query.size)
    if query.ndim != 1 or rows.ndim != 2 or rows.shape[1] != query.size:  # noqa: PLR2004 - axes
        raise InputError(
            f"mmr: vectors have the shape {rows.shape}, the query {query.shape}",
            hint="Give (n, d) vectors and a query of d numbers",
        )
    if not (np.isfinite(rows).all() and np.isfinite(query).all()):
        raise InputError(
            "mmr: a vector holds a number that is not finite", hint="Leave that vector out"
        )
    return _unit(rows), _unit(query[None, :])[0]


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit: FloatArray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
