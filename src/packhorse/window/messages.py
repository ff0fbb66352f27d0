"""Trims a list of chat messages to a number of tokens: the small function of the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from packhorse.errors import InputError
from packhorse.ledger.plan import check_budget
from packhorse.render.history import read_messages
from packhorse.render.messages import openai_message
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.window.history import FittedHistory, fit_history

__all__ = ["FittedMessages", "fit_messages"]

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedMessages(Sequence[Body]):
    """Messages that fit, in the OpenAI chat shape; a sequence of them, with its report."""

    messages: tuple[Body, ...]
    """What was kept, in its order."""
    dropped: tuple[Body, ...]
    """What was left out, in its order."""
    tokens: int
    """Of the request that they make: messages, framing and tools, counted whole."""
    max_tokens: int
    report: str
    """What was left out, with the numbers; empty when nothing was."""

    def __len__(self) -> int:
        return len(self.messages)

    @overload
    def __getitem__(self, index: int) -> Body: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Body, ...]: ...

    def __getitem__(self, index: int | slice) -> Body | tuple[Body, ...]:
        return self.messages[index]

    def __iter__(self) -> Iterator[Body]:
        return iter(self.messages)


def fit_messages(
    messages: Sequence[Mapping[str, Any]] | Mapping[str, Any],
    model: str = "gpt-4o",
    max_tokens: int = 8000,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> FittedMessages:
    """The most recent messages that fit, with instructions and the last user message always kept.

    A tool call goes or stays with all its results. Fitting what was fitted changes nothing.

    Args:
        messages: oldest first, in the OpenAI chat shape.
        model: whose tokenizer and framing count.
        max_tokens: for the whole request: messages, framing, tools and the reply's priming.
        tools: definitions that go with the request; they are charged first.

    Raises:
        BudgetExceededError: tools, instructions and the last user message alone are over.
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        InputError: a message holds a part that cannot be counted.
        UnknownModelError: the model is not in the model table.

    Example:
        >>> talk = [{"role": "user", "content": "Hi"}, {"role": "user", "content": "And now?"}]
        >>> [message["content"] for message in fit_messages(talk, max_tokens=12)]
        ['And now?']
    """
    limit = check_budget(max_tokens)
    if limit is None:
        raise InputError("max_tokens is missing", hint="Give a whole number of tokens")
    spec, counter = model_spec(model), counter_for(model)
    request: Body = {"messages": [], **({"tools": list(tools)} if tools else {})}
    fixed = count_request(request, spec, counter).total_tokens
    fitted: FittedHistory = fit_history(
        read_messages(messages), counter, spec, max(0, limit - fixed)
    )
    kept = tuple(openai_message(message) for message in fitted.kept)
    return FittedMessages(
        messages=kept,
        dropped=tuple(openai_message(message) for message in fitted.dropped),
        tokens=fixed + fitted.tokens,
        max_tokens=limit,
        report=fitted.reason,
    )
