"""explainability.csv: one row a candidate, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.packet.rows import SIGNALS
from packhorse.types.candidate import CLIPPED, RELEVANCE_PARTS

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

__all__ = ["COLUMNS", "explainability_csv"]

COLUMNS = (
    *("chunk_id", "action", "reason", "score", "tokens", "position"),
    *("source", "reason_code", *SIGNALS, "rank"),
    *(f"relevance_{name}" for name in (*RELEVANCE_PARTS, CLIPPED)),
    *("named_as", "followed_from", "followed_name"),
)
"""The first six are fixed; further columns may follow in later versions."""

FORMULA_OPENERS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet take a cell for a formula, or skip to what does; full width too."""


def explainability_csv(packet: Packet) -> str:
    """The decisions as CSV (RFC 4180, CRLF): packed chunks in reading order, then the others.

    A text that a spreadsheet would run gets an apostrophe in front. Numbers stay numbers; what
    is unknown is an empty cell.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(packet.document))
    return sheet.getvalue()


def _rows(document: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for entry in document["packed_chunks"]:
        yield _row(entry, "included", entry["included_reason"])
    for entry in document["excluded_chunks"]:
        yield _row(entry, "excluded", entry["excluded_reason"])


def _row(entry: Mapping[str, Any], action: str, reason: str) -> Sequence[str]:
    return (
        _text(entry["chunk_id"]),
        action,
        _text(reason),
        _number(entry["score"]),
        _number(entry["tokens"]),
        _number(entry.get("position")),
        _text(entry["source"]),
        entry["reason_code"],
        *(_number(entry[field]) for field in SIGNALS.values()),
        _number(entry["rank"]),
        *_relevance(entry),
    )


def _relevance(entry: Mapping[str, Any]) -> Iterator[str]:
    """What the relevance is made of; empty where the packet does not say."""
    parts = entry.get("relevance_parts")
    for name in (*RELEVANCE_PARTS, CLIPPED):
        yield "" if parts is None else _number(parts.get(name, 0.0))
    mention = entry.get("followed_from") or {}
    yield _text(entry.get("named_as", ""))
    yield _text(mention.get("chunk_id", ""))
    yield _text(mention.get("name", ""))


def _text(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA_OPENERS) else cell


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6f}"
