"""Each candidate as a report shows it: its numbers, and its way through the four stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.explain.recorded import entries_of
from packhorse.explain.stages import stages_by_id
from packhorse.packet.entries import ExcludedChunk, PackedChunk
from packhorse.packet.explanation import explain_entry
from packhorse.report.advice import COMPETED, changes_for, is_in_the_middle
from packhorse.report.numbers import counted, day, decimals, integer, score
from packhorse.report.reach import BY_RANK, Reach, reach_of
from packhorse.report.words import STAGES, code_name

if TYPE_CHECKING:
    from packhorse.packet.explanation import Explanation, Stage

__all__ = ["CandidateView", "SignalView", "Step", "candidate_views"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One of the four questions about a candidate, answered."""

    question: str
    answer: str
    """A word or two."""
    tone: str
    """`good`, `look` or `bad`."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalView:
    """One summand of a score."""

    name: str
    value: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate, ready to be shown; numbers besides, for sorting."""

    anchor: str
    """Id in the page."""
    chunk_id: str
    source: str
    source_id: str
    section_id: str
    date: str
    is_in: bool
    code: str
    label: str
    """The reason code in words."""
    reason: str
    """The packet's own sentence, with numbers, without its code."""
    headline: str
    position: int | None
    rank: int | None
    tokens: int
    score: str
    fits_at: int | None
    signals: tuple[SignalView, ...]
    """Empty for an unscored candidate."""
    ranks: tuple[int | None, ...]
    """One a stage: by words, by meaning, fused, reranked, in the end; None for no place."""
    fused_rank: int | None
    """Nearness to the question, before trust, dates and rules."""
    steps: tuple[Step, ...]
    changes: tuple[str, ...]


def candidate_views(document: Document) -> tuple[CandidateView, ...]:
    """All candidates: packed ones in reading order, then the others in the packet's order."""
    entries = entries_of(document)
    stages = stages_by_id(entries, document["weights"])
    reach = reach_of(document)
    return tuple(
        _view(document, entry, f"c{number}", stages[entry["chunk_id"]], reach)
        for number, entry in enumerate(entries, start=1)
    )


def _view(
    document: Document, entry: Document, anchor: str, stages: tuple[Stage, ...], reach: Reach
) -> CandidateView:
    typed = PackedChunk.of(entry) if "position" in entry else ExcludedChunk.of(entry)
    told = explain_entry(typed, document["weights"], document["packing"]["ranked"])
    by_name = {stage.name: stage for stage in stages}
    return CandidateView(
        anchor=anchor,
        chunk_id=entry["chunk_id"],
        source=entry["source"],
        source_id=entry["source_id"],
        section_id=entry["section_id"],
        date=day(entry["timestamp"]),
        is_in=told.position is not None,
        code=told.reason_code,
        label=code_name(told.reason_code),
        reason=_detail(told),
        headline=_headline(told),
        position=told.position,
        rank=told.rank,
        tokens=told.tokens,
        score=score(told.score),
        fits_at=told.would_fit_at_budget,
        signals=tuple(
            SignalView(name=each.name, value=score(each.value), share=decimals(each.share))
            for each in told.signals
        ),
        ranks=tuple(each.rank for each in stages),
        fused_rank=by_name["fused"].rank,
        steps=tuple(_steps(document, told, by_name, reach)),
        changes=changes_for(document, entry, by_name, reach),
    )


def _headline(told: Explanation) -> str:
    if told.position is not None:
        how = "" if told.reason_code in BY_RANK else f", {code_name(told.reason_code)}"
        return f"In, cited as [{told.position}]{how}"
    return f"Out: {code_name(told.reason_code)}"


def _detail(told: Explanation) -> str:
    """`exceeded_remaining_budget (needed 324, had 285)` without the code, which has words."""
    detail = told.reason.removeprefix(f"{told.reason_code} (")
    return detail if detail == told.reason else detail.removesuffix(")")


def _steps(
    document: Document, told: Explanation, stages: Mapping[str, Stage], reach: Reach
) -> Iterator[Step]:
    yield _retrieved(told, stages)
    yield _ranked(told, stages, reach)
    yield _fitted(document, told, reach)
    yield _placed(document, told)


def _retrieved(told: Explanation, stages: Mapping[str, Stage]) -> Step:
    found = [
        f"rank {integer(stage.rank)} {STAGES[name]}"
        if (stage := stages[name]).rank
        else f"not found {STAGES[name]}"
        for name in ("lexical", "dense")
    ]
    if told.named_as is not None:
        found.append(f"named by the question, as {told.named_as!r}")
    if told.followed_from is not None:
        mention = told.followed_from
        found.append(f"mentioned by {mention['chunk_id']}, as {mention['name']!r}")
    if stages["lexical"].rank or stages["dense"].rank or told.named_as or told.followed_from:
        detail = "; ".join(found)
        return Step(question="Retrieved?", answer="yes", tone="good", detail=detail)
    detail = f"The search did not find it; it is here because it is {code_name(told.reason_code)}"
    if told.position is None:
        detail = "The search did not find it by words or by meaning"
    if told.expanded_from is not None:
        detail = f"The search did not find it; it stands around {told.expanded_from}"
    return Step(question="Retrieved?", answer="no", tone="look", detail=detail)


def _ranked(told: Explanation, stages: Mapping[str, Stage], reach: Reach) -> Step:
    way = ", ".join(
        f"rank {integer(rank)} {STAGES[name]}"
        for name in ("fused", "reranked", "mmr")
        if (rank := stages[name].rank)
    )
    if told.position is not None and told.reason_code not in BY_RANK:
        detail = f"It is {code_name(told.reason_code)}, so it did not compete"
        return Step(question="Ranked?", answer="not needed", tone="good", detail=detail)
    if _is_low(told, reach):
        place = f"rank {integer(told.rank or 0)} of {integer(told.ranked)}"
        answer, tone = f"low, {place}", "look"
        way += f"; the budget took {integer(reach.taken)}, down to rank {integer(reach.last)}"
    elif told.rank is not None:
        answer, tone = f"rank {integer(told.rank)} of {integer(told.ranked)}", "good"
    elif told.reason_code in {"not_selected_by_mmr", "source_cap"}:
        answer, tone, way = "below the cut", "bad", f"{_detail(told)}; {way}"
    else:
        answer, tone, way = "taken out before", "bad", f"{_detail(told)}; {way}"
    return Step(question="Ranked?", answer=answer, tone=tone, detail=way.removesuffix("; "))


def _is_low(told: Explanation, reach: Reach) -> bool:
    """Whether it is out for its rank and not for its size or a rule."""
    competed = told.position is None and told.reason_code in COMPETED
    return competed and told.rank is not None and reach.is_beyond(told.rank, told.tokens)


def _fitted(document: Document, told: Explanation, reach: Reach) -> Step:
    if told.position is not None:
        budget = document["budget"]["evidence_budget"]
        detail = f"{counted(told.tokens, 'token')} of a budget of {integer(budget)}"
        return Step(question="Fitted?", answer="yes", tone="good", detail=detail)
    if told.rank is None:
        detail = f"It did not get as far; it would take {counted(told.tokens, 'token')}"
        return Step(question="Fitted?", answer="not tried", tone="look", detail=detail)
    fits = ""
    if told.would_fit_at_budget is not None:
        fits = f"; would fit at a budget of {integer(told.would_fit_at_budget)}"
    answer, tone = ("nothing left", "look") if _is_low(told, reach) else ("no", "bad")
    return Step(question="Fitted?", answer=answer, tone=tone, detail=f"{_detail(told)}{fits}")


def _placed(document: Document, told: Explanation) -> Step:
    if told.position is None:
        return Step(question="Well placed?", answer="nowhere", tone="look", detail="It is out")
    n_blocks = len(document["packed_chunks"])
    where = "in the middle, which models read least closely"
    tone = "look"
    if not is_in_the_middle(told.position, n_blocks):
        tone = "good"
        where = "near the start" if told.position <= n_blocks / 2 else "near the end"
        where = {n_blocks: "last", 1: "first"}.get(told.position, where)
    return Step(
        question="Well placed?",
        answer=f"[{told.position}] of {n_blocks}",
        tone=tone,
        detail=f"It stands {where}; order {document['rendered']['order']}",
    )
