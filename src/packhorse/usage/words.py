"""A calibration in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.tokens.calibration import name_of

if TYPE_CHECKING:
    from packhorse.tokens.calibration import Calibration

__all__ = ["evidence", "in_words", "seen_ranges"]


def in_words(calibration: Calibration) -> str:
    """What it adds, part by part."""
    parts = [
        (calibration.per_request, "a request"),
        (calibration.per_message, "a message"),
        (calibration.without_system, "without instructions"),
        (calibration.with_tools, "once with tools"),
        (calibration.per_tool, "a tool"),
        (calibration.per_call, "a tool call"),
    ]
    words = [f"{tokens:+,} {of}" for tokens, of in parts if tokens]
    if calibration.margin is not None and calibration.margin != calibration.margin_before:
        words.insert(0, f"margin {calibration.margin_before:.0%} -> {calibration.margin:.0%}")
    return ", ".join(words) or "nothing to correct"


def evidence(calibration: Calibration) -> str:
    """How many requests of which days it was made of."""
    days = ""
    if calibration.first is not None:
        days = f", {calibration.first} to {calibration.last}"
        if calibration.first == calibration.last:
            days = f", {calibration.first}"
    return f"{calibration.samples:,} different requests{days}"


def seen_ranges(calibration: Calibration) -> str:
    """What those requests were made of."""
    said = []
    for part in ("messages", "system", "tools", "calls", "images", "tokens", "wide"):
        low, high = getattr(calibration.seen, part)
        if high or part in {"messages", "tokens"}:
            ends = f"{low:,}" if low == high else f"{low:,} to {high:,}"
            said.append(f"{ends} {name_of(part, high)}")
    return ", ".join(said)
