"""What a caller asks of a fitted conversation, step by step: files, tools, examples, the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.ledger.plan import check_budget
from packhorse.profiles.sections import read_sections
from packhorse.window.few_shot.examples import Examples, read_examples
from packhorse.window.few_shot.fit import ExampleOptions, fit_with_examples
from packhorse.window.few_shot.pool import ExampleSettings
from packhorse.window.fit import Fitted, Job, fit_conversation
from packhorse.window.memory.choose import memory_pool
from packhorse.window.memory.notes import read_notes
from packhorse.window.offload import offload
from packhorse.window.policies.registry import history_policy
from packhorse.window.policies.summarised import SummarisedWindow
from packhorse.window.report import FittedMessages, fitted_messages
from packhorse.window.sections.policy import WITHOUT_EVIDENCE, section_policy
from packhorse.window.sections.pools import Pools
from packhorse.window.sections.surround import Surroundings
from packhorse.window.summary.fit import SummaryOptions, fit_with_summary, spoken
from packhorse.window.summary.running import RunningSummary, read_summary
from packhorse.window.surrounded import fit_surrounded, last_word, without_sections
from packhorse.window.tool_choice.fit import ToolOptions, fit_with_tools

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.profiles.sections import Sections
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.inserted import Inserted
    from packhorse.window.memory.notes import Memory
    from packhorse.window.offload import Offloaded
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.sections.policy import SectionPolicy
    from packhorse.window.sections.surround import Beside
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
    if options.memory is not None or options.sections is not None:
        conversation = without_sections(conversation)
    offloaded: tuple[Offloaded, ...] = ()
    if options.offload is not None:
        conversation, offloaded = offload(conversation, costs, limit, options.offload)
    windowed = _Windowed(conversation, costs, limit, options)
    shown: list[ChosenExamples] = []

    def exemplified(conversation: Conversation) -> Fitted:
        if pool is None:
            return windowed(conversation)
        fitted, chosen = fit_with_examples(conversation, costs, limit, pool, windowed)
        shown[:] = [chosen]
        return fitted

    pool, caps = _example_options(options), _tool_options(options)
    tools: ChosenTools | None = None
    if caps is None:
        fitted = exemplified(conversation)
    else:
        fitted, tools = fit_with_tools(conversation, costs, caps, exemplified)
    return fitted_messages(
        replace(fitted, offloaded=offloaded),
        windowed.beside,
        examples=shown[0] if shown else None,
        tools=tools,
    )


class _Windowed:
    """Fits with the policy, and with a summary where one is asked for."""

    def __init__(
        self, conversation: Conversation, costs: Costs, limit: int, options: FitOptions
    ) -> None:
        policy = options.policy
        self._policy = history_policy(policy) if isinstance(policy, str) else policy
        self._options = options
        conversation.units_at(options.pin)
        self._summary = _summary_options(self._policy, options)
        self._costs, self._limit = costs, limit
        self.beside: Beside | None = None
        """What came of notes and sections the last time."""
        conversation.units_at(options.pin)

    def __call__(self, conversation: Conversation, inserted: tuple[Inserted, ...] = ()) -> Fitted:
        options, costs, limit = self._options, self._costs, self._limit
        pinned = conversation.units_at(options.pin)
        fits = partial(self._within, conversation, inserted, pinned)
        if options.memory is None and options.sections is None:
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
            settles=self._summary is None or self._summary.by is None,
            inserted=inserted,
        )
        return fitted

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


def _surroundings(conversation: Conversation, costs: Costs, options: FitOptions) -> Surroundings:
    """What competes with the conversation for a request without evidence."""
    try:
        day = None if options.as_of is None else parse_timestamp(options.as_of)
    except ValueError as error:
        raise InputError(
            f"as_of {options.as_of!r} is not a date: {error}", hint="Write it as 2026-01-15"
        ) from error
    place = last_word(conversation)
    notes = read_notes(options.memory)
    question = "" if place is None else conversation.entries[place].text
    pool = memory_pool(notes, question, costs.counter, as_of=day) if notes else None
    return Surroundings(_sections(options), Pools(notes=pool), costs.counter)


def _sections(options: FitOptions) -> SectionPolicy:
    return section_policy(WITHOUT_EVIDENCE, read_sections(options.sections))


def _summary_options(policy: HistoryPolicy, options: FitOptions) -> SummaryOptions | None:
    """None where nobody asked for a summary."""
    given = (options.summary_tokens, options.summary, options.summariser)
    if policy.name != SummarisedWindow.name and all(each is None for each in given):
        return None
    by = options.summariser
    return SummaryOptions(
        max_tokens=check_budget(options.summary_tokens),
        previous=None if options.summary is None else read_summary(options.summary),
        by=_summariser_at(by) if isinstance(by, str) else by,
    )


def _summariser_at(url: str) -> Summariser:
    from packhorse.window.summary.endpoint import EndpointSummariser

    return EndpointSummariser(url)


def _example_options(options: FitOptions) -> ExampleOptions | None:
    if options.examples is None:
        return None
    asked = check_budget(options.examples_tokens)
    cap = _sections(options)["examples"].cap
    return ExampleOptions(
        examples=read_examples(options.examples),
        max_tokens=(cap or "100%") if asked is None else asked,
        share=DEFAULT_SHARE if asked is None else "100%",
        pin=tuple(options.pin),
        elides=options.elide,
        settings=ExampleSettings(form=options.examples_form, order=options.examples_order),
    )


def _tool_options(options: FitOptions) -> ToolOptions | None:
    """None where no cap is set."""
    if options.max_tools is None and options.tool_tokens is None:
        return None
    policy = options.policy if isinstance(options.policy, str) else options.policy.name
    sums_up = (options.summary_tokens, options.summary, options.summariser)
    return ToolOptions(
        max_tools=check_budget(options.max_tools),
        max_tokens=check_budget(options.tool_tokens),
        pinned=tuple(options.pin_tools),
        previous=tuple(options.previous_tools),
        is_asked_once=any(each is not None for each in sums_up) or policy == SummarisedWindow.name,
    )
