"""The candidates' entries: one dict a row, the same fields whether it is packed or excluded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.packet.canonical import finite, iso_instant
from packhorse.packing.notice_room import room_with_notice
from packhorse.text.wellformed import well_formed
from packhorse.types.candidate import ALIKE, CLIPPED, RELEVANCE_PARTS

if TYPE_CHECKING:
    from packhorse.packet.assembly import Assembly
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.decision import Exclusion

__all__ = ["CHANNELS", "JUDGED_CHANNELS", "SIGNALS", "candidate_entries"]

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

JUDGED_CHANNELS = ("retrieval", "reranker")
"""Of candidates that a reranker judged: in the packet only where there is one."""


def candidate_entries(assembly: Assembly) -> tuple[list[Entry], list[Entry], int]:
    """Entries of what is in and of what is out, and how many numbers in them were not finite.

    What is in stands in reading order; its `tokens` are those of the certified text. What is out
    stands by rank, then what has no rank by score, then by chunk id.

    Raises:
        ValueError: a candidate has no decision, or two.
    """
    decisions = _exclusions(assembly)
    lost: list[float] = []
    shared = _shared_fields(assembly, lost)
    return _packed(assembly, shared), _excluded(assembly, shared, decisions), len(lost)


def _packed(assembly: Assembly, shared: Sequence[Entry]) -> list[Entry]:
    chunks = assembly.ranking.pool.chunks
    reasons = dict(assembly.packing.kept)
    tokens = assembly.rendered.block_tokens
    return [
        {
            **shared[row],
            "position": position,
            "tokens": cost,
            "packing_tokens": int(assembly.block_tokens[row]),
            "included_reason": well_formed(reasons[row].reason),
            "reason_code": reasons[row].code.value,
            "text": well_formed(chunks[row].text),
            "header": well_formed(chunks[row].header),
        }
        for position, (row, cost) in enumerate(zip(assembly.ordered, tokens, strict=True), start=1)
    ]


def _excluded(
    assembly: Assembly, shared: Sequence[Entry], decisions: Mapping[int, Exclusion]
) -> list[Entry]:
    # Without a budget there is no preamble, and what it would cost was never counted.
    is_known = bool(assembly.rendered.preamble_tokens) or not assembly.evidence_preamble.strip()
    entries = []
    for row, exclusion in decisions.items():
        entry = {
            **shared[row],
            "tokens": int(assembly.block_tokens[row]),
            "excluded_reason": well_formed(exclusion.reason),
            "reason_code": exclusion.code.value,
        }
        if exclusion.duplicate_of is not None:
            entry["duplicate_of"] = well_formed(exclusion.duplicate_of)
        if is_known and row in assembly.packing.would_fit_at:
            entry["would_fit_at_budget"] = _budget_at(assembly, assembly.packing.would_fit_at[row])
        entries.append(entry)
    return sorted(entries, key=_place)


def _budget_at(assembly: Assembly, room: int) -> int:
    """The budget of the section at which blocks get what packing into `room` gives them."""
    rendered, closing = assembly.rendered, assembly.packing.closing
    if closing is None:
        return int(room) + rendered.preamble_tokens + rendered.notice_tokens
    whole = room_with_notice(
        assembly.ranking,
        assembly.block_tokens,
        int(room),
        longest=closing.longest_tokens,
        kept=closing.kept_tokens,
    )
    return whole + rendered.preamble_tokens


def _place(entry: Entry) -> tuple[float, float, str]:
    rank, score = entry["rank"], entry["score"]
    return (
        math.inf if rank is None else rank,
        math.inf if score is None else -score,
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


def _shared_fields(assembly: Assembly, lost: list[float]) -> list[Entry]:
    """What every entry has, row by row."""
    pool, signals = assembly.ranking.pool, assembly.ranking.signals
    ranks: dict[int, int] = {row: place for place, row in enumerate(assembly.ranked, start=1)}
    columns: dict[str, list[Any]] = {
        "score": _floats(signals.score, lost),
        **{field: _floats(getattr(signals, name), lost) for name, field in SIGNALS.items()},
        **_channel_columns(pool, lost),
    }
    parts = _relevance_parts(pool, lost)
    return [
        {
            "chunk_id": well_formed(chunk.chunk_id),
            "source": well_formed(chunk.shown_source),
            "source_id": well_formed(chunk.source_id),
            "section_id": well_formed(chunk.section_id),
            "position_in_source": chunk.position_in_source,
            "timestamp": iso_instant(chunk.timestamp),
            "topic_tags": {well_formed(topic): finite(s, lost) for topic, s in chunk.topic_tags},
            "declared_trust": None
            if chunk.trust_score is None
            else finite(chunk.trust_score, lost),
            "content_hash": chunk.content_hash(),
            "text_tokens": int(assembly.text_tokens[row]),
            **_text_topics(pool, chunk),
            "rank": ranks.get(row),
            **{field: column[row] for field, column in columns.items()},
            **(parts[row] if parts else {}),
            **_expansion(pool, row, lost),
        }
        for row, chunk in enumerate(pool.chunks)
    ]


def _text_topics(pool: CandidatePool, chunk: Chunk) -> Entry:
    """What an untagged chunk's text offers; no field for a chunk that offers nothing."""
    mentions = (pool.mentions or {}).get(chunk.chunk_id, ())
    offered = {well_formed(each.topic): each.strength for each in mentions}
    return {"text_topics": offered} if offered else {}


def _relevance_parts(pool: CandidatePool, lost: list[float]) -> list[Entry]:
    """What each row's relevance is made of; nothing where retrieval does not say.

    What likeness came to, and what cutting to 0..1 took off or put on, is there where it is not 0:
    packets from before likeness counted are written as they were. All numbers of
    `relevance_parts` add up to the relevance. `named_as` and `followed_from` are there where the
    question names the chunk, or a mention led to it or lifted it.
    """
    if not pool.relevance_parts:
        return []
    columns = {name: _list(pool.relevance_parts[name]) for name in (*RELEVANCE_PARTS, CLIPPED)}
    entries: list[Entry] = []
    for row in range(len(pool)):
        values = {name: column[row] for name, column in columns.items()}
        for part in (ALIKE, CLIPPED):
            if not values[part]:
                del values[part]
        known = all(math.isfinite(value) for value in values.values())
        entry: Entry = {
            "relevance_parts": {name: finite(value, lost) for name, value in values.items()}
            if known
            else None
        }
        name = pool.named_as[row] if pool.named_as else None
        mention = pool.followed[row] if pool.followed else None
        if name is not None:
            entry["named_as"] = well_formed(name)
        if mention is not None:
            entry["followed_from"] = {
                "chunk_id": well_formed(mention.chunk_id),
                "name": well_formed(mention.name),
            }
        entries.append(entry)
    return entries


def _expansion(pool: CandidatePool, row: int, lost: list[float]) -> Entry:
    """Around which chunk a row stands, where it gained from that; nothing otherwise."""
    around = pool.around.get(row)
    if around is None:
        return {}
    return {
        "expanded_from": well_formed(around.chunk_id),
        "expanded_steps": around.steps,
        "own_relevance": finite(around.own, lost),
    }


def _channel_columns(pool: CandidatePool, lost: list[float]) -> dict[str, list[Any]]:
    """Rank and score in each channel, null where it did not find the chunk."""
    channels = {channel.name: channel for channel in pool.channels}
    columns: dict[str, list[Any]] = {}
    for name in (*CHANNELS, *(each for each in JUDGED_CHANNELS if each in channels)):
        channel = channels.get(name)
        ranks = [None] * len(pool) if channel is None else [r or None for r in _list(channel.ranks)]
        scores = ranks if channel is None else _floats(channel.scores, lost)
        columns[f"{name}_rank"] = ranks
        columns[f"{name}_score"] = [
            score if rank else None for rank, score in zip(ranks, scores, strict=True)
        ]
    return columns


def _floats(column: FloatArray | Sequence[float], lost: list[float]) -> list[float | None]:
    """The column as numbers of six decimals, null where one is not finite."""
    return [finite(float(value), lost) for value in _list(column)]


def _list(column: FloatArray | IntArray | Sequence[float]) -> Sequence[Any]:
    """Plain numbers, also from an array."""
    as_list = getattr(column, "tolist", None)
    values: Sequence[Any] = as_list() if as_list is not None else column  # type: ignore[assignment]  # an array has tolist
    return values
