"""Fits a conversation in any provider's shape: the small function of the interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.ledger.plan import check_budget
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.turns import model_in
from packhorse.window.conversation import Request, read_conversation
from packhorse.window.costs import Costs
from packhorse.window.requested import FitOptions, fit_as_asked

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.profiles.sections import Sections
    from packhorse.protocols import TokenCounter
    from packhorse.window.few_shot.examples import Examples
    from packhorse.window.memory.notes import Memory
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.report import FittedMessages
    from packhorse.window.summary.running import RunningSummary
    from packhorse.window.summary.summariser import Summariser

__all__ = [
    "counter_with_memory",
    "fit_messages",
    "fit_request",
    "limit_of",
    "model_for",
    "with_tools",
]

DEFAULT_MODEL = "gpt-4o"
"""Counted for where no model is named."""


def fit_messages(
    messages: Request,
    model: str | None = None,
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
    examples: Examples | None = None,
    examples_tokens: int | None = None,
    examples_form: str = "turns",
    examples_order: str = "similar_last",
    max_tools: int | None = None,
    tool_tokens: int | None = None,
    pin_tools: Sequence[str] = (),
    previous_tools: Sequence[str] = (),
) -> FittedMessages:
    """The messages that fit, with instructions and the last user message always kept.

    A tool call goes or stays with all its results. Fitting what was fitted changes nothing.

    Args:
        messages: oldest first, in the shape of OpenAI's chat or Responses endpoint, of Anthropic or
            of Gemini; or a whole request body.
        model: whose tokenizer and framing count, whatever the request names; default: the model
            that a request body names, else gpt-4o.
        max_tokens: for the whole request: messages, framing, tools and the reply's priming.
        tools: definitions that go with the request, for bare messages; they are charged first.
        policy: what stays of the rest: `sliding` (the most recent), `blocks` (the same in jumps, so
            that a provider's prefix cache survives most requests) or `relevant` (what belongs to
            the last word of the user, and what is recent), `summary` (the most recent, and one
            message that sums up the rest), or a policy of your own.
        pin: indexes of further messages that stay as they are, each with the rest of its tool call.
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
        examples: a JSONL file of examples (`input`, `output`, `label`?, `id`?), or such objects;
            the best for the user's last word stand behind the instructions.
        examples_tokens: for all of them, framing included; default: the cap of the section
            `examples`, 2,000 where none is declared.
        examples_form: real `turns`, or one `block` at the end of the system text.
        examples_order: `similar_last`, `similar_first` or `given`.
        max_tools: how many tools the request may define; those that have most to do with what is
            said stay, in the order in which they were given.
        tool_tokens: what their definitions may take.
        pin_tools: names of tools that stay; so does whatever the kept conversation calls.
        previous_tools: `fitted.tools.kept` of the request before, so that the set changes seldom.

    Raises:
        BudgetExceededError: tools, instructions, the last user message and pinned ones are over.
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownModelError: the model, be it the request's own, is not in the model table.

    Example:
        >>> talk = [{"role": "user", "content": "Hi"}, {"role": "user", "content": "And now?"}]
        >>> [message["content"] for message in fit_messages(talk, max_tokens=12)]
        ['And now?']
    """
    named = model_for(messages, model)
    spec = model_spec(named)
    request = with_tools(messages, tools, spec.shape) if tools else messages
    costs = Costs(spec=spec, counter=counter_with_memory(named))
    options = FitOptions(
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
        examples=examples,
        examples_tokens=examples_tokens,
        examples_form=examples_form,
        examples_order=examples_order,
        max_tools=max_tools,
        tool_tokens=tool_tokens,
        pin_tools=pin_tools,
        previous_tools=previous_tools,
    )
    return fit_request(request, costs, limit_of(max_tokens), options)


def model_for(request: Request, model: str | None) -> str:
    """The model that was asked for, else the request's own, else the default.

    Raises:
        InputError: what was asked for, or what the request names, is no name of a model.
    """
    if model is not None:
        if not isinstance(model, str):
            raise InputError(
                f"model is {model!r}, which is no name of a model", hint="Write the name as text"
            )
        return model
    named = model_in(request)
    return DEFAULT_MODEL if named is None else named


def limit_of(max_tokens: int | None) -> int:
    """A limit in tokens that is there, and one.

    Raises:
        InputError: it is missing.
        InvalidBudgetError: it is not a whole number of 0 or more.
    """
    limit = check_budget(max_tokens, "max_tokens")
    if limit is None:
        raise InputError("max_tokens is missing", hint="Give a whole number of tokens")
    return limit


def fit_request(
    request: Request, costs: Costs, limit: int, options: FitOptions | None = None
) -> FittedMessages:
    """As `fit_messages`, with the model and its counter at hand.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownStrategyError: no policy has that name.
    """
    conversation = read_conversation(request, costs.spec.shape)
    return fit_as_asked(conversation, costs, limit, options or FitOptions())


@lru_cache(maxsize=8)
def counter_with_memory(model: str) -> TokenCounter:
    """The model's counter with a memory: a conversation is fitted again with each of its turns."""
    return CachedCounter(counter_for(model))


def with_tools(
    messages: Request, tools: Sequence[Mapping[str, Any]], model_shape: str
) -> Mapping[str, Any]:
    """The request with definitions of tools.

    Raises:
        InputError: it has some already, or these are no list.
    """
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Sequence):
        raise InputError(
            f"tools is {tools!r}, not a list", hint="Give a list of definitions of tools"
        )
    conversation = read_conversation(messages, model_shape)
    if conversation.body.get("tools"):
        raise InputError(
            "The request has `tools` of its own", hint="Give tools there or apart, not both"
        )
    return {**conversation.body, "tools": list(tools)}
