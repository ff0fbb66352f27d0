"""Charges everything that stands in the window before evidence is chosen."""

from __future__ import annotations

from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetExceededError, ConfigError, InvalidBudgetError
from packhorse.tokens.framed import framed_counts
from packhorse.tokens.requests.count import message_costs
from packhorse.types.ledger import FIXED_LINES, Ledger
from packhorse.types.message import Message
from packhorse.types.request import QUESTION_OPENER, RequestParts

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["check_budget", "plan_window", "with_evidence_budget"]


def plan_window(
    parts: RequestParts,
    spec: ModelSpec,
    counter: TokenCounter,
    *,
    output_reservation: int,
    budget: int | None,
    tools_tokens: int = 0,
    thinking_budget: int = 0,
) -> Ledger:
    """The ledger of a request whose evidence section is still to be filled.

    System prompt and safety preamble are one message: the preamble is charged with what it adds
    to the prompt, so that the join between them is exact. Contents of earlier messages are
    `history`; notes and sections of the operator's own are `memory`; examples are `few_shot`, their
    framing included; framing of all other messages and of the reply is `message_overhead`.

    Args:
        parts: the request; its evidence is not looked at.
        spec: limits and framing of the model.
        counter: counts for the model.
        output_reservation: tokens kept free for the answer.
        budget: cap of the evidence section; None is all that is left, 0 is none.
        tools_tokens: definitions of tools, already counted.
        thinking_budget: part of the reservation that the model may think with; 0 is none.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of zero or more.
        ConfigError: `output_reservation` is negative, above what the model can write, or not
            above the thinking budget.
        BudgetExceededError: the fixed lines and the reservation are over the window.
    """
    cap = check_budget(budget)
    _check_reservation(output_reservation, thinking_budget, spec)
    question = f"{QUESTION_OPENER}{parts.query}"
    (prompt, _), (system, query) = framed_counts(
        counter, [parts.system_prompt, ""], [parts.system_text, question]
    )
    memory = _sections(parts.sections, question, query, counter)
    # Runs of spaces and newlines can cost less joined than apart; no line goes below zero.
    preamble = max(0, system - prompt)
    history = message_costs(parts.history, spec, counter)
    examples = message_costs(parts.examples, replace(spec, calibration=None), counter)
    framed = sum(cost.overhead for cost in examples)
    overhead, calibration = _overhead(parts, spec, counter, framed)
    ledger = Ledger(
        total_window=spec.window,
        system_prompt=system - preamble,
        safety_preamble=preamble,
        tools=tools_tokens,
        few_shot=sum(cost.total for cost in examples),
        memory=memory,
        history=sum(cost.content for cost in history),
        query=query,
        message_overhead=overhead,
        calibration=calibration,
        output_reservation=output_reservation,
    )
    return _with_evidence(ledger, spec, cap)


def _sections(sections: str, question: str, query: int, counter: TokenCounter) -> int:
    """What notes and own sections cost: alone, or before the question where that is more."""
    if not sections:
        return 0
    alone, joined = counter.count_batch([sections, sections + question])
    return max(alone, joined - query)


def with_evidence_budget(ledger: Ledger, spec: ModelSpec, budget: int | None) -> Ledger:
    """The ledger with its evidence budget set by its fixed lines as they are now.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of zero or more.
        BudgetExceededError: the fixed lines and the reservation are over the window.
    """
    return _with_evidence(ledger, spec, check_budget(budget))


def check_budget(budget: Any, name: str = "budget") -> int | None:
    """The budget as a whole number, or None for no cap.

    Args:
        budget: what was given.
        name: the setting that it was given as, for the error.

    Raises:
        InvalidBudgetError: text, a fraction, a truth value or a negative number.
    """
    if budget is None:
        return None
    try:
        # True and False are whole numbers to `index`, and never meant as a budget.
        tokens = -1 if isinstance(budget, bool) else index(budget)
    except TypeError:
        tokens = -1
    if tokens < 0:
        raise InvalidBudgetError(
            f"{name} is {budget!r}, not a whole number of zero or more",
            hint=f"Set {name} to a whole number, or leave it out for no limit",
        )
    return tokens


def _check_reservation(reservation: int, thinking: int, spec: ModelSpec) -> None:
    if reservation < 0:
        raise ConfigError(
            f"output_reservation is {reservation}", hint="Set output_reservation to 0 or more"
        )
    if reservation > spec.max_output:
        raise ConfigError(
            f"output_reservation is {reservation}, above the {spec.max_output} tokens that"
            f" {spec.name} can write (max_output)",
            hint=f"Set output_reservation to {spec.max_output} or less",
        )
    if thinking and reservation <= thinking:
        raise ConfigError(
            f"output_reservation is {reservation}, not above the thinking_budget of {thinking}",
            hint="Thinking is part of the output: reserve more, or let the model think less",
        )


def _overhead(
    parts: RequestParts, spec: ModelSpec, counter: TokenCounter, examples: int
) -> tuple[int, int]:
    """Framing of the request besides that of its examples, and how much a calibration added."""
    overhead = _frame(parts, spec, counter) - examples
    if spec.calibration is None:
        return overhead, 0
    plain = _frame(parts, replace(spec, calibration=None), counter) - examples
    once = spec.calibration.request_tokens(len(parts.tools), system=parts.has_instructions)
    corrected = max(0, overhead + once)
    return corrected, corrected - plain


def _frame(parts: RequestParts, spec: ModelSpec, counter: TokenCounter) -> int:
    """Overhead of all messages and of the reply."""
    roles = ("system", "user") if parts.system_text else ("user",)
    messages = [*parts.examples, *parts.history, *(Message(role=role) for role in roles)]
    frames = message_costs(messages, spec, counter)
    return sum(frame.overhead for frame in frames) + spec.framing.reply


def _with_evidence(ledger: Ledger, spec: ModelSpec, cap: int | None) -> Ledger:
    """The ledger with its evidence budget, once everything fixed fits."""
    limits = [ledger.available_evidence]
    if spec.max_input is not None:
        limits.append(spec.max_input - ledger.fixed)
    available = min(limits)
    if available < 0:
        raise _over(ledger, spec, available)
    return replace(ledger, evidence_budget=available if cap is None else min(cap, available))


def _over(ledger: Ledger, spec: ModelSpec, available: int) -> BudgetExceededError:
    names = (*FIXED_LINES, "output_reservation")
    lines = [(name, int(getattr(ledger, name))) for name in names]
    parts = [(name, tokens) for name, tokens in lines if tokens]
    largest = max(parts, key=lambda part: part[1])
    needed = ledger.fixed + ledger.output_reservation
    limit = f"window of {spec.window}"
    room = spec.window
    if available < ledger.available_evidence and spec.max_input is not None:
        needed, room, limit = ledger.fixed, spec.max_input, f"input limit of {spec.max_input}"
        parts = [part for part in parts if part[0] != "output_reservation"]
        largest = max(parts, key=lambda part: part[1])
    breakdown = " + ".join(f"{name} {tokens}" for name, tokens in parts)
    return BudgetExceededError(
        f"The request needs {needed} tokens before any evidence, over the {limit} of {spec.name}:"
        f" {breakdown}; the largest part is {largest[0]} ({largest[1]})",
        needed=needed,
        available=room,
        parts=parts,
        hint=f"Shorten {largest[0]} by {needed - room} tokens, or choose a model with more room",
    )
