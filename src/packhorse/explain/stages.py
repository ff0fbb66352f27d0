"""Where each candidate of a packet stood at each stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhorse.packet.explanation import Stage
from packhorse.packet.rows import CHANNELS, JUDGED_CHANNELS, SIGNALS

__all__ = ["stages_by_id"]

Document = Mapping[str, Any]


def stages_by_id(
    entries: Sequence[Document], weights: Mapping[str, float]
) -> dict[str, tuple[Stage, ...]]:
    """Chunk id -> its stages: `lexical`, `dense`, `fused`, `reranked`, `mmr`.

    Where a reranker of the user's judged, `retrieval` and `reranker` stand before `fused`.

    Args:
        entries: all candidates of a packet.
        weights: of the packet.
    """
    fused = {each["chunk_id"]: each["relevance_score"] for each in entries}
    own = {each["chunk_id"]: _own_score(each, weights) for each in entries}
    ranks = {"fused": _ranks(fused), "reranked": _ranks(own)}
    n_ranked = sum(1 for each in entries if each["rank"] is not None)
    return {
        entry["chunk_id"]: (
            *_channels(entry),
            _stage("fused", entry, fused, ranks["fused"]),
            _stage("reranked", entry, own, ranks["reranked"]),
            Stage(
                name="mmr",
                rank=entry["rank"],
                of=n_ranked,
                score=entry["score"] if entry["rank"] else None,
            ),
        )
        for entry in entries
    }


def _channels(entry: Document) -> Iterator[Stage]:
    for name in (*CHANNELS, *JUDGED_CHANNELS):
        if f"{name}_rank" not in entry:
            continue
        rank = entry[f"{name}_rank"]
        yield Stage(name=name, rank=rank, of=None, score=entry[f"{name}_score"] if rank else None)


def _own_score(entry: Document, weights: Mapping[str, float]) -> float | None:
    """What relevance, trust and freshness come to, before coverage and diversity."""
    values = {name: entry[SIGNALS[name]] for name in ("relevance", "trust", "freshness")}
    if any(value is None for value in values.values()):
        return None
    return float(round(sum(weights[name] * float(each) for name, each in values.items()), 6))


def _ranks(scores: Mapping[str, float | None]) -> dict[str, int]:
    """Rank by score, ties by chunk id, among all candidates that have one."""
    known = sorted((-score, chunk_id) for chunk_id, score in scores.items() if score is not None)
    return {chunk_id: place for place, (_, chunk_id) in enumerate(known, start=1)}


def _stage(
    name: str, entry: Document, scores: Mapping[str, float | None], ranks: Mapping[str, int]
) -> Stage:
    chunk_id = entry["chunk_id"]
    return Stage(name=name, rank=ranks.get(chunk_id), of=len(ranks), score=scores[chunk_id])
