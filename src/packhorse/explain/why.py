"""Why a candidate is in or out: sum, stages, what stood in the way, what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.explain.counterfactual import counterfactuals
from packhorse.explain.near_copies import near_copy
from packhorse.explain.no_candidate import no_candidate
from packhorse.explain.recorded import LeftOutError, entries_of
from packhorse.explain.selection import Selection
from packhorse.explain.stages import stages_by_id
from packhorse.packet.entries import ExcludedChunk, PackedChunk
from packhorse.packet.explanation import Cause, Explanation, Penalty, explain_entry
from packhorse.rerank.composite import MILLIONTHS
from packhorse.rerank.deduplication import similarities

if TYPE_CHECKING:
    from packhorse.config import RerankConfig
    from packhorse.protocols import KnowledgeBase

__all__ = ["explained"]

Document = Mapping[str, Any]


def explained(document: Document, chunk_id: str, kb: KnowledgeBase | None = None) -> Explanation:
    """The decision about a candidate, with everything behind it.

    Args:
        document: a packet's.
        chunk_id: the candidate.
        kb: what the packet was packed from; only needed above 256 candidates, where the packet
            does not hold all similarities. Without it, what would change the decision is not
            told there, and `note` says so.

    Raises:
        InputError: it was no candidate, or `kb` holds other texts by now.
    """
    entry = _entry(document, chunk_id, kb)
    told = _as_recorded(document, entry)
    try:
        selection = Selection(document, kb)
    except LeftOutError as error:
        return replace(
            told,
            note=f"What would change it needs the knowledge base. {error.message}. {error.hint}.",
        )
    return _told(selection, told, entry)


def _as_recorded(document: Document, entry: Document) -> Explanation:
    """What needs no selecting again: the decision, the sum, the stages."""
    view = PackedChunk.of(entry) if "position" in entry else ExcludedChunk.of(entry)
    entries = entries_of(document)
    n_ranked = sum(1 for each in entries if each["rank"] is not None)
    return replace(
        explain_entry(view, document["weights"], n_ranked),
        stages=stages_by_id(entries, document["weights"])[entry["chunk_id"]],
    )


def _told(selection: Selection, told: Explanation, entry: Document) -> Explanation:
    row = selection.recorded.row(entry["chunk_id"])
    difference = selection.difference()
    if difference:
        return replace(
            told, note=f"What would change it cannot be told: selecting again, {difference}."
        )
    return replace(
        told,
        penalty=_penalty(selection, row),
        cause=_cause(selection, row),
        counterfactuals=counterfactuals(selection, row),
        note=_note(selection),
    )


def _entry(document: Document, chunk_id: str, kb: KnowledgeBase | None) -> Document:
    entries = {entry["chunk_id"]: entry for entry in entries_of(document)}
    if chunk_id not in entries:
        raise no_candidate(document, chunk_id, list(entries), kb)
    return entries[chunk_id]


def _penalty(selection: Selection, row: int) -> Penalty | None:
    """The chosen chunk that the candidate is most like, as the ranking met it."""
    own, ranking = selection.recorded, selection.ranking()
    highest = round(float(ranking.signals.deduplication[row]) * MILLIONTHS)
    pool = own.pool
    if not highest or pool.vectors is None:
        return None
    keys = pool.vectors if pool.keys is None else pool.keys
    like = similarities(pool.vectors[[row]], keys)[0]
    # The walk starts from the required chunks, each compared with those before it.
    chosen = [other for other, _ in ranking.reserved] + list(ranking.order)
    if row in chosen:
        chosen = chosen[: chosen.index(row)]
    nearest = next((other for other in chosen if round(float(like[other])) == highest), None)
    if nearest is None:
        return None
    config = own.profile.rerank
    return Penalty(
        chunk_id=pool.chunks[nearest].chunk_id,
        similarity=highest / MILLIONTHS,
        score=round(-config.weights.deduplication * highest / MILLIONTHS, 6),
        value=round((1.0 - config.mmr_lambda) * highest / MILLIONTHS, 6),
    )


def _cause(selection: Selection, row: int) -> Cause | None:
    """The rule or the chunk in the way; for what is in, a near copy that it stands beside."""
    own, entry = selection.recorded, selection.recorded.entries[row]
    code = entry["reason_code"]
    if code == "duplicate":
        survivor = own.row(entry["duplicate_of"])
        overlap = own.copies.given_by[row][survivor]
        is_required = survivor in {each for each, _ in selection.ranking().reserved}
        detail = (
            f"{overlap:.1%} of its word triples stand in {entry['duplicate_of']}, which"
            f" {'is required' if is_required else 'comes first by trust, date and relevance'}"
        )
        return Cause(detail=detail, chunk_ids=(entry["duplicate_of"],), overlap=round(overlap, 6))
    if code == "source_cap":
        return _cap_cause(selection, row)
    if code == "origin_out":
        return _origin_cause(selection, row)
    if code in {"below_trust_threshold", "below_relevance_threshold", "stale"}:
        return _threshold_cause(selection, row, code)
    threshold = own.profile.rerank.dedup_threshold
    if "position" in entry and threshold is not None:
        return near_copy(entry, own.entries, threshold)
    return None


def _cap_cause(selection: Selection, row: int) -> Cause:
    """Who took the places of its source: required chunks, then by rank."""
    own, ranking = selection.recorded, selection.ranking()
    source = own.pool.chunks[row].source_id
    kept = {each for each, _ in selection.packing().kept}
    in_ranking = row in ranking.excluded
    holders = [
        own.pool.chunks[each].chunk_id
        for each in (*(required for required, _ in ranking.reserved), *ranking.order)
        if own.pool.chunks[each].source_id == source and (in_ranking or each in kept)
    ]
    cap = own.profile.rerank.max_per_source if in_ranking else own.constraints.max_per_source
    return Cause(
        detail=f"{source} may have {cap}; its places went to {', '.join(holders)}",
        chunk_ids=tuple(holders),
        value=float(len(holders)),
        limit=None if cap is None else float(cap),
    )


def _origin_cause(selection: Selection, row: int) -> Cause:
    """The chunk that it stands around, and why that is out."""
    own = selection.recorded
    origin = own.row(own.pool.around[row].chunk_id)
    chunk_id = own.pool.chunks[origin].chunk_id
    why = selection.packing().excluded[origin].reason
    return Cause(detail=f"{chunk_id} is out: {why}", chunk_ids=(chunk_id,))


def _threshold_cause(selection: Selection, row: int, code: str) -> Cause:
    own = selection.recorded
    config: RerankConfig = own.profile.rerank
    if code == "stale":
        limits = [days for days in (config.max_age_days, own.policy.max_age_days) if days]
        stamp = own.pool.chunks[row].timestamp
        age = 0.0 if stamp is None else (own.query.as_of - stamp).total_seconds() / 86_400
        limit = min(limits)
        return Cause(
            detail=f"{_ceil(age - limit)} days over the limit of {limit:g}",
            value=round(age, 6),
            limit=limit,
        )
    if code == "below_trust_threshold":
        name, value = "trust", own.pool.chunks[row].trust_score or 0.0
        limit = max(config.min_trust, own.policy.min_trust or 0.0)
    else:
        name, value = "relevance", float(own.pool.relevance[row])
        limit = config.min_relevance
    return Cause(
        detail=f"{name} is {limit - value:.6f} below the threshold of {limit:g}",
        value=value,
        limit=limit,
    )


def _ceil(days: float) -> str:
    """Rounded up to a tenth, so that what is over never looks like nothing."""
    return f"{np.ceil(days * 10) / 10:g}"


def _note(selection: Selection) -> str:
    """What the answers take for granted, where it is not certain."""
    own = selection.recorded
    notes = []
    given_way = own.budget - own.beside - own.room
    if given_way and own.budget:
        notes.append(
            f"Joined, the blocks count {given_way} tokens more than apart; budgets here take it"
            " that this stays so."
        )
    if own.pool.around:
        notes.append("What stands around a chunk keeps its relevance here when that one's changes.")
    return " ".join(notes)
