"""What a caller of `pack` hands over, checked and made ready; nothing is chosen here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.direction import cosines_with, direction_of
from packhorse.errors import ConfigError
from packhorse.question import listed, query_text, rewritten_by

if TYPE_CHECKING:
    from packhorse.assemble import Asked
    from packhorse.config import Profile
    from packhorse.protocols import CrossEncoder, KnowledgeBase
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.arrays import FloatArray
    from packhorse.types.message import Message
    from packhorse.types.rewritten import RewrittenQuery
    from packhorse.verify.query_type import Cosines
    from packhorse.window.few_shot.examples import Examples
    from packhorse.window.memory.notes import Memory
    from packhorse.window.sections.pools import Companions
    from packhorse.window.tool_choice.read import Tools

__all__ = [
    "History",
    "asked_for",
    "companions_of",
    "heard",
    "provider_asker",
    "reranker_name",
    "with_own",
]

History = Sequence[Mapping[str, Any]] | Mapping[str, Any] | None
"""Earlier messages, or a request body, in any provider's shape."""


def begun(
    stack: ExitStack, kb: KnowledgeBase, text: str
) -> tuple[Future[FloatArray | None], Cosines]:
    """The direction of a text, made beside what comes next, and what compares it with others.

    Loading the embedder and loading the tokenizer's vocabulary take about half a second each in a
    new process: the one goes on while the other is imported and loaded.
    """
    embedding = stack.enter_context(ThreadPoolExecutor(max_workers=1))
    direction = embedding.submit(direction_of, kb, text)
    return direction, lambda texts: cosines_with(kb.embedder(), direction.result(), texts)


def heard(
    stack: ExitStack, kb: KnowledgeBase, history: History, query: str, profile: Profile
) -> tuple[str, tuple[Message, ...], RewrittenQuery | None, Future[FloatArray | None], Cosines]:
    """The question and earlier messages, checked; what they add to it; and what `begun` gives."""
    text = query_text(query)
    talk = read_history(history)
    rewritten = rewritten_by(talk, text, profile)
    return text, talk, rewritten, *begun(stack, kb, str(rewritten or text))


def read_history(history: History) -> tuple[Message, ...]:
    """Earlier messages, checked; None is none."""
    if history is None:
        return ()
    from packhorse.render.messages import read_messages

    return read_messages(history)


def companions_of(
    memory: Memory | None,
    examples: Examples | None,
    tools: Tools | None,
    *,
    max_tools: int | None,
    tool_tokens: int | None,
    pins: Sequence[str],
) -> Companions | None:
    """Notes, examples and tools, checked; None where nothing was given.

    Raises:
        InputError: a file that cannot be read, or something in it that cannot be used.
        ConfigError: caps or pins of tools, and no tools.
        InvalidBudgetError: a cap is not a whole number of zero or more.
    """
    pinned = listed("pin_tools", pins)
    if tools is None and (max_tools, tool_tokens, pinned) != (None, None, ()):
        raise ConfigError(
            "There are caps or pins of tools, and no tools", hint="Give tools to choose from"
        )
    if memory is None and examples is None and tools is None:
        return None
    from packhorse.ledger.plan import check_budget
    from packhorse.window.few_shot.examples import read_examples
    from packhorse.window.memory.notes import read_notes
    from packhorse.window.sections.pools import Companions
    from packhorse.window.tool_choice.capped import ToolCaps
    from packhorse.window.tool_choice.read import read_tools

    return Companions(
        notes=read_notes(memory),
        examples=() if examples is None else read_examples(examples),
        tools=() if tools is None else read_tools(tools),
        caps=ToolCaps(
            max_tools=check_budget(max_tools, "max_tools"),
            max_tokens=check_budget(tool_tokens, "tool_tokens"),
            pinned=pinned,
        ),
    )


def asked_for(
    stack: ExitStack,
    *,
    budget: int | None,
    pin: Sequence[str],
    attach: Sequence[str | Path],
    talk: tuple[Message, ...],
    models: str | Path | Sequence[str | Path],
) -> Asked:
    """What `pack` was asked for besides the question and the settings, checked."""
    from packhorse.assemble import Asked
    from packhorse.tokens.models.table import model_table

    return Asked(
        budget=budget,
        pin=listed("pin", pin),
        attach=listed("attach", attach),
        history=talk,
        models=model_table(models),
        asker=partial(provider_asker, stack=stack),
    )


def reranker_name(reranker: CrossEncoder | str | None) -> str | None:
    """What a profile calls it."""
    return reranker if isinstance(reranker, str) or reranker is None else reranker.name


def with_own(
    asked: Asked,
    companions: Companions | None,
    reranker: CrossEncoder | str | None,
    settings: Profile,
) -> Asked:
    """What was asked for, with companions, and a reranker that was handed over, not named."""
    if companions is not None:
        asked = replace(asked, companions=companions)
    if reranker is None or isinstance(reranker, str):
        return asked
    from packhorse.compose import judge_of

    return replace(asked, judge=judge_of(settings, reranker))


def provider_asker(spec: ModelSpec, *, stack: ExitStack) -> Asker:
    """The counting endpoint of a model's provider, its key from the environment.

    Counts are kept in the user's cache directory; connections are closed with `stack`.

    Raises:
        ConfigError: the provider has no counting endpoint, or its key is missing.
    """
    from packhorse.indexing.cache import cache_root
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.endpoints.registry import provider_endpoint
    from packhorse.tokens.store import COUNTS_FILE, CountStore

    endpoint = stack.enter_context(closing(provider_endpoint(spec, os.environ)))
    return Asker(endpoint, stack.enter_context(closing(CountStore(cache_root() / COUNTS_FILE))))
