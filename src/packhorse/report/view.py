"""A packet as a report shows it: every number and sentence ready, nothing of HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.explain.recorded import type_reason_of
from packhorse.packet.rows import SIGNALS
from packhorse.report.advice import not_found
from packhorse.report.candidates import CandidateView, candidate_views
from packhorse.report.numbers import counted, day, integer, percent, score
from packhorse.report.texts import Block, packed_blocks
from packhorse.report.verdicts import Verdict, verdicts
from packhorse.report.window import Part, evidence_parts, window_parts
from packhorse.report.words import NOTE_CODES, PIECE_CODES, STATUSES, check_name

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

__all__ = [
    "BlockView",
    "CheckView",
    "ClaimView",
    "ConflictView",
    "Fact",
    "FilterView",
    "ReportView",
    "TopicView",
    "report_view",
]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and what it says."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One check in words."""

    name: str
    status: str
    """`passed`, `warns` or `failed`."""
    tone: str
    """`good`, `look` or `bad`."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """A packed chunk with its block."""

    candidate: CandidateView
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterView:
    """A value that excluded candidates can be filtered by."""

    value: str
    label: str
    """The value in words."""
    count: int
    """How many candidates have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicView:
    """A required topic and what gives it."""

    name: str
    state: str
    """`covered`, `partial` or `missing`."""
    tone: str
    strength: str
    given_by: str
    """Empty for nothing."""
    anchor: str
    words: str
    """Words of the text that show it; empty for one that is shown by tags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """One side of a conflict; the value stands between what is before and after it."""

    chunk_id: str
    anchor: str
    place: str
    """Source and date."""
    before: str
    value: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictView:
    """Two passages that state different values for the same thing."""

    kind: str
    sides: tuple[ClaimView, ClaimView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """Everything that is on the page."""

    query: str
    title: str
    """The start of the query, for the window's title."""
    status: str
    """In words."""
    tone: str
    facts: tuple[Fact, ...]
    verdicts: tuple[Verdict, ...]
    checks: tuple[CheckView, ...]
    window: tuple[Part, ...]
    window_total: str
    evidence: tuple[Part, ...]
    evidence_total: str
    preamble: str
    notice: str
    blocks: tuple[BlockView, ...]
    candidates: tuple[CandidateView, ...]
    excluded: tuple[CandidateView, ...]
    not_found: str
    """What it means that a passage is no candidate."""
    reasons: tuple[FilterView, ...]
    sources: tuple[FilterView, ...]
    weights: tuple[Fact, ...]
    coverage: tuple[Fact, ...]
    topics: tuple[TopicView, ...]
    conflicts: tuple[ConflictView, ...]
    about: tuple[Fact, ...]


def report_view(packet: Packet) -> ReportView:
    """The view of a packet."""
    document = packet.document
    candidates = candidate_views(document)
    excluded = tuple(each for each in candidates if not each.is_in)
    budget, rendered = document["budget"], document["rendered"]
    is_valid = document["status"] == "valid"
    return ReportView(
        query=document["query"],
        title=_first_words(document["query"]),
        status="Every check passed" if is_valid else _warnings(document["checks"]),
        tone="good" if is_valid else "look",
        facts=tuple(_facts(document)),
        verdicts=verdicts(document, candidates),
        checks=tuple(_check(each) for each in document["checks"]),
        window=window_parts(document),
        window_total=integer(budget["total_window"]),
        evidence=evidence_parts(document, candidates),
        evidence_total=integer(budget["evidence_budget"]),
        preamble=rendered["preamble"],
        notice=rendered["notice"],
        blocks=tuple(
            BlockView(candidate=each, block=block)
            for each, block in zip(candidates, packed_blocks(document), strict=False)
        ),
        candidates=candidates,
        excluded=excluded,
        not_found=not_found(document),
        reasons=_filters([(each.code, each.label) for each in excluded]),
        sources=_filters([(each.source_id, each.source_id) for each in excluded]),
        weights=tuple(Fact(name=name, value=f"{document['weights'][name]:g}") for name in SIGNALS),
        coverage=tuple(_coverage(document)),
        topics=tuple(_topics(document["coverage"], candidates)),
        conflicts=tuple(_conflicts(document, candidates)),
        about=tuple(_about(document)),
    )


TITLE = 80


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE else f"{line[: TITLE - 1]}…"


def _warnings(checks: Sequence[Document]) -> str:
    failed = [each for each in checks if each["status"] != "pass"]
    verb = "warns" if len(failed) == 1 else "warn"
    return f"{len(failed)} of {counted(len(checks), 'check')} {verb}"


def _facts(document: Document) -> Iterator[Fact]:
    tokenizer = document["tokenizer"]
    exact = "exact" if tokenizer["exact"] else f"estimate, margin {tokenizer['margin_tokens']}"
    yield Fact(name="Model", value=document["model"])
    yield Fact(name="Counted by", value=f"{tokenizer['library']} ({tokenizer['name']}), {exact}")
    yield Fact(name="Knowledge base", value=document["kb"]["name"])
    yield Fact(name="As of", value=day(document["as_of"]))
    yield Fact(name="Packet", value=document["trace_id"])


def _check(check: Document) -> CheckView:
    status = check["status"]
    return CheckView(
        name=check_name(check["name"]),
        status=STATUSES[status],
        tone={"pass": "good", "warn": "look", "fail": "bad"}[status],
        detail=check["detail"],
    )


def _filters(values: Sequence[tuple[str, str]]) -> tuple[FilterView, ...]:
    """Each value once, the most frequent first."""
    counts: dict[tuple[str, str], int] = {}
    for pair in values:
        counts[pair] = counts.get(pair, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FilterView(value=value, label=label, count=n) for (value, label), n in ordered)


def _coverage(document: Document) -> Iterator[Fact]:
    coverage, diversity = document["coverage"], document["diversity"]
    yield Fact(name="Score", value=score(coverage["score"]))
    yield Fact(name="Kind of question", value=coverage["query_type"])
    if "query_type_by" in document:
        yield Fact(name="Known by", value=str(type_reason_of(document["query_type_by"])))
    if document.get("searched", {}).get("added"):
        yield Fact(name="Searched with", value=document["searched"]["text"])
    yield Fact(
        name="In the knowledge base's domain", value="yes" if coverage["in_domain"] else "no"
    )
    for name, value in sorted(coverage["domain_evidence"].items()):
        shown = integer(int(value)) if name == "chunks" and value else score(value)
        yield Fact(name=name.replace("_", " "), value=shown)
    yield Fact(name="Sources in the text", value=integer(diversity["unique_sources"]))
    yield Fact(name="Largest share of one", value=percent(diversity["largest_share"]))


def _topics(coverage: Document, candidates: Sequence[CandidateView]) -> Iterator[TopicView]:
    anchors = {each.chunk_id: each.anchor for each in candidates}
    for name in coverage["required_topics"]:
        state = next(
            (state for state in ("covered", "partial") if name in coverage[state]), "missing"
        )
        given_by = coverage["evidence"].get(name, "")
        yield TopicView(
            name=name,
            state=state,
            tone={"covered": "good", "partial": "look", "missing": "bad"}[state],
            strength=score(coverage["strengths"].get(name)),
            given_by=given_by,
            anchor=anchors.get(given_by, ""),
            words=", ".join(coverage.get("found_by", {}).get(name, {}).get("words", ())),
        )


def _conflicts(document: Document, candidates: Sequence[CandidateView]) -> Iterator[ConflictView]:
    by_id = {each.chunk_id: each for each in candidates}
    for each in document["consistency"]["conflicts"]:
        yield ConflictView(
            kind=each["kind"],
            sides=(
                _claim(each["chunk_a"], by_id.get(each["chunk_a"]), each["a"]),
                _claim(each["chunk_b"], by_id.get(each["chunk_b"]), each["b"]),
            ),
        )


def _claim(chunk_id: str, candidate: CandidateView | None, claim: Document) -> ClaimView:
    place = "" if candidate is None else f"{candidate.source}, {candidate.date}"
    before, found, after = claim["text"].partition(claim["value"])
    return ClaimView(
        chunk_id=chunk_id,
        anchor="" if candidate is None else candidate.anchor,
        place=place,
        before=before if found else f"{claim['text']} – ",  # noqa: RUF001 - a dash between the two
        value=claim["value"],
        after=after,
    )


def _about(document: Document) -> Iterator[Fact]:
    kb, packing, rendered = document["kb"], document["packing"], document["rendered"]
    made_with, history = document.get("made_with"), document["history"]
    if made_with is not None:
        yield Fact(name="Packhorse", value=made_with["packhorse"])
    yield Fact(name="Strategy", value=packing["strategy"])
    if packing["optimality"] is not None:
        share = f"{percent(packing['optimality'])} of its upper bound ({packing['objective']})"
        yield Fact(name="Value reached", value=share)
    if packing.get("note"):
        yield Fact(name="Note on packing", value=packing["note"])
    for unmet in packing.get("unmet", ()):
        yield Fact(name=f"Rule not kept ({unmet['kind']})", value=unmet["detail"])
    yield Fact(name="Order and format", value=f"{rendered['order']}, {rendered['format']}")
    yield Fact(name="Lambda", value=str(document["profile"].get("mmr_lambda", "")))
    yield Fact(name="Profile", value=str(document["profile"].get("name", "")))
    yield Fact(name="Embedder", value=kb["embedder"] or "none")
    yield Fact(name="Content of the knowledge base", value=kb["snapshot"])
    yield Fact(name="Content of the packet", value=document["packet_hash"])
    kept = f"{counted(history['kept'], 'message')} kept, {integer(history['dropped'])} dropped"
    dropped = f" ({integer(history['dropped_tokens'])} tokens)" if history["dropped"] else ""
    yield Fact(name="Conversation", value=f"{kept}{dropped}")
    if history["reason"]:
        yield Fact(name="Why dropped", value=history["reason"])
    for section in document.get("sections", ()):
        got = f"{integer(section['got'])} of {integer(section['asked'])} tokens asked"
        yield Fact(name=f"Room of {section['name']}", value=f"{got}: {section['reason']}")
    for note in document.get("memory", {"notes": ()})["notes"]:
        kept = "in" if note["included"] else NOTE_CODES[note["reason_code"]]
        yield Fact(name=f"Note {note['note_id']}", value=f"{kept}: {note['reason']}")
    for kind, key in (("examples", "example_id"), ("tools", "name")):
        for each in document.get(kind, {kind: ()})[kind]:
            kept = PIECE_CODES.get(each["reason_code"], each["reason_code"].replace("_", " "))
            value = f"{'in' if each['included'] else 'out'}: {kept}"
            told = f" ({each['reason']})" if each["reason"] else ""
            yield Fact(name=f"{kind[:-1].capitalize()} {each[key]}", value=f"{value}{told}")
