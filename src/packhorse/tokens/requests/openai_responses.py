"""OpenAI Responses: `input` as a text or a list of items, `instructions` apart.

Items and fields are those of the API reference (openai-python 3.57, `ResponseCreateParams` and
`ResponseInputItemParam`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from packhorse.tokens.requests.blocks import (
    NEXT_STEPS,
    TOOL_CALLS,
    TURN_INTO_TEXT,
    BlockKind,
    call_piece,
    joined,
    named_text,
    piece,
    read_blocks,
    refused_piece,
    sealed_thought,
    text_block,
    thought,
)
from packhorse.tokens.requests.fields import (
    DELIVERY,
    OUTPUT_LIMITS,
    SAMPLING,
    leftover_fields,
    unread,
)
from packhorse.tokens.requests.openai_chat import BLOCKS, choices, formats, read_message, settings
from packhorse.tokens.requests.request import ChatRequest, Turn
from packhorse.tokens.requests.tools import split_tools
from packhorse.tokens.requests.values import as_fields, as_list, is_set, typed

__all__ = ["read_input", "read_items"]

COUNTED = frozenset({"input", "instructions", "text", "tool_choice", "tools"})

FREE = (
    OUTPUT_LIMITS
    | SAMPLING
    | DELIVERY
    | frozenset(
        {"access_programs", "background_options", "max_tool_calls", "moderation",
         "parallel_tool_calls", "reasoning",
         "truncation"}
    )
)  # fmt: skip
"""Fields that cost nothing; reasoning is read for the reservation."""

HELD = "Put the earlier items into `input`: only the provider holds them"

REFUSED: Mapping[str, str] = {
    "context_management": "Leave it out: the provider rewrites the conversation",
    "conversation": HELD,
    "messages": "Leave out `input` or `messages`: they belong to two different endpoints",
    "previous_response_id": HELD,
    "prompt": "Put the prompt's text into `instructions`: only the provider holds it",
}


def read_input(body: Mapping[str, Any]) -> ChatRequest:
    """A body with `input`.

    Raises:
        InputError: a part of it is of the wrong type.
    """
    turns: list[Turn] = []
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions:
        turns.append(joined("system", [piece(instructions)]))
    elif is_set(instructions):
        turns += _items(instructions, "instructions")
    given = body.get("input")
    if isinstance(given, str):
        turns.append(joined("user", [piece(given)]))
    elif given is not None:
        turns += _items(given, "input")
    text = as_fields(body.get("text") or {}, "text")
    rest = unread(text, frozenset({"format", "verbosity"}), "text")
    tools, run_there = split_tools(as_list(body.get("tools") or (), "tools"))
    chosen, forced = choices(body.get("tool_choice"))
    refused, assumed = leftover_fields(body, COUNTED | FREE, REFUSED, "")
    return ChatRequest(
        turns=tuple(turns),
        tools=tools,
        additions=(*formats(text.get("format")), *settings(text), *chosen),
        # The published rule is about chat completions.
        estimated=("message framing",),
        forces_call=forced,
        refused=(*refused, *rest, *run_there),
        assumed=assumed,
    )


def _items(items: Any, where: str) -> list[Turn]:
    given = as_list(items, where)
    return read_items(given, [f"{where}[{index}]" for index in range(len(given))])


def read_items(items: Sequence[Any], where: Sequence[str]) -> list[Turn]:
    """Turns of some items, each with its place.

    What an assistant did (thought, call, message) is one turn as long as nothing else comes
    between, as in a chat message with its calls; a message after a call opens the next.

    Raises:
        InputError: a part of one is of the wrong type.
    """
    turns: list[Turn] = []
    open_turn: list[Turn] = []
    for item, place in zip(items, where, strict=True):
        kind = item.get("type", "message") if isinstance(item, Mapping) else None
        read = STEPS.get(kind) if isinstance(kind, str) else None
        if read is not None:
            open_turn.append(read(as_fields(item, place), place))
            continue
        turn = _other(item, kind, place)
        if turn.role == "assistant" and all(not each.n_calls for each in open_turn):
            open_turn = [*open_turn, turn]
            continue
        turns += _closed(open_turn)
        open_turn = [turn] if turn.role == "assistant" else []
        if turn.role != "assistant":
            turns.append(turn)
    return turns + _closed(open_turn)


def _closed(pieces: list[Turn]) -> list[Turn]:
    return [joined("assistant", pieces)] if pieces else []


def _other(item: Any, kind: Any, where: str) -> Turn:
    """An item that is a turn of its own."""
    if isinstance(item, str) or (isinstance(item, Mapping) and kind == "message"):
        message = {"role": "user", "content": item} if isinstance(item, str) else item
        return read_message(message, where, BLOCKS)
    if isinstance(item, Mapping) and isinstance(kind, str) and kind in OUTPUTS:
        return _output(as_fields(item, where), where)
    hint = NEXT_STEPS.get(str(kind), TURN_INTO_TEXT)
    return joined("user", [refused_piece(typed("an item", item), where, hint)])


def _output(item: Mapping[str, Any], where: str) -> Turn:
    """The result of a call."""
    own = piece(estimated=(TOOL_CALLS,))
    said = read_blocks(item.get("output"), f"{where}.output", BLOCKS)
    identity = piece(named_text(item, "call_id"))
    rest = unread(item, frozenset({"call_id", "output", "caller", "name", "namespace"}), where)
    return joined("tool", [own, *said, identity, Turn(role="", refused=rest)])


def _call(item: Mapping[str, Any], where: str) -> Turn:
    """A call; what the chat endpoint calls its id is `call_id` here."""
    call = {key: value for key, value in item.items() if key in {"name", "arguments", "input"}}
    known = frozenset({*call, "call_id", "caller", "namespace", "async"})
    rest = Turn(role="", refused=unread(item, known, where))
    return joined("", [call_piece({"function": call, "id": item.get("call_id")}, where), rest])


def _reasoning(item: Mapping[str, Any], where: str) -> Turn:
    """Thinking of an earlier answer: readable, summarised, or sealed.

    Summary and sealed text say the same thing; both are charged, which is the upper estimate.
    """
    texts = [
        block
        for key in ("summary", "content")
        for block in read_blocks(item.get(key) or (), f"{where}.{key}", THOUGHT_BLOCKS)
    ]
    sealed = sealed_thought(named_text(item, "encrypted_content"))
    rest = unread(item, frozenset({"summary", "content", "encrypted_content"}), where)
    return joined("", [*texts, sealed, Turn(role="", refused=rest)])


STEPS: Mapping[str, Callable[[Mapping[str, Any], str], Turn]] = {
    "function_call": _call,
    "custom_tool_call": _call,
    "reasoning": _reasoning,
}
"""Items that are steps of an assistant's turn."""

THOUGHT_BLOCKS: Mapping[str, BlockKind] = {
    "summary_text": text_block("text", reads=thought),
    "reasoning_text": text_block("text", reads=thought),
}

OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
