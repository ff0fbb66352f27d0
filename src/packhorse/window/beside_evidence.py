"""Divides the window of a packet: turns, notes and own sections beside the evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.ledger.plan import check_budget, plan_window
from packhorse.types.section import Section, amount_in
from packhorse.window.history import FittedHistory, fit_history, history_asks
from packhorse.window.sections.policy import section_policy
from packhorse.window.sections.surround import Surroundings
from packhorse.window.shape_overhead import shape_overhead

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.ledger import Ledger
    from packhorse.types.message import Message
    from packhorse.types.note import Note
    from packhorse.types.query import Query
    from packhorse.types.request import RequestParts
    from packhorse.window.memory.choose import NotePool
    from packhorse.window.sections.policy import SectionPolicy
    from packhorse.window.sections.surround import Asks, Beside

__all__ = ["HISTORY_SHARE", "Divided", "divide_window"]

HISTORY_SHARE = 0.5
"""Share of what the fixed lines leave that a conversation may take when no cap is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided:
    """A request whose evidence is still to be filled in, and how its window was divided."""

    parts: RequestParts
    fitted: FittedHistory | None = None
    beside: Beside | None = None
    """None where neither notes nor sections compete."""
    evidence_cap: int | None = None
    """What evidence may take by its declaration; None where none is declared."""

    def capped(self, budget: int | None) -> int | None:
        """The smaller of what was asked for and what sections allow; None is no cap."""
        caps = [each for each in (check_budget(budget), self.evidence_cap) if each is not None]
        return min(caps, default=None)


def divide_window(
    parts: RequestParts,
    spec: ModelSpec,
    counter: TokenCounter,
    *,
    profile: Profile,
    query: Query,
    history: tuple[Message, ...],
    notes: tuple[Note, ...],
    evidence: tuple[int, int],
    budget: int | None,
    fitted: FittedHistory | None = None,
    known: Asks | None = None,
    pool: NotePool | None = None,
) -> Divided:
    """Each section's room, and what of turns, notes and own sections fits into it.

    Args:
        parts: instructions and question.
        spec: limits of the model.
        counter: counts for it.
        profile: reservation, limits of the history, sections.
        query: the question with its day.
        history: earlier messages.
        notes: the memory.
        evidence: tokens of the evidence section with everything that competes, and of what must be
            in it.
        budget: cap of the evidence section; None is all that is left.
        fitted: a history that was cut already.
        known: what history and evidence asked for, where that is known already.
        pool: notes that were chosen already, in the place of `notes`.

    Raises:
        BudgetExceededError: what must be in is over the window.
        ConfigError: what must be in one section is over its cap.
    """
    request = profile.request
    bare = plan_window(
        parts, spec, counter, output_reservation=request.output_reservation, budget=None
    )
    free = bare.evidence_budget
    policy = section_policy(_limits(profile, free), profile.sections)
    asks = _fixed_asks(bare)
    asks["evidence"] = _within(evidence, budget)
    if history:
        asks["history"] = history_asks(history, counter, spec)
    asks |= known or {}
    surroundings = _surroundings(policy, notes, query, counter, profile=profile, pool=pool)
    room = free + bare.fixed + bare.output_reservation
    more = 0
    while True:
        asks["query"] = (bare.query + bare.message_overhead + more,) * 2
        allocation = surroundings.allocated(
            {name: each for name, each in asks.items() if each[0]}, room
        )
        turns = fitted
        if history and turns is None:
            turns = fit_history(history, counter, spec, allocation.of("history"))
        beside = surroundings.chosen(allocation)
        whole = replace(parts, history=turns.kept if turns else (), sections=beside.text)
        over = shape_overhead(whole, spec, counter)
        if over <= more:
            break
        more = over
    return Divided(parts=whole, fitted=turns, beside=beside, evidence_cap=_cap(policy, free))


def _surroundings(
    policy: SectionPolicy,
    notes: tuple[Note, ...],
    query: Query,
    counter: TokenCounter,
    *,
    profile: Profile,
    pool: NotePool | None,
) -> Surroundings:
    """What competes, with freshness as evidence has it."""
    return Surroundings(
        policy,
        notes,
        query.text,
        counter,
        as_of=query.as_of,
        weights=profile.rerank.weights,
        half_life_days=profile.rerank.freshness_half_life_days,
        pool=pool,
    )


def _within(evidence: tuple[int, int], budget: int | None) -> tuple[int, int]:
    """What evidence asks for within its budget; what must be in is told whatever that is."""
    asked, needs = evidence
    return (asked if budget is None else max(needs, min(asked, budget))), needs


def _fixed_asks(bare: Ledger) -> dict[str, tuple[int, int]]:
    """What is never cut; the framing of the request is the question's."""
    asks = {
        "instructions": bare.system_prompt + bare.safety_preamble,
        "query": bare.query + bare.message_overhead,
        "output": bare.output_reservation,
    }
    return {name: (tokens, tokens) for name, tokens in asks.items()}


def _limits(profile: Profile, free: int) -> tuple[Section, ...]:
    """What settings besides `sections` say about history and evidence."""
    request = profile.request
    room = max(0, free - request.min_evidence_tokens)
    cap = request.history_max_tokens
    most = int(room * HISTORY_SHARE) if cap is None else min(cap, room)
    return (
        Section(name="history", cap=most),
        Section(name="evidence", floor=request.min_evidence_tokens),
    )


def _cap(policy: SectionPolicy, free: int) -> int | None:
    cap = policy["evidence"].cap
    return None if cap is None else amount_in(cap, free, "sections.evidence.cap")
