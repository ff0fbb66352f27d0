"""The questions that a bad answer raises, answered from one packet, with what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.packet.omitted import omitted_entries
from packhorse.report.advice import can_find_more, is_in_the_middle
from packhorse.report.numbers import counted, integer, percent

if TYPE_CHECKING:
    from packhorse.report.candidates import CandidateView

__all__ = ["Verdict", "verdicts"]

Document = Mapping[str, Any]

MOST_RELEVANT = 10
"""How many of the candidates nearest to the question are looked after one by one, at most."""

ON_PURPOSE = frozenset({"blocked_source", "below_trust_threshold", "stale", "duplicate"})
"""Reasons that somebody wanted: what to change is told about another one, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One question, its answer, and what to do about it."""

    question: str
    answer: str
    tone: str
    """`good`, `look` or `bad`."""
    detail: str
    change: str = ""
    """Empty where nothing needs to change."""
    anchors: tuple[str, ...] = ()
    """Candidates that it is about."""


def verdicts(document: Document, candidates: Sequence[CandidateView]) -> tuple[Verdict, ...]:
    """Retrieved, ranked, fitted, placed, covered, consistent: in the order of the pipeline."""
    return (
        _retrieved(document),
        _ranked(document, candidates),
        _fitted(document, candidates),
        _placed(document, candidates),
        _covered(document),
        _consistent(document),
    )


def _retrieved(document: Document) -> Verdict:
    packing, kb = document["packing"], document["kb"]
    found, asked = packing["retrieved"], document["profile"].get("candidates")
    of_all = f"{counted(found, 'passage')} of {integer(kb['chunks'])} in {kb['name']}"
    detail = f"{of_all} {_be(found, 'was', 'were')} found"
    if not kb["embedder"]:
        detail += ", by words alone: the knowledge base has no embedder"
    question = "Was something found?"
    if not found:
        change = "Check the knowledge base, and ask with the words of its documents."
        return Verdict(question=question, answer="no", tone="bad", detail=detail, change=change)
    if not document["coverage"]["in_domain"]:
        return _out_of_place(document, question, detail)
    change = ""
    if asked is not None and can_find_more(document):
        detail += f", as many as were asked for (--candidates {asked})"
        change = (
            "If the right passage is not among them, raise --candidates; rank and budget come next."
        )
    return Verdict(question=question, answer="yes", tone="good", detail=detail, change=change)


def _be(number: int, one: str, many: str) -> str:
    return one if number == 1 else many


def _out_of_place(document: Document, question: str, detail: str) -> Verdict:
    """A caution: the check measures nearness, and can be wrong about a good passage."""
    first = next((each for each in document["packed_chunks"] if each["lexical_rank"] == 1), None)
    detail += ", but the question looks out of place here"
    if first is not None:
        detail += f"; yet {first['chunk_id']}, the first by words, is in"
    return Verdict(
        question=question,
        answer="perhaps nothing near" if first is None else "perhaps not near",
        tone="bad" if first is None else "look",
        detail=detail,
        change=(
            "If this is the right knowledge base, ask with the words of its documents; if not, use"
            " another."
        ),
    )


def _ranked(document: Document, candidates: Sequence[CandidateView]) -> Verdict:
    nearest = _nearest(candidates, max(1, min(MOST_RELEVANT, len(document["packed_chunks"]))))
    stood_for = _packed_elsewhere(document)
    missing = [each for each in nearest if not each.is_in and each.chunk_id not in stood_for]
    question = "Did the most relevant get in?"
    if not nearest:
        return Verdict(
            question=question, answer="nothing to rank", tone="look", detail="No passage has a rank"
        )
    pool = f"{counted(document['packing']['candidates'], 'candidate')}"
    detail = f"{integer(document['packing']['ranked'])} of {pool} competed for the budget"
    out = Counter(each.label for each in missing)
    if not missing:
        answer = f"all {len(nearest)}" if len(nearest) > 1 else "yes"
        return Verdict(question=question, answer=answer, tone="good", detail=detail)
    most = next((each for each in missing if each.code not in ON_PURPOSE), missing[0])
    reasons = ", ".join(f"{n} {label}" for label, n in sorted(out.items()))
    return Verdict(
        question=question,
        answer=f"{len(nearest) - len(missing)} of {len(nearest)}",
        tone="look" if len(missing) < len(nearest) else "bad",
        detail=(
            f"{detail}; of the {len(nearest)} nearest to the question,"
            f" {len(missing)} {_be(len(missing), 'is', 'are')} out: {reasons}"
        ),
        change=f"{most.chunk_id}: {most.changes[0]}",
        anchors=tuple(each.anchor for each in missing),
    )


def _packed_elsewhere(document: Document) -> set[str]:
    """Duplicates of something that is in: their text is there."""
    packed = {each["chunk_id"] for each in document["packed_chunks"]}
    return {
        each["chunk_id"]
        for each in document["excluded_chunks"]
        if each["reason_code"] == "duplicate" and each["duplicate_of"] in packed
    }


def _nearest(candidates: Sequence[CandidateView], most: int) -> list[CandidateView]:
    """Best first by words and meaning together, before trust, dates and rules."""
    placed = [each for each in candidates if each.fused_rank]
    return sorted(placed, key=lambda each: each.fused_rank or 0)[:most]


def _fitted(document: Document, candidates: Sequence[CandidateView]) -> Verdict:
    budget = document["budget"]
    used = f"{integer(budget['packed_evidence'])} of {integer(budget['evidence_budget'])} tokens"
    detail = f"{used} are used ({percent(budget['utilization'])})"
    question = "Did it fit?"
    out = {each["chunk_id"] for each in omitted_entries(document)}
    if not out:
        return Verdict(question=question, answer="all that competed", tone="good", detail=detail)
    relevant = {each["chunk_id"] for each in omitted_entries(document, relevant=True)}
    skipped = [each for each in candidates if each.chunk_id in relevant]
    if not skipped:
        others = counted(len(out), "ranked passage")
        verb = _be(len(out), "was", "were")
        why = "none of them half as relevant as the most relevant one"
        if not document["coverage"]["in_domain"]:
            why = "and none counts as relevant to a question that looks out of place"
        detail += f"; {others} {verb} left out, {why}"
        return Verdict(question=question, answer="what is relevant", tone="good", detail=detail)
    first = min(skipped, key=lambda each: (each.rank or 0, each.chunk_id))
    detail += f"; {counted(len(skipped), 'relevant passage')} did not fit"
    return Verdict(
        question=question,
        answer="not all",
        tone="look",
        detail=f"{detail}. The first is {first.chunk_id}, rank {integer(first.rank or 0)}",
        change=first.changes[0],
        anchors=tuple(each.anchor for each in skipped),
    )


def _placed(document: Document, candidates: Sequence[CandidateView]) -> Verdict:
    question = "Does the best stand well?"
    packed = [each for each in candidates if each.is_in]
    ranked = sorted((each for each in packed if each.rank), key=lambda each: each.rank or 0)
    if not ranked:
        detail = "No ranked passage is in the text"
        return Verdict(question=question, answer="nothing placed", tone="look", detail=detail)
    best, order = ranked[0], document["rendered"]["order"]
    place = f"[{best.position}] of {len(packed)}"
    detail = f"{best.chunk_id}, the best that is in, stands at {place} (order {order})"
    if is_in_the_middle(best.position or 0, len(packed)):
        return Verdict(
            question=question,
            answer="in the middle",
            tone="look",
            detail=f"{detail}: models read the middle least closely",
            change=best.changes[0],
            anchors=(best.anchor,),
        )
    return Verdict(
        question=question, answer=place, tone="good", detail=detail, anchors=(best.anchor,)
    )


def _covered(document: Document) -> Verdict:
    coverage = document["coverage"]
    question, missing, partial = "Is every topic there?", coverage["missing"], coverage["partial"]
    if not coverage["required_topics"]:
        return Verdict(
            question=question,
            answer="none required",
            tone="good",
            detail="Neither the profile nor the caller asked for topics",
        )
    total = len(coverage["required_topics"])
    detail = f"{total - len(missing)} of {counted(total, 'required topic')} are in"
    if missing:
        return Verdict(
            question=question,
            answer="no",
            tone="bad",
            detail=f"{detail}; missing: {', '.join(missing)}",
            change=(
                "Add passages on it to the knowledge base, raise --candidates or --budget."
                if can_find_more(document)
                else "Add passages on it to the knowledge base, or raise --budget."
            ),
        )
    if partial:
        detail += f"; only in part: {', '.join(partial)}"
        return Verdict(question=question, answer="in part", tone="look", detail=detail)
    return Verdict(question=question, answer="yes", tone="good", detail=detail)


def _consistent(document: Document) -> Verdict:
    conflicts = document["consistency"]["conflicts"]
    question = "Do the passages agree?"
    if not conflicts:
        detail = "No two passages state different values for the same thing"
        return Verdict(question=question, answer="yes", tone="good", detail=detail)
    ids = sorted({each[side] for each in conflicts for side in ("chunk_a", "chunk_b")})
    return Verdict(
        question=question,
        answer=counted(len(conflicts), "conflict"),
        tone="bad",
        detail=f"Between {', '.join(ids)}",
        change="Retire the older text, lower the trust of its source, or let the answer say both.",
    )
