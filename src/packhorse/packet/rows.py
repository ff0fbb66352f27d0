"""The candidates' entries: one dict a row, the same fields whether it is packed or excluded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.packet.canonical import DECIMALS, iso_instant

if TYPE_CHECKING:
    from packhorse.packet.assembly import Assembly
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.candidate import CandidatePool, Channel
    from packhorse.types.decision import Exclusion

__all__ = ["CHANNELS", "SIGNALS", "excluded_entries", "packed_entries"]

Entry = dict[str, Any]

SIGNALS: Mapping[str, str] = {
    "relevance": "relevance_score",
    "trust": "trust_score",
    "freshness": "freshness_score",
    "coverage": "coverage_bonus",
    "deduplication": "dedup_penalty",
}
"""Name of a signal and of its weight -> field of an entry."""

CHANNELS = ("lexical", "dense")


def packed_entries(assembly: Assembly) -> list[Entry]:
    """Entries of what is in, in reading order; `tokens` are those of the certified text."""
    shared = _shared_fields(assembly)
    chunks = assembly.ranking.pool.chunks
    reasons = dict(assembly.packing.kept)
    entries = []
    tokens = assembly.rendered.block_tokens
    for position, (row, cost) in enumerate(zip(assembly.ordered, tokens, strict=True), start=1):
        chunk, inclusion = chunks[row], reasons[row]
        entries.append(
            {
                **shared[row],
                "position": position,
                "tokens": cost,
                "included_reason": inclusion.reason,
                "reason_code": inclusion.code.value,
                "text": chunk.text,
                "header": chunk.header,
            }
        )
    return entries


def excluded_entries(assembly: Assembly) -> list[Entry]:
    """Entries of what is out: by rank, then those without a rank by score, then by chunk id.

    Raises:
        ValueError: a candidate has no decision, or two.
    """
    shared = _shared_fields(assembly)
    decisions = _exclusions(assembly)
    beside = assembly.rendered.preamble_tokens + assembly.rendered.notice_tokens
    # Without a budget there is no preamble, and what it would cost was never counted.
    is_known = bool(assembly.rendered.preamble_tokens) or not assembly.evidence_preamble.strip()
    entries = []
    for row, exclusion in decisions.items():
        entry = {
            **shared[row],
            "tokens": int(assembly.block_tokens[row]),
            "excluded_reason": exclusion.reason,
            "reason_code": exclusion.code.value,
        }
        if exclusion.duplicate_of is not None:
            entry["duplicate_of"] = exclusion.duplicate_of
        if is_known and row in assembly.packing.would_fit_at:
            entry["would_fit_at_budget"] = int(assembly.packing.would_fit_at[row]) + beside
        entries.append(entry)
    return sorted(entries, key=_place)


def _place(entry: Entry) -> tuple[float, float, str]:
    rank, score = entry["rank"], entry["score"]
    return (
        math.inf if rank is None else rank,
        -score if math.isfinite(score) else math.inf,
        entry["chunk_id"],
    )


def _exclusions(assembly: Assembly) -> Mapping[int, Exclusion]:
    """Row -> why it is out, once it is certain that every row has exactly one decision."""
    kept = [row for row, _ in assembly.packing.kept]
    excluded = assembly.packing.excluded
    decided = sorted([*kept, *excluded])
    if decided != list(range(len(assembly.ranking.pool))):
        raise ValueError(
            f"{len(assembly.ranking.pool)} candidates and the decisions {decided} do not match"
        )
    if sorted(assembly.ordered) != sorted(kept):
        raise ValueError("the reading order is no permutation of what was packed")
    return excluded


def _shared_fields(assembly: Assembly) -> list[Entry]:
    """What every entry has, row by row."""
    pool, signals = assembly.ranking.pool, assembly.ranking.signals
    ranks: dict[int, int] = {row: place for place, row in enumerate(assembly.ranked, start=1)}
    columns: dict[str, list[Any]] = {
        "score": _floats(signals.score),
        **{field: _floats(getattr(signals, name)) for name, field in SIGNALS.items()},
        **_channel_columns(pool),
    }
    return [
        {
            "chunk_id": chunk.chunk_id,
            "source": chunk.shown_source,
            "source_id": chunk.source_id,
            "section_id": chunk.section_id,
            "position_in_source": chunk.position_in_source,
            "timestamp": iso_instant(chunk.timestamp),
            "topic_tags": dict(chunk.topic_tags),
            "declared_trust": chunk.trust_score,
            "content_hash": chunk.content_hash(),
            "text_tokens": int(assembly.text_tokens[row]),
            "rank": ranks.get(row),
            **{field: column[row] for field, column in columns.items()},
        }
        for row, chunk in enumerate(pool.chunks)
    ]


def _channel_columns(pool: CandidatePool) -> dict[str, list[Any]]:
    """Rank and score in each channel, null where it did not find the chunk."""
    channels = {channel.name: channel for channel in pool.channels}
    columns: dict[str, list[Any]] = {}
    for name in CHANNELS:
        ranks, scores = _channel(channels.get(name), len(pool))
        columns[f"{name}_rank"] = ranks
        columns[f"{name}_score"] = scores
    return columns


def _channel(channel: Channel | None, n: int) -> tuple[list[Any], list[Any]]:
    if channel is None:
        return [None] * n, [None] * n
    ranks = [int(rank) or None for rank in _list(channel.ranks)]
    scores = _floats(channel.scores)
    return ranks, [score if rank else None for rank, score in zip(ranks, scores, strict=True)]


def _floats(column: FloatArray | Sequence[float]) -> list[float]:
    """The column as Python floats, rounded; what is not finite is left for the document."""
    return [round(float(value), DECIMALS) for value in _list(column)]


def _list(column: FloatArray | IntArray | Sequence[float]) -> Sequence[Any]:
    """Plain numbers, also from an array."""
    as_list = getattr(column, "tolist", None)
    values: Sequence[Any] = as_list() if as_list is not None else column  # type: ignore[assignment]  # an array has tolist
    return values
