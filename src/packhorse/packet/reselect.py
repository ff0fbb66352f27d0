"""What a packet holds so that selection can be run again from it alone.

Rows are candidates in the order of the packet: `packed_chunks`, then `excluded_chunks`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.packet.canonical import DECIMALS
from packhorse.rerank.composite import MILLIONTHS
from packhorse.rerank.copies import copies_among
from packhorse.rerank.deduplication import similarities

if TYPE_CHECKING:
    from packhorse.packet.assembly import Assembly
    from packhorse.types.arrays import FloatArray

__all__ = [
    "MAX_RECORDED",
    "attached_field",
    "copies_field",
    "packed_triangle",
    "similarities_field",
    "unpacked_triangle",
    "vector_text",
]

MAX_RECORDED = 256
"""Candidates up to which all pairs are recorded."""

_BYTES = 3
"""A whole number of millionths up to 1 takes 20 bits."""


def similarities_field(assembly: Assembly, rows: Sequence[int]) -> dict[str, Any] | None:
    """Cosines of all pairs; None when the pool has no vectors, no data when there are too many."""
    vectors = assembly.ranking.pool.vectors
    if vectors is None:
        return None
    is_recorded = len(rows) <= MAX_RECORDED
    between = vectors[list(rows)] if is_recorded else vectors[:0]
    return {
        "rows": len(rows),
        "millionths": packed_triangle(similarities(between, between)) if is_recorded else None,
    }


def copies_field(assembly: Assembly, rows: Sequence[int]) -> list[list[Any]] | None:
    """[row, row that gives its text, share of word triples], sorted; None for too many rows."""
    threshold = assembly.profile.get("dedup_threshold")
    if len(rows) > MAX_RECORDED:
        return None
    if threshold is None:
        return []
    chunks = assembly.ranking.pool.chunks
    copies = copies_among([chunks[row].text for row in rows], float(str(threshold)))
    return [
        [row, other, round(overlap, DECIMALS)]
        for row, others in sorted(copies.given_by.items())
        for other, overlap in sorted(others.items())
    ]


def packed_triangle(table: FloatArray) -> str:
    """What stands above the diagonal, row by row: three bytes each, lowest first, in base64."""
    above = table[np.triu_indices(len(table), 1)].astype("<u4")
    return base64.b64encode(above.view(np.uint8).reshape(-1, 4)[:, :_BYTES].tobytes()).decode()


def unpacked_triangle(text: str, n_rows: int) -> FloatArray:
    """(n, n) symmetric, whole millionths, 1 on the diagonal.

    Raises:
        ValueError: it is no base64, or not of that many rows.
    """
    data = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    n_pairs = n_rows * (n_rows - 1) // 2
    if data.size != n_pairs * _BYTES:
        raise ValueError(f"{data.size} bytes for {n_rows} rows")
    wide = np.zeros((n_pairs, 4), dtype=np.uint8)
    wide[:, :_BYTES] = data.reshape(-1, _BYTES)
    table = np.full((n_rows, n_rows), 0.0)
    table[np.triu_indices(n_rows, 1)] = wide.view("<u4").ravel()
    table += table.T
    np.fill_diagonal(table, MILLIONTHS)
    return table


def vector_text(vector: FloatArray | None) -> str | None:
    """Little-endian float32 in base64."""
    if vector is None:
        return None
    return base64.b64encode(np.asarray(vector).astype("<f4").tobytes()).decode("ascii")


def attached_field(assembly: Assembly) -> list[Mapping[str, Any]]:
    """Attached chunks in the order of attaching, with the vectors that no index has."""
    pool = assembly.ranking.pool
    return [
        {
            "chunk_id": pool.chunks[row].chunk_id,
            "vector": None if pool.vectors is None else vector_text(pool.vectors[row]),
        }
        for row, code in assembly.ranking.reserved
        if code.value == "attached"
    ]
