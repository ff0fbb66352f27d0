"""Fits a conversation in any provider's shape: the small function of the interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.ledger.plan import check_budget
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.window.conversation import Request, read_conversation
from packhorse.window.costs import Costs
from packhorse.window.fit import fit_conversation
from packhorse.window.offload import offload as offload_results
from packhorse.window.policies.registry import history_policy
from packhorse.window.policies.summarised import SummarisedWindow
from packhorse.window.report import FittedMessages, fitted_messages
from packhorse.window.summary.fit import SummaryOptions, fit_with_summary, spoken
from packhorse.window.summary.running import read_summary
from packhorse.window.surrounded import fit_surrounded, last_word, without_sections

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.profiles.sections import Sections
    from packhorse.protocols import TokenCounter
    from packhorse.window.conversation import Conversation
    from packhorse.window.fit import Fitted
    from packhorse.window.memory.notes import Memory
    from packhorse.window.offload import Offloaded
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.sections.surround import Surroundings
    from packhorse.window.summary.running import RunningSummary
    from packhorse.window.summary.summariser import Summariser

__all__ = ["fit_messages", "fit_request"]


def fit_messages(
    messages: Request,
    model: str = "gpt-4o",
    max_tokens: int = 8000,
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    policy: str | HistoryPolicy = "sliding",
    pin: Sequence[int] = (),
    elide: bool = True,
    summary_tokens: int | None = None,
    summary: RunningSummary | Mapping[str, Any] | None = None,
    summariser: str | Summariser | None = None,
    offload: str | Path | None = None,
    memory: Memory | None = None,
    sections: Sections | None = None,
    as_of: datetime | str | None = None,
) -> FittedMessages:
    """The messages that fit, with instructions and the last user message always kept.

    A tool call goes or stays with all its results. Fitting what was fitted changes nothing.

    Args:
        messages: oldest first, in the shape of OpenAI's chat or Responses endpoint, of Anthropic or
            of Gemini; or a whole request body.
        model: whose tokenizer and framing count.
        max_tokens: for the whole request: messages, framing, tools and the reply's priming.
        tools: definitions that go with the request, for bare messages; they are charged first.
        policy: what stays of the rest: `sliding` (the most recent), `blocks` (the same in jumps, so
            that a provider's prefix cache survives most requests) or `relevant` (what belongs to
            the last word of the user, and what is recent), `summary` (the most recent, and one
            message that sums up the rest), or a policy of your own.
        pin: indexes of further messages that stay, each with the rest of its tool call.
        elide: whether results of the latest tool call that are larger than the room for them are
            replaced by a marker; otherwise the call is left out.
        summary_tokens: what the message may take that sums up whatever the policy lets go of; with
            the policy `summary` a quarter of the free room by default, with others none.
        summary: `fitted.summary` of an earlier request, to go on with.
        summariser: who writes the summary: the URL of an OpenAI-compatible endpoint with its model
            after `#`, or an object of your own; by default sentences are quoted.
        offload: a directory for old tool results, from where `recall` gives them back; they go
            before anything is left out.
        memory: notes from earlier conversations, as a JSONL file or a list; the best for the
            user's last word stand in front of it, each in or out with a reason.
        sections: floors, caps, priorities and growth of parts of the window, as a YAML file, a
            mapping or a list of `packhorse.Section`; and sections of your own.
        as_of: the day that the age of notes is measured from; default: that of the newest note.

    Raises:
        BudgetExceededError: tools, instructions, the last user message and pinned ones are over.
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownModelError: the model is not in the model table.

    Example:
        >>> talk = [{"role": "user", "content": "Hi"}, {"role": "user", "content": "And now?"}]
        >>> [message["content"] for message in fit_messages(talk, max_tokens=12)]
        ['And now?']
    """
    limit = check_budget(max_tokens)
    if limit is None:
        raise InputError("max_tokens is missing", hint="Give a whole number of tokens")
    spec = model_spec(model)
    if tools:
        messages = _with_tools(messages, tools, spec.shape)
    costs = Costs(spec=spec, counter=_remembering(model))
    return fit_request(
        messages,
        costs,
        limit,
        policy=policy,
        pin=pin,
        elide=elide,
        summary_tokens=summary_tokens,
        summary=summary,
        summariser=summariser,
        offload=offload,
        memory=memory,
        sections=sections,
        as_of=as_of,
    )


def fit_request(
    request: Request,
    costs: Costs,
    limit: int,
    *,
    policy: str | HistoryPolicy = "sliding",
    pin: Sequence[int] = (),
    elide: bool = True,
    summary_tokens: int | None = None,
    summary: RunningSummary | Mapping[str, Any] | None = None,
    summariser: str | Summariser | None = None,
    offload: str | Path | None = None,
    memory: Memory | None = None,
    sections: Sections | None = None,
    as_of: datetime | str | None = None,
) -> FittedMessages:
    """As `fit_messages`, with the model and its counter at hand.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownStrategyError: no policy has that name.
    """
    conversation = read_conversation(request, costs.spec.shape)
    pinned = _pinned(conversation, pin)
    if memory is not None or sections is not None:
        conversation = without_sections(conversation)
    offloaded: tuple[Offloaded, ...] = ()
    if offload is not None:
        conversation, offloaded = offload_results(conversation, costs, limit, offload)
    chooser = history_policy(policy) if isinstance(policy, str) else policy
    options = _summary_options(chooser.name, summary_tokens, summary, summariser)

    def fits(room: int) -> Fitted:
        if options is None:
            return fit_conversation(conversation, costs, room, chooser, pinned=pinned, elides=elide)
        return fit_with_summary(
            conversation, costs, room, chooser, options, pinned=pinned, elides=elide
        )

    if memory is None and sections is None:
        return fitted_messages(replace(fits(limit), offloaded=offloaded))
    talk = conversation if options is None else spoken(conversation, options)
    fitted, beside = fit_surrounded(
        talk,
        costs,
        limit,
        fits,
        _surroundings(talk, costs, memory, sections, as_of),
        pinned=pinned,
        elides=elide,
        settles=options is None or options.by is None,
    )
    return fitted_messages(replace(fitted, offloaded=offloaded), beside)


def _pinned(conversation: Conversation, pin: Sequence[int]) -> frozenset[int]:
    """The units of some messages."""
    unit_of = {place: at for at, unit in enumerate(conversation.units) for place in unit.places}
    for place in pin:
        if place not in unit_of:
            known = f"Give 0 to {len(unit_of) - 1}" if unit_of else "There are no messages"
            raise InputError(f"There is no message {place} to pin", hint=known)
    return frozenset(unit_of[place] for place in pin)


def _summary_options(
    policy: str,
    max_tokens: int | None,
    previous: RunningSummary | Mapping[str, Any] | None,
    summariser: str | Summariser | None,
) -> SummaryOptions | None:
    """None where nobody asked for a summary."""
    given = (max_tokens, previous, summariser)
    if policy != SummarisedWindow.name and all(each is None for each in given):
        return None
    return SummaryOptions(
        max_tokens=check_budget(max_tokens),
        previous=None if previous is None else read_summary(previous),
        by=_summariser_at(summariser) if isinstance(summariser, str) else summariser,
    )


def _summariser_at(url: str) -> Summariser:
    from packhorse.window.summary.endpoint import EndpointSummariser

    return EndpointSummariser(url)


def _surroundings(
    conversation: Conversation,
    costs: Costs,
    memory: Memory | None,
    sections: Sections | None,
    as_of: datetime | str | None,
) -> Surroundings:
    """What competes with the conversation for a request without evidence."""
    from packhorse.ingest.timestamps import parse_timestamp
    from packhorse.profiles.sections import read_sections
    from packhorse.window.memory.notes import read_notes
    from packhorse.window.sections.policy import WITHOUT_EVIDENCE, section_policy
    from packhorse.window.sections.surround import Surroundings

    try:
        day = None if as_of is None else parse_timestamp(as_of)
    except ValueError as error:
        raise InputError(
            f"as_of {as_of!r} is not a date: {error}", hint="Write it as 2026-01-15"
        ) from error
    place = last_word(conversation)
    return Surroundings(
        section_policy(WITHOUT_EVIDENCE, read_sections(sections)),
        read_notes(memory),
        "" if place is None else conversation.entries[place].text,
        costs.counter,
        as_of=day,
    )


@lru_cache(maxsize=8)
def _remembering(model: str) -> TokenCounter:
    """The model's counter with a memory: a conversation is fitted again with each of its turns."""
    return CachedCounter(counter_for(model))


def _with_tools(
    messages: Request, tools: Sequence[Mapping[str, Any]], model_shape: str
) -> Mapping[str, Any]:
    conversation = read_conversation(messages, model_shape)
    if conversation.body.get("tools"):
        raise InputError(
            "The request has `tools` of its own", hint="Give tools there or apart, not both"
        )
    return {**conversation.body, "tools": list(tools)}
