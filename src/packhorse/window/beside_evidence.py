"""Divides the window of a packet: turns, notes and own sections beside the evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from packhorse.ledger.plan import check_budget, plan_window
from packhorse.types.message import Message
from packhorse.types.section import Section, amount_in
from packhorse.window.companions import called_names
from packhorse.window.history import FittedHistory, fit_history, history_asks
from packhorse.window.history_summary import sum_up_history
from packhorse.window.sections.policy import section_policy
from packhorse.window.sections.surround import Surroundings
from packhorse.window.shape_overhead import shape_overhead
from packhorse.window.tool_choice.capped import CALLED

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.ledger import Ledger
    from packhorse.types.request import RequestParts
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.sections.policy import SectionPolicy
    from packhorse.window.sections.pools import Pools
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
    """None where nothing competes besides turns and evidence."""
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
    history: tuple[Message, ...],
    pools: Pools,
    evidence: tuple[int, int],
    budget: int | None,
    fitted: FittedHistory | None = None,
    known: Asks | None = None,
) -> Divided:
    """Each section's room, and what of turns, notes, examples, tools and own sections fits into it.

    Tools that the conversation calls stay as far as the call stays: which calls do depends on the
    room that tools leave, so it is divided again with each tool that turns out to be needed.

    Args:
        parts: instructions and question.
        spec: limits of the model.
        counter: counts for it.
        profile: reservation, limits of the history, sections.
        history: earlier messages.
        pools: notes, examples and tools that compete.
        evidence: tokens of the evidence section with everything that competes, and of what must be
            in it.
        budget: cap of the evidence section; None is all that is left.
        fitted: a history that was cut already.
        known: what history and evidence asked for, where that is known already.

    Raises:
        BudgetExceededError: what must be in is over the window.
        ConfigError: what must be in one section is over its cap.
    """
    bare = plan_window(
        parts, spec, counter, output_reservation=profile.request.output_reservation, budget=None
    )
    asks = _fixed_asks(bare)
    asks["evidence"] = _within(evidence, budget)
    if history:
        asks["history"] = history_asks(history, counter, spec)
    asks |= known or {}
    room = bare.evidence_budget + bare.fixed + bare.output_reservation
    more = 0
    called: frozenset[str] = frozenset()
    while True:
        asks["query"] = (bare.query + bare.message_overhead + more,) * 2
        surroundings = Surroundings(_policy(profile, bare, pools, called), pools, counter)
        allocation = surroundings.allocated(
            {name: each for name, each in asks.items() if each[0]}, room, called
        )
        turns = fitted
        if history and turns is None:
            is_summed_up = surroundings.policy["history"].rule == "summarise"
            cut = partial(sum_up_history, parts.query) if is_summed_up else fit_history
            turns = cut(history, counter, spec, allocation.of("history"))
        kept = turns.kept if turns else ()
        beside = surroundings.chosen(allocation, called)
        needed = called_names(kept)
        if beside.tools and (needed - called) & beside.tools.left_out.keys():
            called |= needed
            continue
        beside = _without_idle(beside, pools, called - needed)
        whole = replace(parts, history=kept, sections=beside.text, **_shown(beside))
        over = shape_overhead(whole, spec, counter)
        if over <= more:
            cap = _cap(surroundings.policy, bare.evidence_budget)
            return Divided(parts=whole, fitted=turns, beside=beside, evidence_cap=cap)
        more = over


def _policy(profile: Profile, bare: Ledger, pools: Pools, called: frozenset[str]) -> SectionPolicy:
    """Every section with its limits, shares being of what tools leave that must be in."""
    declared = section_policy(profile.sections)
    is_fixed = pools.tools is not None and declared["tools"].rule == "never"
    tools = pools.tools.asks(called)[0] if pools.tools is not None and is_fixed else 0
    return section_policy(_limits(profile, bare.evidence_budget - tools), profile.sections)


def _shown(beside: Beside) -> dict[str, Any]:
    """Examples and tools as parts of the request."""
    return {
        "examples": () if beside.examples is None else example_turns(beside.examples),
        "tools": () if beside.tools is None else tuple(beside.tools.definitions.values()),
    }


def example_turns(chosen: ChosenExamples) -> tuple[Message, ...]:
    """A user who asks and an assistant who answers, example by example."""
    return tuple(
        Message(role=role, content=text)
        for each in chosen.examples
        for role, text in (("user", each.input), ("assistant", each.output))
    )


def _without_idle(beside: Beside, pools: Pools, idle: frozenset[str]) -> Beside:
    """Without tools that were in for calls which, beside them, found no room."""
    if beside.tools is None or pools.tools is None:
        return beside
    gone = [name for name in sorted(idle) if beside.tools.because.get(name) is CALLED]
    if not gone:
        return beside
    return replace(beside, tools=pools.tools.without(beside.tools, gone))


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
