"""Notes, examples and tools as they compete for a question that is packed with evidence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from packhorse.render.messages import openai_message
from packhorse.types.message import Message
from packhorse.window.conversation import read_conversation
from packhorse.window.costs import Costs
from packhorse.window.few_shot.pool import ExampleSettings, example_pool
from packhorse.window.memory.choose import memory_pool
from packhorse.window.sections.pools import Companions, Pools
from packhorse.window.shapes.registry import SHAPES
from packhorse.window.tool_choice.capped import CappedTools, ToolCaps
from packhorse.window.tool_choice.charge import charged_tools
from packhorse.window.tool_choice.pool import given_pool

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.query import Query

__all__ = ["called_names", "pools_for"]


def pools_for(
    companions: Companions,
    query: Query,
    history: tuple[Message, ...],
    spec: ModelSpec,
    counter: TokenCounter,
    *,
    profile: Profile,
) -> Pools:
    """What a caller gave, ranked for the question and counted for the model.

    Freshness of notes is as that of evidence; tools are ranked by the latest turns too.

    Raises:
        InputError: a pinned tool that is not defined, or a definition that cannot be counted.
    """
    notes, examples, tools = companions.notes, companions.examples, companions.tools
    return Pools(
        notes=memory_pool(
            notes,
            query.text,
            counter,
            as_of=query.as_of,
            weights=profile.rerank.weights,
            half_life_days=profile.rerank.freshness_half_life_days,
        )
        if notes
        else None,
        examples=example_pool(
            examples,
            query.text,
            Costs(spec=spec, counter=counter),
            SHAPES[spec.shape],
            ExampleSettings(),
        )
        if examples
        else None,
        tools=CappedTools(
            pool=given_pool(
                tools,
                read_conversation([openai_message(each) for each in asking(history, query.text)]),
                partial(charged_tools, spec=spec, counter=counter),
            ),
            caps=companions.caps or ToolCaps(),
        )
        if tools
        else None,
    )


def asking(history: tuple[Message, ...], question: str) -> tuple[Message, ...]:
    """The conversation with the question as its last word."""
    return (*history, Message(role="user", content=question))


def called_names(history: tuple[Message, ...]) -> frozenset[str]:
    """Names of the tools that messages call."""
    return frozenset(
        str(call["function"]["name"]) for message in history for call in message.tool_calls
    )
