"""What a packet says about its conversation and its sections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packhorse.types.chunk import Chunk
from packhorse.types.verdict import Check, Status
from packhorse.verify.injection import injection_check
from packhorse.window.sections.surround import below_floor

if TYPE_CHECKING:
    from packhorse.window.history import FittedHistory
    from packhorse.window.memory.choose import ChosenNotes
    from packhorse.window.sections.surround import Beside
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["history_check", "notes_check", "sections_check", "tools_check", "window_checks"]


def window_checks(fitted: FittedHistory | None, beside: Beside | None) -> tuple[Check, ...]:
    """What there is to say of the conversation, then of the sections."""
    return (
        *history_check(fitted),
        *sections_check(beside, fitted),
        *notes_check(None if beside is None else beside.memory),
        *tools_check(None if beside is None else beside.tools),
    )


def notes_check(memory: ChosenNotes | None) -> tuple[Check, ...]:
    """Warns when a note that is in holds a phrase that speaks to the model."""
    if memory is None or not memory.kept:
        return ()
    notes = [note for note in memory.notes if note.note_id in memory.kept]
    chunks = [Chunk(chunk_id=each.note_id, source_id="memory", text=each.text) for each in notes]
    return (replace(injection_check(chunks), name="memory"),)


def tools_check(tools: ChosenTools | None) -> tuple[Check, ...]:
    """Warns when tools that must be in are more than was asked for."""
    if tools is None:
        return ()
    n_in = f"{len(tools.kept)} of {len(tools.costs)} tools, {tools.tokens} tokens"
    if not tools.is_over:
        return (Check(name="tools", status=Status.PASS, detail=n_in),)
    caps = (("tools", tools.max_tools), ("tokens", tools.max_tokens))
    asked = ", ".join(f"at most {cap} {unit}" for unit, cap in caps if cap is not None)
    detail = f"{n_in}, and {asked} asked for: pinned and called ones stay"
    return (Check(name="tools", status=Status.WARN, detail=detail),)


def history_check(fitted: FittedHistory | None) -> tuple[Check, ...]:
    """Warns when turns of the conversation were left out to make room."""
    if fitted is None:
        return ()
    n_dropped = len(fitted.dropped)
    status = Status.WARN if n_dropped else Status.PASS
    detail = (
        f"History compressed: {fitted.reason}"
        if n_dropped
        else f"all {len(fitted.kept)} messages of the history fit"
    )
    return (Check(name="history", status=status, detail=detail),)


def sections_check(beside: Beside | None, fitted: FittedHistory | None) -> tuple[Check, ...]:
    """Warns when a section has less than its floor; says when history gave way to a floor."""
    if beside is None:
        return ()
    missed = list(below_floor(beside.allocation))
    if missed:
        return (Check(name="sections", status=Status.WARN, detail="; ".join(missed)),)
    floors = [
        f"{each.demand.floor:,} of {each.name}"
        for each in beside.allocation.sections
        if each.demand.floor and each.name != "history" and each.got
    ]
    detail = "every section has its floor"
    if fitted is not None and fitted.dropped and floors:
        detail += f"; history gave way to the floors ({', '.join(floors)})"
    return (Check(name="sections", status=Status.PASS, detail=detail),)
