"""The token window as parts of a bar: what each line of the ledger takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.report.numbers import integer, share
from packhorse.report.words import LINES, code_name

if TYPE_CHECKING:
    from packhorse.report.candidates import CandidateView

__all__ = ["Part", "evidence_parts", "window_parts"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One stretch of a bar."""

    label: str
    kind: str
    """What it is, for its look: `fixed-1`..`fixed-8`, `output`, `evidence`, `preamble`, a reason
    code, `notice`, `unused` or `free`."""
    tokens: int
    shown: str
    share: str
    """Of the whole bar."""
    anchor: str = ""
    """The candidate that it is, if it is one."""


def window_parts(document: Document) -> tuple[Part, ...]:
    """The lines of the whole window; they add up to it."""
    budget = document["budget"]
    whole = budget["total_window"]
    beyond = budget["available_evidence"] - budget["evidence_budget"]
    lines = [
        (name, f"fixed-{number}", budget[line])
        for number, (line, name) in enumerate(LINES.items(), start=1)
    ]
    lines += [
        ("Reserved for the answer", "output", budget["output_reservation"]),
        ("Evidence", "evidence", budget["packed_evidence"]),
        ("Evidence budget not used", "unused", budget["remaining_unused"]),
        ("Free, beyond the budget", "free", beyond),
    ]
    return tuple(_part(name, kind, n, whole) for name, kind, n in lines if n)


def evidence_parts(document: Document, candidates: Sequence[CandidateView]) -> tuple[Part, ...]:
    """The evidence budget: preamble, each block in reading order, notice, what is not used."""
    budget = document["budget"]
    return tuple(_evidence(document, candidates, budget["evidence_budget"]))


def _evidence(
    document: Document, candidates: Sequence[CandidateView], whole: int
) -> Iterator[Part]:
    budget = document["budget"]
    if budget["evidence_preamble"]:
        yield _part("Preamble", "preamble", budget["evidence_preamble"], whole)
    for each in candidates:
        if each.is_in:
            label = f"[{each.position}] {each.chunk_id}, {code_name(each.code)}"
            yield _part(label, each.code, each.tokens, whole, each.anchor)
    if document["rendered"]["notice_tokens"]:
        yield _part("Notice", "notice", document["rendered"]["notice_tokens"], whole)
    if budget["remaining_unused"]:
        yield _part("Not used", "unused", budget["remaining_unused"], whole)


def _part(label: str, kind: str, tokens: int, whole: int, anchor: str = "") -> Part:
    return Part(
        label=label,
        kind=kind,
        tokens=tokens,
        shown=integer(tokens),
        share=share(tokens, whole),
        anchor=anchor,
    )
