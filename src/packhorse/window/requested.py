"""What a caller asks of a fitted conversation, step by step: files, tools, examples, the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.ledger.plan import check_budget
from packhorse.profiles.sections import read_sections
from packhorse.window.few_shot.examples import Examples, read_examples
from packhorse.window.few_shot.fit import ExampleOptions, fit_with_examples, pool_beside
from packhorse.window.few_shot.pool import ExampleSettings
from packhorse.window.fit import Fitted, Job, fit_conversation
from packhorse.window.fit_settings import check_options, day_of, indexes_in, names_in
from packhorse.window.memory.choose import memory_pool
from packhorse.window.memory.notes import read_notes
from packhorse.window.offload import offload
from packhorse.window.policies.registry import history_policy
from packhorse.window.policies.summarised import SummarisedWindow
from packhorse.window.report import FittedMessages, fitted_messages
from packhorse.window.sections.earlier import without_sections
from packhorse.window.sections.explain import explained
from packhorse.window.sections.policy import WITHOUT_EVIDENCE, section_policy
from packhorse.window.sections.pools import Pools
from packhorse.window.sections.surround import UNLIMITED, Surroundings
from packhorse.window.summary.fit import SummaryOptions, fit_with_summary, spoken
from packhorse.window.summary.running import RunningSummary, read_summary
from packhorse.window.surrounded import asks_of, fit_surrounded
from packhorse.window.tool_choice.fit import ToolOptions, fit_with_tools

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.profiles.sections import Sections
    from packhorse.types.section import Amount
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.inserted import Inserted
    from packhorse.window.memory.notes import Memory
    from packhorse.window.offload import Offloaded
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.sections.allocate import Allocation
    from packhorse.window.sections.policy import SectionPolicy
    from packhorse.window.sections.surround import Asks, Beside
    from packhorse.window.summary.summariser import Summariser
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["FitOptions", "fit_as_asked"]


DEFAULT_SHARE = "25%"
"""What examples may take of the room beside what must stay, where their size was not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """How a conversation is fitted; the fields are the keywords of `fit_messages`."""

    policy: str | HistoryPolicy = "sliding"
    pin: Sequence[int] = ()
    elide: bool = True
    summary_tokens: int | None = None
    summary: RunningSummary | Mapping[str, Any] | None = None
    summariser: str | Summariser | None = None
    offload: str | Path | None = None
    memory: Memory | None = None
    sections: Sections | None = None
    as_of: datetime | str | None = None
    examples: Examples | None = None
    examples_tokens: int | None = None
    examples_form: str = "turns"
    examples_order: str = "similar_last"
    max_tools: int | None = None
    tool_tokens: int | None = None
    pin_tools: Sequence[str] = ()
    previous_tools: Sequence[str] = ()

    @property
    def divides(self) -> bool:
        """Whether sections share the window, because they or notes were given."""
        return self.memory is not None or self.sections is not None


def fit_as_asked(
    conversation: Conversation, costs: Costs, limit: int, options: FitOptions
) -> FittedMessages:
    """The conversation as the options say, within its limit.

    Results go into files first, then tools are chosen, then examples, and what is left is the
    room of the conversation.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message holds a part that cannot be counted, an index or a tool does not
            exist, or a summary or an example cannot be used.
        ConfigError: a setting cannot be used.
    """
    check_options(options, conversation.body)
    if options.divides:
        own, notes = _sections(options).own, read_notes(options.memory)
        conversation = without_sections(conversation, own, notes)
    offloaded: tuple[Offloaded, ...] = ()
    if options.offload is not None:
        pinned = conversation.units_at(indexes_in(options.pin))
        conversation, offloaded = offload(conversation, costs, limit, options.offload, pinned)
    windowed = _Windowed(conversation, costs, limit, options)
    rooms = _Rooms(windowed, costs, limit, options) if options.divides else None
    shown: list[ChosenExamples] = []

    def exemplified(conversation: Conversation) -> Fitted:
        if pool is None:
            return windowed(conversation)
        fitted, chosen = fit_with_examples(
            conversation,
            costs,
            limit,
            pool,
            windowed,
            room=None if rooms is None else rooms.of_examples,
        )
        shown[:] = [chosen]
        return fitted

    pool, caps = _example_options(options), _tool_options(options)
    tools: ChosenTools | None = None
    if caps is None:
        fitted = exemplified(conversation)
    else:
        room = None if rooms is None else partial(rooms.of_tools, conversation)
        fitted, tools = fit_with_tools(conversation, costs, caps, exemplified, room)
    return fitted_messages(
        replace(fitted, offloaded=offloaded),
        windowed.beside if rooms is None else rooms.told(windowed.beside),
        examples=shown[0] if shown else None,
        tools=tools,
    )


class _Windowed:
    """Fits with the policy, and with a summary where one is asked for."""

    def __init__(
        self, conversation: Conversation, costs: Costs, limit: int, options: FitOptions
    ) -> None:
        self._policy = history_policy(options.policy)
        self._options = options
        conversation.units_at(indexes_in(options.pin))
        self._summary = _summary_options(self._policy, options)
        self._costs, self._limit = costs, limit
        self.beside: Beside | None = None
        """What came of notes and sections the last time."""

    def __call__(self, conversation: Conversation, inserted: tuple[Inserted, ...] = ()) -> Fitted:
        options, costs, limit = self._options, self._costs, self._limit
        pinned = conversation.units_at(indexes_in(options.pin))
        fits = partial(self._within, conversation, inserted, pinned)
        if not options.divides:
            return fits(limit)
        talk = conversation if self._summary is None else spoken(conversation, self._summary)
        fitted, self.beside = fit_surrounded(
            talk,
            costs,
            limit,
            fits,
            _surroundings(talk, costs, options),
            pinned=pinned,
            elides=options.elide,
            settles=self.settles,
            inserted=inserted,
        )
        return fitted

    @property
    def settles(self) -> bool:
        """Whether it may be asked again: not where somebody outside writes a summary each time."""
        return self._summary is None or self._summary.by is None

    def allocated(self, conversation: Conversation, asked: Asks, turns: int | None) -> Allocation:
        """The room, divided before turns are cut.

        Args:
            conversation: without examples.
            asked: what examples and tools ask for, and what of it must be in.
            turns: tokens that turns take; None: all that they ask for.
        """
        options, costs = self._options, self._costs
        talk = conversation if self._summary is None else spoken(conversation, self._summary)
        pinned = talk.units_at(indexes_in(options.pin))
        asks = {**asks_of(talk, costs, self._limit, pinned, elides=options.elide), **asked}
        if turns is not None:
            asks["history"] = (turns, 0)
        wanted = {name: each for name, each in asks.items() if each[0]}
        return _surroundings(talk, costs, options).allocated(wanted, self._limit)

    def _within(
        self,
        conversation: Conversation,
        inserted: tuple[Inserted, ...],
        pinned: frozenset[int],
        room: int,
    ) -> Fitted:
        """The conversation in so many tokens."""
        job = Job(
            conversation=conversation,
            costs=self._costs,
            limit=room,
            policy=self._policy,
            pinned=pinned,
            elides=self._options.elide,
            inserted=inserted,
        )
        if self._summary is None:
            return fit_conversation(job)
        return fit_with_summary(job, self._summary)


class _Rooms:
    """Rooms of examples and tools among the sections of a conversation."""

    def __init__(self, windowed: _Windowed, costs: Costs, limit: int, options: FitOptions) -> None:
        self._windowed, self._costs, self._limit = windowed, costs, limit
        self._options = options
        self._rule = _sections(options)["tools"].rule
        self._served: dict[str, Allocation] = {}

    def of_examples(self, conversation: Conversation, asked: int, turns: int | None) -> int:
        """Tokens that examples get; no more for what turns left where that cannot be found out."""
        if turns is not None and not self._windowed.settles:
            return 0
        return self._got("examples", conversation, {"examples": (asked, 0)}, turns)

    def of_tools(self, conversation: Conversation, asked: tuple[int, int]) -> int:
        """Tokens that definitions of tools get: all that they ask for where nothing may be out."""
        if self._rule == "never":
            return asked[0]
        examples = _example_options(self._options)
        others = {}
        if examples is not None:
            # Examples of an earlier request are no turns.
            conversation, pool, _ = pool_beside(conversation, self._costs, examples)
            others["examples"] = (pool.asked, 0)
        return self._got("tools", conversation, {**others, "tools": asked}, None)

    def _got(self, name: str, conversation: Conversation, asked: Asks, turns: int | None) -> int:
        self._served[name] = allocation = self._windowed.allocated(conversation, asked, turns)
        return allocation.of(name)

    def told(self, beside: Beside | None) -> Beside | None:
        """The division, with why examples and tools, which were served first, got theirs."""
        if beside is None:
            return None
        allocation, told = beside.allocation, {}
        for name, served in self._served.items():
            for each in served.sections:
                if each.name == name:
                    allocation = allocation.asking(name, each.demand.asked)
                    told[name] = f"room of {each.got:,}: {explained(served, each)}"
        return replace(beside, allocation=allocation, told=told)


def _surroundings(conversation: Conversation, costs: Costs, options: FitOptions) -> Surroundings:
    """What competes with the conversation for a request without evidence."""
    day = day_of(options.as_of)
    place = conversation.last_word
    notes = read_notes(options.memory)
    question = "" if place is None else conversation.entries[place].text
    pool = memory_pool(notes, question, costs.counter, as_of=day) if notes else None
    return Surroundings(_sections(options), Pools(notes=pool), costs.counter)


def _sections(options: FitOptions) -> SectionPolicy:
    return section_policy(WITHOUT_EVIDENCE, read_sections(options.sections))


def _summary_options(policy: HistoryPolicy, options: FitOptions) -> SummaryOptions | None:
    """None where nobody asked for a summary."""
    if not _sums_up(policy.name, options):
        return None
    by = options.summariser
    return SummaryOptions(
        max_tokens=check_budget(options.summary_tokens, "summary_tokens"),
        previous=None if options.summary is None else read_summary(options.summary),
        by=_summariser_at(by) if isinstance(by, str) else by,
    )


def _sums_up(policy: str, options: FitOptions) -> bool:
    """Whether a message stands for turns that are let go of."""
    return _asks_for_summary(policy, options) or _sections(options)["history"].rule == "summarise"


def _asks_for_summary(policy: str, options: FitOptions) -> bool:
    given = (options.summary_tokens, options.summary, options.summariser)
    return policy == SummarisedWindow.name or any(each is not None for each in given)


def _summariser_at(url: str) -> Summariser:
    from packhorse.window.summary.endpoint import EndpointSummariser

    return EndpointSummariser(url)


def _example_options(options: FitOptions) -> ExampleOptions | None:
    if options.examples is None:
        return None
    asked = check_budget(options.examples_tokens, "examples_tokens")
    section = _sections(options)["examples"]
    share: Amount = DEFAULT_SHARE if asked is None and not options.divides else "100%"
    most: Amount = "100%" if section.cap is None else section.cap
    if section.rule == "never":
        most = share = UNLIMITED
    return ExampleOptions(
        examples=read_examples(options.examples),
        max_tokens=most if asked is None else asked,
        share=share,
        pin=indexes_in(options.pin),
        elides=options.elide,
        settings=ExampleSettings(form=options.examples_form, order=options.examples_order),
    )


def _tool_options(options: FitOptions) -> ToolOptions | None:
    """None where no cap is set, and no room to choose within."""
    is_cut = _sections(options)["tools"].rule == "whole"
    if options.max_tools is None and options.tool_tokens is None and not is_cut:
        return None
    policy = options.policy if isinstance(options.policy, str) else options.policy.name
    return ToolOptions(
        max_tools=check_budget(options.max_tools, "max_tools"),
        max_tokens=check_budget(options.tool_tokens, "tool_tokens"),
        pinned=names_in(options.pin_tools, "pin_tools"),
        previous=names_in(options.previous_tools, "previous_tools"),
        is_asked_once=_asks_for_summary(policy, options),
    )
