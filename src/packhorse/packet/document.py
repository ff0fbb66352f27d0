"""The packet as plain data: everything that was decided, and everything that decided it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from packhorse.packet.canonical import identify, iso_instant, plain
from packhorse.packet.reselect import (
    attached_field,
    copies_field,
    similarities_field,
    vector_text,
)
from packhorse.packet.rows import candidate_entries
from packhorse.packet.sections import sections_fields
from packhorse.render.messages import openai_message
from packhorse.text.wellformed import well_formed
from packhorse.types.ledger import FIXED_LINES
from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from packhorse.packet.assembly import Assembly
    from packhorse.types.query import Query
    from packhorse.types.verdict import Claim, Conflict

__all__ = ["BUDGET_FIELDS", "SCHEMA_VERSION", "Document", "build_document"]

Document = dict[str, Any]

SCHEMA_VERSION = "1"

BUDGET_FIELDS = (
    "total_window",
    *FIXED_LINES,
    "output_reservation",
    "available_evidence",
    "evidence_budget",
    "evidence_preamble",
    "mandatory_evidence",
    "packed_evidence",
    "remaining_unused",
    "utilization",
)


def build_document(assembly: Assembly) -> Document:
    """The packet of one run, as JSON-able data with hashes; see the packet's JSON Schema.

    A number that is not finite becomes null, and the check `numbers` warns about it. `status` is
    `valid` when every check passes.

    Raises:
        ValueError: a candidate has no decision, or two; a fault of a stage, never of the input.
    """
    packed, excluded, n_lost = candidate_entries(assembly)
    rows = _rows(assembly, (*packed, *excluded))
    document, n_more = plain(_content(assembly))
    document["packed_chunks"] = packed
    document["excluded_chunks"] = excluded
    document["similarities"] = similarities_field(assembly, rows)
    document["copies"] = copies_field(assembly, rows)
    checks = [_check(check) for check in _checks(assembly, n_lost + n_more)]
    document["checks"] = checks
    passed = all(check["status"] == Status.PASS.value for check in checks)
    document["status"] = "valid" if passed else "warning"
    identify(document)
    return dict(sorted(document.items()))


def _rows(assembly: Assembly, entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Row in the pool of each entry."""
    row_of = {
        well_formed(chunk.chunk_id): row for row, chunk in enumerate(assembly.ranking.pool.chunks)
    }
    return [row_of[entry["chunk_id"]] for entry in entries]


def _content(assembly: Assembly) -> Document:
    query, verdict = assembly.query, assembly.verdict
    return {
        "schema_version": SCHEMA_VERSION,
        "query": query.text,
        "query_type": query.query_type,
        "query_type_by": asdict(query.type_by),
        "as_of": iso_instant(query.as_of),
        "query_vector": vector_text(query.vector),
        **_rewritten(query),
        "model": assembly.model,
        "tokenizer": _tokenizer(assembly),
        "kb": _kb(assembly),
        "profile": assembly.profile,
        "weights": asdict(assembly.weights),
        "note": assembly.ranking.pool.note,
        "budget": _budget(assembly),
        "coverage": _coverage(assembly),
        "consistency": {
            "status": "conflict" if verdict.conflicts else "clean",
            "conflicts": [_conflict(conflict) for conflict in verdict.conflicts],
        },
        "diversity": asdict(verdict.diversity),
        "packing": _packing(assembly),
        "made_with": None if assembly.made_with is None else asdict(assembly.made_with),
        "rendered": _rendered(assembly),
        "request": _request(assembly),
        "history": _history(assembly),
        **_reranker(assembly),
        **sections_fields(assembly.beside),
    }


def _rewritten(query: Query) -> Document:
    """What was searched with, and what the conversation put into it; nothing without one."""
    rewritten = query.rewritten
    if rewritten is None:
        return {}
    return {
        "searched": {
            "text": rewritten.text,
            "added": [each._asdict() for each in rewritten.added],
            "reason": rewritten.reason,
        }
    }


def _reranker(assembly: Assembly) -> Document:
    """What a reranker of the user's did; nothing without one."""
    told = assembly.ranking.pool.reranked
    return {} if told is None else {"reranker": asdict(told)}


def _tokenizer(assembly: Assembly) -> Document:
    """What counted; nothing about a calibration, vocabulary file or template without one."""
    shown = asdict(assembly.tokenizer)
    optional = ("calibration", "vocabulary", "template")
    return {name: value for name, value in shown.items() if name not in optional or value}


def _budget(assembly: Assembly) -> Document:
    names = [*BUDGET_FIELDS, *(["calibration"] if assembly.tokenizer.calibration else [])]
    return {name: getattr(assembly.ledger, name) for name in names}


def _checks(assembly: Assembly, n_lost: int) -> list[Check]:
    """All checks, those of the pipeline first."""
    checks = [*assembly.checks, *assembly.verdict.checks]
    if n_lost:
        detail = f"{n_lost} numbers were not finite and are null in this packet"
        checks.append(Check(name="numbers", status=Status.WARN, detail=detail))
    return checks


def _check(check: Check) -> Document:
    entry, _ = plain({"name": check.name, "status": check.status.value, "detail": check.detail})
    return dict(entry)


def _kb(assembly: Assembly) -> Document:
    policy = assembly.kb_policy
    return {
        "name": assembly.kb_name,
        "snapshot": assembly.kb_snapshot,
        "chunks": assembly.kb_chunks,
        "embedder": assembly.embedder,
        "policy": None
        if policy is None
        else {
            "mandatory": policy.mandatory,
            "blocked_sources": policy.blocked_sources,
            "trust": dict(policy.trust),
            "min_trust": policy.min_trust,
            "max_age_days": policy.max_age_days,
        },
    }


def _coverage(assembly: Assembly) -> Document:
    coverage = assembly.verdict.coverage
    return {
        "query_type": coverage.query_type,
        "required_topics": coverage.required_topics,
        "covered": coverage.covered,
        "partial": coverage.partial,
        "missing": coverage.missing,
        "strengths": dict(coverage.strengths),
        "evidence": dict(coverage.evidence),
        "found_by": {
            topic: {"by": found.by, "words": found.words} for topic, found in coverage.found_by
        },
        "score": coverage.score,
        "in_domain": coverage.in_domain,
        "domain_evidence": dict(assembly.ranking.pool.domain_evidence),
    }


def _conflict(conflict: Conflict) -> Document:
    return {
        "chunk_a": conflict.chunk_a,
        "chunk_b": conflict.chunk_b,
        "kind": conflict.kind,
        "a": _claim(conflict.a),
        "b": _claim(conflict.b),
    }


def _claim(claim: Claim) -> Document:
    return asdict(claim)


def _packing(assembly: Assembly) -> Document:
    packing, chunks = assembly.packing, assembly.ranking.pool.chunks
    quality = packing.quality
    beside = {"note": packing.note} if packing.note else {}
    return {
        **beside,
        **_constraints(assembly),
        **_closing(assembly),
        "strategy": packing.strategy,
        "objective": quality.objective,
        "value": quality.value,
        "upper_bound": quality.upper_bound,
        "optimality": quality.optimality,
        "candidates": len(chunks),
        "retrieved": assembly.ranking.pool.n_retrieved,
        "ranked": len(assembly.ranking.order),
        "packed": len(packing.kept),
        "skipped_for_size": [chunks[row].chunk_id for row in packing.skipped_for_size],
        "pinned": assembly.pinned,
        "attached": attached_field(assembly),
        "room": packing.room,
    }


def _constraints(assembly: Assembly) -> Document:
    """The rules, rows as chunk ids, and those that could not be kept; nothing without rules."""
    rules, chunks = assembly.constraints, assembly.ranking.pool.chunks
    if not rules:
        return {}
    return {
        "constraints": {
            "max_per_source": rules.max_per_source,
            "topics": rules.topics,
            "topic_strength": rules.topic_strength,
            "exclusive": [[chunks[row].chunk_id for row in pair] for pair in rules.exclusive],
            "linked": [[chunks[row].chunk_id for row in group] for group in rules.linked],
        },
        "unmet": [{"kind": unmet.kind, "detail": unmet.detail} for unmet in assembly.packing.unmet],
    }


def _closing(assembly: Assembly) -> Document:
    """What the closing notice speaks of; nothing where none was asked for."""
    closing = assembly.packing.closing
    if closing is None:
        return {}
    left_out = closing.left_out
    return {
        "closing": {
            "passages": len(left_out.rows),
            "tokens": left_out.tokens,
            "topics": left_out.topics,
            "longest_tokens": closing.longest_tokens,
            "kept_tokens": closing.kept_tokens,
        }
    }


def _rendered(assembly: Assembly) -> Document:
    """What it takes to render the text again, and what it must then hash to."""
    rendered = assembly.rendered
    return {
        "format": rendered.format,
        "order": assembly.order,
        "sha256": hashlib.sha256(rendered.text.encode("utf-8")).hexdigest(),
        "tokens": rendered.tokens,
        "preamble": assembly.evidence_preamble if rendered.preamble_tokens else "",
        "notice": rendered.notice,
        "notice_tokens": rendered.notice_tokens,
        "show_dates": assembly.show_dates,
    }


def _request(assembly: Assembly) -> Document:
    """The request around the evidence, in no provider's shape."""
    parts = assembly.parts
    return {
        "shape": assembly.shape,
        "system_prompt": parts.system_prompt,
        "safety_preamble": parts.safety_preamble,
        "history": [openai_message(message) for message in parts.history],
        **({"sections": parts.sections} if parts.sections else {}),
    }


def _history(assembly: Assembly) -> Mapping[str, object]:
    """How much of the conversation was kept, in messages, turns and tokens."""
    fitted = assembly.history
    if fitted is None:
        kept = len(assembly.parts.history)
        return {"kept": kept, "dropped": 0, "dropped_turns": 0, "dropped_tokens": 0, "reason": ""}
    summary = fitted.summary
    return {
        **({} if summary is None else {"summary": summary.to_dict()}),
        "kept": fitted.n_kept,
        "dropped": len(fitted.dropped),
        "dropped_turns": fitted.dropped_turns,
        "dropped_tokens": fitted.dropped_tokens,
        "reason": fitted.reason,
    }
