"""What `packhorse pack` says about a packet: (level, text) lines, in the contract's wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

__all__ = ["transcript"]

Line = tuple[str, str]

SILENT_WHEN_PASSED = {
    *(
        "domain",
        "budget",
        "history",
        "sections",
        "memory",
        "tools",
        "injection",
        "retrieval",
        "scores",
        "calibration",
    ),
}
"""Checks that are worth a line only when they do not pass."""

ADDED = (("tools", "tools"), ("few_shot", "few_shot"), ("memory", "memory"))
"""Ledger lines of sections that a run adds, and what they are called here."""

ALWAYS = (("query", "query"), ("message_overhead", "overhead"))
"""The same of lines that no run is without."""

SHOWN = 3
"""Sources that a line names."""

TITLES = {
    "consistency": "Consistency: ",
    "diversity": "Source diversity: ",
    "coverage": "Coverage score: ",
    "reranker": "Reranker: ",
    "contradiction_model": "Contradiction model: ",
}


def transcript(packet: Packet, folder: Path | None, *, has_report: bool = False) -> Iterator[Line]:
    """Lines of the run, in order: tokenizer, ledger, candidates, packing, checks, files."""
    document = packet.to_dict()
    in_domain = document["coverage"]["in_domain"]
    yield from set_up(document)
    said = {"coverage", "domain"}
    if not in_domain:
        if document["note"]:
            # What the search had to say is why nothing was found, so it comes first.
            yield from outcomes(document, ("retrieval",))
            said.add("retrieval")
        yield "WARN", f"Query appears outside corpus domain ({document['kb']['name']})"
        yield from outcomes(document, ("coverage",))
    yield from packed(document)
    names = [check["name"] for check in document["checks"]]
    if in_domain:
        yield from outcomes(document, ("coverage",))
    yield from outcomes(document, [name for name in names if name not in said])
    if not in_domain:
        yield "HINT", "Consider using a different knowledge base for this query"
    if folder is not None:
        yield "INFO", f"Context packet: {folder / 'context_packet.json'}"
        yield "INFO", f"Explainability report: {folder / 'explainability.csv'}"
    if folder is not None and has_report:
        yield "INFO", f"Report: {folder / 'report.html'}"


def set_up(document: Mapping[str, Any]) -> Iterator[Line]:
    """What counts, what is spent already, and what competes."""
    tokenizer, budget, kb = document["tokenizer"], document["budget"], document["kb"]
    exact = "" if tokenizer["exact"] else ", estimate"
    named = f"{tokenizer['library']} ({tokenizer['name']}{exact})"
    yield "INFO", f"Tokenizer: {named} for model {document['model']}"
    fixed = f"system={budget['system_prompt']}, preamble={budget['safety_preamble']}"
    rest = f"history={budget['history']}, output_res={budget['output_reservation']}"
    evidence = f"evidence_budget={budget['evidence_budget']}"
    yield "INFO", f"Token ledger: {fixed}, {rest}, {evidence}{beside(budget)}"
    yield from calibrated(tokenizer, budget)
    yield from divided(document)
    if document["profile"].get("adaptive"):
        yield "INFO", adapted(document["profile"]["adaptive"])
    if document.get("searched", {}).get("added"):
        searched = document["searched"]
        yield "INFO", f"Searched with: {searched['text']} ({searched['reason']})"
    retrieved = document["packing"]["retrieved"]
    yield "INFO", f"Retrieved candidates: {retrieved} chunks from {kb['name']}"
    lambda_ = document["profile"]["mmr_lambda"]
    ranked = document["packing"]["ranked"]
    yield "INFO", f"Reranked top-k: {ranked} chunks (MMR lambda={lambda_})"


def beside(budget: Mapping[str, int]) -> str:
    """The other fixed lines, once one of the sections that a run adds takes room.

    They stand behind the figures that every run has, so that who reads those need not change.
    """
    if not any(budget[line] for line, _ in ADDED):
        return ""
    return "".join(f", {short}={budget[line]}" for line, short in (*ADDED, *ALWAYS) if budget[line])


def divided(document: Mapping[str, Any]) -> Iterator[Line]:
    """How the window was divided, and how many notes, examples and tools are in."""
    for each in document.get("sections", ()):
        yield "ROOM", f"{each['name']}: asked {each['asked']}, got {each['got']} ({each['reason']})"
    if "memory" in document:
        memory = document["memory"]
        kept = [note for note in memory["notes"] if note["included"]]
        n_old = sum(note["reason_code"] == "superseded" for note in memory["notes"])
        said = f"{len(kept)} of {len(memory['notes'])} notes, {memory['tokens']} tokens"
        yield "PACK", f"Memory: {said}" + (f" ({n_old} superseded)" if n_old else "")
    for name in ("examples", "tools"):
        if name in document:
            given, tokens = document[name][name], document[name]["tokens"]
            n_in = sum(each["included"] for each in given)
            said = f"{n_in} of {len(given)}, {tokens} tokens"
            yield "PACK", f"{name.capitalize()}: {said}"


def adapted(level: str) -> str:
    """What the complexity of the question decided."""
    from packhorse.window.allocation import ALLOCATIONS

    given = ALLOCATIONS[level]
    most = "" if given.candidates is None else f", at most {given.candidates} candidates"
    return f"Adaptive: a {level} question, {given.evidence_percent}% of the budget{most}"


def calibrated(tokenizer: Mapping[str, Any], budget: Mapping[str, Any]) -> Iterator[Line]:
    """What a calibration changed, when there is one."""
    if "calibration" in tokenizer:
        evidence = tokenizer["calibration"]
        days = "" if evidence["from"] is None else f", {evidence['from']} to {evidence['to']}"
        part = f"{budget['calibration']:+} in message_overhead={budget['message_overhead']}"
        yield "INFO", f"Calibration: {part}, from {evidence['samples']} logged requests{days}"


def packed(document: Mapping[str, Any]) -> Iterator[Line]:
    """What is in, and what it cost."""
    chunks, budget = document["packed_chunks"], document["budget"]
    for code in ("mandatory", "pinned", "attached"):
        required = [chunk for chunk in chunks if chunk["reason_code"] == code]
        if required:
            names = "; ".join(f"{c['chunk_id']}, {c['tokens']} tokens" for c in required)
            yield "PACK", f"{code.capitalize()} chunks: {len(required)} ({names})"
    used = f"{budget['packed_evidence']}/{budget['evidence_budget']} tokens"
    share = f"{100 * budget['utilization']:.1f}% utilization"
    yield "PACK", f"Packed evidence: {len(chunks)} chunks, {used} ({share})"
    expanded = [chunk for chunk in chunks if chunk["reason_code"] == "expanded"]
    if expanded:
        names = "; ".join(f"{each['chunk_id']} with {each['expanded_from']}" for each in expanded)
        yield "PACK", f"In with what they stand around: {len(expanded)} ({names})"
    if document["profile"].get("expand") == "section":
        yield from without_headings(expanded)
    rendered = document["rendered"]
    if rendered["notice"]:
        yield "PACK", f"Closing notice: {rendered['notice']} ({rendered['notice_tokens']} tokens)"
    if document["packing"].get("note"):
        yield "INFO", document["packing"]["note"]


def without_headings(expanded: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """What `section` means for sources whose chunks stand under no heading."""
    from packhorse.retrieve.expanded import MOST_UNNAMED

    sources = sorted({chunk["source_id"] for chunk in expanded if not chunk["section_id"]})
    if sources:
        more = f" and {len(sources) - SHOWN} more" if len(sources) > SHOWN else ""
        short = f"Up to {MOST_UNNAMED} chunks in a row are a section there"
        named = f"{', '.join(sources[:SHOWN])}{more}"
        yield (
            "INFO",
            f"Under no heading: {named}. {short}; in a longer text neighbours come instead",
        )


def outcomes(document: Mapping[str, Any], names: Iterable[str]) -> Iterator[Line]:
    """The checks of these names, in the order asked; silent ones only when they do not pass."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for check in document["checks"]:
        by_name.setdefault(check["name"], []).append(check)
    for name in dict.fromkeys(names):
        for check in by_name.get(name, ()):
            if check["status"] == "pass" and name in SILENT_WHEN_PASSED:
                continue
            yield check["status"].upper(), f"{TITLES.get(name, '')}{check['detail']}"
