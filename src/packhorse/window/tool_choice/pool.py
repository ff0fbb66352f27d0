"""The tools of a request as they compete: counted, with what was said lately."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.count import RuleCounter
from packhorse.tokens.requests.turns import read_request
from packhorse.window.summary.told import without_head
from packhorse.window.tool_choice.choose import ToolPool
from packhorse.window.tool_choice.definitions import calls_in, definitions, with_tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.tool_choice.definitions import Definition

__all__ = ["called_by", "given_pool", "said_lately", "tool_pool"]

TURNS = 4
"""Turns that are looked at, the question's included."""
STEPS = 2
"""Messages after the question that count as much as it does."""
LONGEST = 2000
"""Characters of each that are read: results can be whole files."""


def tool_pool(conversation: Conversation, costs: Costs) -> ToolPool:
    """The tools that a request defines, counted by the rules of the model.

    Raises:
        InputError: a tool that no rule can count, with its place in the request.
    """
    tools = tuple(definitions(conversation.body.get("tools") or ()))
    counter = RuleCounter(costs.spec, costs.counter)
    beside = {
        key: value
        for key, value in conversation.body.items()
        if key in ("tools", "tool_choice", "toolConfig", "tool_config")
    }

    # Places are told as they are in the caller's request, before any tool is left out.
    read_request({**beside, conversation.shape.field: []}).check_countable()

    def whole(names: Collection[str]) -> int:
        body = {**with_tools(beside, set(names)), conversation.shape.field: []}
        return counter.count(read_request(body)).lines["tools"]

    return counted_pool(tools, said_lately(conversation), whole)


def given_pool(
    tools: Sequence[Mapping[str, Any]],
    conversation: Conversation,
    charged: Callable[[Sequence[Mapping[str, Any]]], int],
) -> ToolPool:
    """Tools that were given beside a conversation.

    Args:
        tools: one function each.
        conversation: the question last.
        charged: tokens of the definitions of some tools in one request.
    """
    by_name = {each.name: each for each in definitions(tools)}
    found = tuple(by_name.values())

    def whole(names: Collection[str]) -> int:
        return charged([each.tool for each in found if each.name in names])

    return counted_pool(found, said_lately(conversation), whole)


def counted_pool(
    tools: tuple[Definition, ...], turns: Sequence[str], whole: Callable[[Collection[str]], int]
) -> ToolPool:
    """The tools with what each costs, what is paid once apart."""
    singly = [whole([tool.name]) for tool in tools]
    together = whole([tool.name for tool in tools]) if tools else 0
    # What is paid once stands in each of the single counts.
    frame = (sum(singly) - together) // (len(tools) - 1) if len(tools) > 1 else 0
    return ToolPool(
        tools=tools,
        turns=tuple(turns),
        costs=tuple(size - frame for size in singly),
        frame=frame,
        whole=whole,
    )


def said_lately(conversation: Conversation) -> list[str]:
    """The texts of the latest turns, oldest first; the last is the question with its latest steps.

    Instructions count for nothing: they name every tool there is.
    """
    units = conversation.units
    turns: list[list[str]] = [[]]
    for at, unit in enumerate(units):
        if unit.is_broken or unit.is_instruction:
            continue
        text = conversation.text(at)[:LONGEST]
        if unit.is_users_word:
            turns.append([text])
        else:
            turns[-1].append(without_head(text))
    *earlier, latest = turns
    asked = [*latest[:1], *latest[1:][-STEPS:]]
    return ["\n".join(texts) for texts in (*earlier[-(TURNS - 1) :], asked)]


def called_by(conversation: Conversation, units: Iterable[int]) -> frozenset[str]:
    """Names of the tools that some units call."""
    return frozenset(
        name
        for at in units
        for place in conversation.units[at].places
        for name in calls_in(conversation.items[place])
    )
