"""Two packets' results side by side: candidates, ledger, checks and everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from packhorse.explain.diff.difference import SECTIONS, ChunkDifference, Line, Place
from packhorse.explain.recorded import entries_of
from packhorse.packet.rows import CHANNELS, JUDGED_CHANNELS, SIGNALS

__all__ = ["compared_chunks", "compared_lines"]

Document = Mapping[str, Any]

_CHANNEL_SCORES = tuple(f"{name}_score" for name in (*CHANNELS, *JUDGED_CHANNELS))

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "positions": ("position",),
    "reasons": ("reason_code", "duplicate_of"),
    "ranks": ("rank", *(f"{name}_rank" for name in (*CHANNELS, *JUDGED_CHANNELS))),
    "scores": (
        *("score", *SIGNALS.values(), *_CHANNEL_SCORES),
        *("relevance_parts", "named_as", "followed_from"),
        *("expanded_from", "expanded_steps", "own_relevance"),
    ),
    "details": ("included_reason", "excluded_reason", "would_fit_at_budget"),
    "tokens": ("tokens", "text_tokens", "packing_tokens"),
}
"""Section -> fields of an entry. What a chunk says and is, is an input."""

_SAID_ELSEWHERE = {
    *(
        "trace_id",
        "packet_hash",
        "schema_version",
        "query",
        "searched",
        "query_vector",
        "as_of",
        "model",
    ),
    *("profile", "weights", "made_with", "kb", "request", "packed_chunks", "excluded_chunks"),
    *("budget", "coverage", "consistency", "checks", "status", "diversity", "packing"),
    *("rendered", "history", "tokenizer", "query_type", "reranker", "sections", "memory"),
    *("examples", "tools"),
}
"""Keys of a packet that inputs, candidates and lines speak about."""

_PACKING_INPUTS = {"pinned", "attached"}

_RENDERED_BY = {
    "format": "format",
    "order": "order",
    "preamble": "evidence_preamble",
    "show_dates": "show_dates",
}
"""What a packet says of its text -> the setting that decides it."""

_PLACED_BY_ENTRY = ("similarities", "copies")
"""Tables whose rows are entries: comparable where the entries are the same."""


def compared_chunks(a: Document, b: Document) -> tuple[ChunkDifference, ...]:
    """Candidates that differ: entered, left, moved, then all others by id."""
    was = {entry["chunk_id"]: entry for entry in entries_of(a)}
    now = {entry["chunk_id"]: entry for entry in entries_of(b)}
    found = []
    for chunk_id in sorted({*was, *now}):
        old, new = was.get(chunk_id), now.get(chunk_id)
        sections = tuple(_sections(old, new))
        if sections:
            found.append(
                ChunkDifference(
                    chunk_id=chunk_id, sections=sections, was=_place(old), now=_place(new)
                )
            )
    return tuple(sorted(found, key=_order))


def _order(found: ChunkDifference) -> tuple[int, int, str]:
    if found.entered or found.moved:
        position = found.now.position if found.now else None
        return (0 if found.entered else 2, position or 0, found.chunk_id)
    if found.left:
        position = found.was.position if found.was else None
        return (1, position or 0, found.chunk_id)
    return (3, 0, found.chunk_id)


def _sections(was: Document | None, now: Document | None) -> Iterator[str]:
    positions = [None if entry is None else entry.get("position") for entry in (was, now)]
    is_in = [position is not None for position in positions]
    if is_in[0] != is_in[1]:
        yield "selection"
    if was is None or now is None:
        yield "pool"
        return
    for section in SECTIONS:
        fields = _FIELDS.get(section, ())
        if section == "positions" and is_in[0] != is_in[1]:
            continue
        # What packets of an earlier version do not say is no difference.
        if any(was.get(name) != now.get(name) for name in fields if _comparable(name, was, now)):
            yield section


def _comparable(name: str, was: Document, now: Document) -> bool:
    if name in {"named_as", "followed_from"}:
        name = "relevance_parts"
    return name not in {"packing_tokens", "relevance_parts"} or (name in was) == (name in now)


def _place(entry: Document | None) -> Place | None:
    if entry is None:
        return None
    signals = {name: entry[field] for name, field in SIGNALS.items()}
    return Place(
        position=entry.get("position"),
        rank=entry["rank"],
        score=entry["score"],
        signals=signals | {name: entry[f"{name}_score"] for name in CHANNELS},
        tokens=entry["tokens"],
        text_tokens=entry["text_tokens"],
        reason_code=entry["reason_code"],
        reason=entry.get("included_reason") or entry.get("excluded_reason") or "",
    )


def compared_lines(a: Document, b: Document) -> dict[str, tuple[Line, ...]]:
    """Section -> values that differ; sections without any are left out."""
    found = {
        "text": tuple(_changed(_text(a), _text(b))),
        "checks": tuple(_changed(_checks(a), _checks(b))),
        "coverage": tuple(_changed(_coverage(a), _coverage(b))),
        "conflicts": tuple(_changed(_conflicts(a), _conflicts(b))),
        "ledger": tuple(_changed(_ledger(a), _ledger(b))),
        "packing": tuple(_changed(_packing(a), _packing(b))),
        "other": tuple(_changed(_other(a, b), _other(b, a))),
    }
    return {section: lines for section, lines in found.items() if lines}


def _changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Line]:
    """In the order of A, then what B alone has."""
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            yield Line(name=name, was=was.get(name), now=now.get(name))


def _text(document: Document) -> Document:
    rendered = document["rendered"]
    # A format or an order that changes nothing in the text is an input alone.
    return {name: rendered[name] for name in ("sha256", "tokens", "notice", "notice_tokens")}


def _ledger(document: Document) -> Document:
    history = {f"history.{name}": value for name, value in document["history"].items()}
    margin = {"tokenizer.margin_tokens": document["tokenizer"]["margin_tokens"]}
    return {**document["budget"], **margin, **history, **_divided(document)}


def _divided(document: Document) -> Document:
    """What each section got, and what became of each note, example and tool."""
    sections = {f"section.{each['name']}": each["got"] for each in document.get("sections", ())}
    notes = document.get("memory", {"notes": ()})["notes"]
    examples = document.get("examples", {"examples": ()})["examples"]
    tools = document.get("tools", {"tools": ()})["tools"]
    pieces = [
        *((f"note.{each['note_id']}", each) for each in notes),
        *((f"example.{each['example_id']}", each) for each in examples),
        *((f"tool.{each['name']}", each) for each in tools),
    ]
    return sections | {
        name: "in" if each["included"] else each["reason_code"] for name, each in pieces
    }


def _packing(document: Document) -> Document:
    packing = document["packing"]
    return {name: value for name, value in packing.items() if name not in _PACKING_INPUTS}


def _coverage(document: Document) -> Document:
    return {
        "type of the query": document["query_type"],
        **document["coverage"],
        **{f"diversity.{name}": value for name, value in document["diversity"].items()},
    }


def _conflicts(document: Document) -> Document:
    told: dict[str, Any] = {"status": document["consistency"]["status"]}
    for each in document["consistency"]["conflicts"]:
        sides = [each[side] for side in ("a", "b")]
        name = f"{each['chunk_a']} / {each['chunk_b']}, {each['kind']}"
        values = " / ".join(side["value"] for side in sides)
        places = " / ".join(f"{side['start']}-{side['end']}" for side in sides)
        texts = " / ".join(side["text"] for side in sides)
        told[name] = f"{values} at {places}: {texts}"
    return told


def _checks(document: Document) -> Document:
    checks = {each["name"]: f"{each['status']}: {each['detail']}" for each in document["checks"]}
    return {"status": document["status"], **checks}


def _other(document: Document, beside: Document) -> Document:
    """Whatever has no section of its own, of this version or a later one."""
    left = {key: value for key, value in document.items() if key not in _SAID_ELSEWHERE}
    rows = [[entry["chunk_id"] for entry in entries_of(each)] for each in (document, beside)]
    for name, setting in _RENDERED_BY.items():
        # Where the setting is another one, that is an input.
        if document["profile"].get(setting) == beside["profile"].get(setting):
            left[f"rendered.{name}"] = document["rendered"][name]
    for name in _PLACED_BY_ENTRY:
        if rows[0] != rows[1] or name not in document or name not in beside:
            left.pop(name, None)
    for entry in entries_of(document):
        for name in sorted(entry.keys() - _KNOWN_FIELDS):
            left[f"{entry['chunk_id']}.{name}"] = entry[name]
    return left


_KNOWN_FIELDS = {
    *(name for fields in _FIELDS.values() for name in fields),
    *("chunk_id", "source", "source_id", "section_id", "position_in_source", "timestamp"),
    *("topic_tags", "declared_trust", "content_hash", "text", "header"),
}
"""Fields of an entry that a section or an input speaks about."""
