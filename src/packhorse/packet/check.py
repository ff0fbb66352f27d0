"""Checks a packet that was read from somewhere: sums, text and hashes, in that order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from packhorse.errors import InputError, PackhorseError
from packhorse.packet.canonical import packet_hash, trace_id
from packhorse.packet.document import SCHEMA_VERSION
from packhorse.packet.omitted import omitted_entries
from packhorse.packet.schema import first_violation
from packhorse.packet.sections import definition_of, example_of, note_of
from packhorse.render.registry import renderer
from packhorse.text.digest import digest_of
from packhorse.types.chunk import Chunk
from packhorse.types.ledger import FIXED_LINES
from packhorse.window.memory.render import memory_section

__all__ = ["check_document", "rendered_chunk"]

_HINT = "Pack the query again, or find the unchanged file"

Finding = tuple[str, object, object]
"""What disagrees, what the packet records, what follows from the rest of it."""


def check_document(document: Mapping[str, Any]) -> str:
    """The rendered text of a packet, once everything in it agrees.

    Raises:
        InputError: another schema version, a missing or misshapen field, or the first of the
            sums, the text and the hashes that does not follow from the rest.
    """
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise InputError(
            f"The packet has schema_version {version!r}, this program reads {SCHEMA_VERSION!r}",
            hint="Read it with the version that wrote it, or pack the query again",
        )
    violation = first_violation(document)
    if violation:
        raise InputError(f"The packet is damaged: {violation}", hint=_HINT)
    text = _text(document)
    for findings in _STEPS:
        for name, recorded, computed in findings(document, text):
            if recorded != computed:
                raise InputError(
                    f"The packet does not agree with itself: {name} is recorded as {recorded!r}"
                    f" and comes to {computed!r}",
                    hint=_HINT,
                )
    return text


def _text(document: Mapping[str, Any]) -> str:
    """The evidence section, rendered again from the packed chunks."""
    rendered = document["rendered"]
    try:
        chunks = [rendered_chunk(entry) for entry in document["packed_chunks"]]
        form = renderer(rendered["format"], show_dates=rendered["show_dates"])
        return form.text(rendered["preamble"], chunks, rendered["notice"])
    except (ValueError, PackhorseError) as error:
        raise InputError(f"The packet cannot be rendered: {error}", hint=_HINT) from error


def rendered_chunk(entry: Mapping[str, Any]) -> Chunk:
    """As much of a packed chunk as rendering needs."""
    stamp = entry["timestamp"]
    return Chunk(
        chunk_id=entry["chunk_id"],
        source_id=entry["source_id"],
        source=entry["source"],
        text=entry["text"],
        header=entry["header"],
        timestamp=None if stamp is None else datetime.fromisoformat(stamp),
    )


def _sums(document: Mapping[str, Any], _: str) -> Iterator[Finding]:
    budget = document["budget"]
    fixed = sum(budget[name] for name in FIXED_LINES)
    window = fixed + budget["output_reservation"] + budget["available_evidence"]
    yield "budget.total_window", budget["total_window"], window
    beyond = max(0, budget.get("calibration", 0) - budget["message_overhead"])
    yield "budget.calibration beyond message_overhead", beyond, 0
    tokens = sum(entry["tokens"] for entry in document["packed_chunks"])
    packed = budget["evidence_preamble"] + tokens + document["rendered"]["notice_tokens"]
    yield "budget.packed_evidence", budget["packed_evidence"], packed
    yield "rendered.tokens", document["rendered"]["tokens"], packed
    left = budget["evidence_budget"] - packed
    yield "budget.remaining_unused", budget["remaining_unused"], left
    yield "budget.packed_evidence over the budget", max(0, -left), 0


def _candidates(document: Mapping[str, Any], _: str) -> Iterator[Finding]:
    packed, excluded = document["packed_chunks"], document["excluded_chunks"]
    packing = document["packing"]
    yield "packing.packed", packing["packed"], len(packed)
    yield "packing.candidates", packing["candidates"], len(packed) + len(excluded)
    unique = {entry["chunk_id"] for entry in (*packed, *excluded)}
    yield "number of different candidates", len(unique), packing["candidates"]
    positions = [entry["position"] for entry in packed]
    yield "positions of packed_chunks", positions, list(range(1, len(packed) + 1))
    closing = packing.get("closing")
    if closing is not None:
        omitted = omitted_entries(document, relevant=True)
        yield "packing.closing.passages", closing["passages"], len(omitted)
        yield "packing.closing.tokens", closing["tokens"], sum(e["tokens"] for e in omitted)
        yield "packing.closing.topics", closing["topics"], document["coverage"]["missing"]
    passed = all(check["status"] == "pass" for check in document["checks"])
    yield "status", document["status"], "valid" if passed else "warning"


def _memory(document: Mapping[str, Any], _: str) -> Iterator[Finding]:
    sections, memory = document["request"].get("sections", ""), document.get("memory")
    if memory is not None:
        notes = [note_of(entry) for entry in memory["notes"] if entry["included"]]
        yield "request.sections ends with the notes", sections.endswith(memory_section(notes)), True
    for name in ("examples", "tools"):
        told = document.get(name)
        line = document["budget"]["few_shot" if name == "examples" else "tools"]
        if told is not None and not any(each["included"] for each in told[name]):
            yield f"budget without {name}", line, 0
    for tool in document.get("tools", {"tools": ()})["tools"]:
        if tool["included"]:
            yield f"tools {tool['name']}", tool["content_hash"], digest_of(definition_of(tool))
    for entry in document.get("examples", {"examples": ()})["examples"]:
        if entry["included"]:
            digest = example_of(entry).digest
            yield f"example {entry['example_id']}", entry["content_hash"], digest
    got = sum(each["got"] for each in document.get("sections", ()))
    yield "sections over the window", max(0, got - document["budget"]["total_window"]), 0


def _hashes(document: Mapping[str, Any], text: str) -> Iterator[Finding]:
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    yield "rendered.sha256", document["rendered"]["sha256"], sha256
    yield "trace_id", document["trace_id"], trace_id(document)
    yield "packet_hash", document["packet_hash"], packet_hash(document)


_STEPS: tuple[Callable[[Mapping[str, Any], str], Iterator[Finding]], ...] = (
    _sums,
    _candidates,
    _memory,
    _hashes,
)
