"""Chat requests in one neutral form, whichever provider's shape they were written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests import anthropic, ollama, openai_chat
from packhorse.tokens.requests.blocks import TOOL_CALLS, call_piece, joined, piece, read_blocks
from packhorse.tokens.requests.fields import leftover_fields, unread
from packhorse.tokens.requests.gemini import read_contents, read_some_contents
from packhorse.tokens.requests.openai_responses import read_input, read_items
from packhorse.tokens.requests.request import ChatRequest, Turn, check_none_refused
from packhorse.tokens.requests.tools import split_tools
from packhorse.tokens.requests.values import as_fields, as_list, is_set, kind_of
from packhorse.types.message import Message

__all__ = [
    "BODIES",
    "model_in",
    "read_beside",
    "read_request",
    "read_turns",
    "request_of",
    "turn_of",
]

BLOCKS = {**anthropic.BLOCKS, **openai_chat.BLOCKS}
"""Blocks of a `messages` list; no kind means two things."""

COUNTED = openai_chat.COUNTED | anthropic.COUNTED
FREE = openai_chat.FREE | anthropic.FREE | ollama.FREE
REFUSED = {**openai_chat.REFUSED, **anthropic.REFUSED, **ollama.REFUSED}


def turn_of(message: Message) -> Turn:
    """A turn of our own message type.

    Raises:
        InputError: a tool call that names no function.
    """
    if not message.tool_calls and message.tool_call_id is None and message.role != "tool":
        # Long histories are made of these; taking pieces apart would cost more than counting.
        texts = (message.content,) if message.content else ()
        body = _body_of(message)
        return Turn(role=message.role, name=message.name, texts=texts, message=body)
    calls = [call_piece(call, "tool_calls") for call in message.tool_calls]
    result = piece(message.tool_call_id or "", estimated=(TOOL_CALLS,))
    own = [piece(message.content), *calls]
    if message.tool_call_id is not None or message.role == "tool":
        own.append(result)
    turn = joined(message.role, own, name=message.name)
    return replace(turn, message=_body_of(message))


def request_of(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> ChatRequest:
    """A request of our own messages, with definitions of tools in any provider's form.

    Raises:
        InputError: a tool call that names no function.
    """
    turns = tuple(turn_of(message) for message in messages)
    body: dict[str, Any] = {"messages": [turn.message for turn in turns]}
    if tools:
        body["tools"] = list(tools)
    return ChatRequest(turns=turns, tools=tuple(tools), body=body)


def _body_of(message: Message) -> dict[str, Any]:
    """The message as a server takes it; what is empty is left out."""
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.name:
        body["name"] = message.name
    if message.tool_calls:
        body["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id:
        body["tool_call_id"] = message.tool_call_id
    return body


def read_request(body: Mapping[str, Any] | Sequence[Any]) -> ChatRequest:
    """A whole request body, or bare messages.

    The shape is told from the keys: `contents` is Gemini, `messages` is OpenAI chat, Anthropic or
    Ollama, whose messages differ in their blocks alone; `input` is OpenAI Responses. Parts that no
    rule covers are kept as refusals, so that a provider can still be asked to count them.

    Raises:
        InputError: not a request, or a part of it is of the wrong type.
    """
    if isinstance(body, Mapping):
        for key, reader in BODIES.items():
            if key in body:
                return replace(reader(body), body=body)
    elif isinstance(body, (list, tuple)):
        bare = {"messages": body}
        return replace(_messages(bare), body=bare)
    if isinstance(body, Mapping) and isinstance(body.get("prompt"), str):
        raise InputError(
            "This is a prompt without a chat: `prompt` has no messages around it",
            hint="Count its text with `packhorse count FILE`, or write it as a message",
        )
    raise InputError(
        "This is not a chat request: it has neither `messages`, `contents` nor `input`",
        hint="Give a list of messages, or a request body as the provider takes it",
    )


def model_in(body: Any) -> str | None:
    """The model that a request names; None when it names none.

    Raises:
        InputError: what it names is no text, or an empty one.
    """
    given = body.get("model") if isinstance(body, Mapping) else None
    if given is None:
        return None
    if not (isinstance(given, str) and given.strip()):
        shown = "empty" if isinstance(given, str) else kind_of(given)
        raise InputError(
            f"`model` is {shown}, which is no name of a model",
            hint="Write the name as text, or name the model apart from the request",
        )
    # Gemini's own bodies and paths say `models/NAME`.
    return given.removeprefix("models/")


def read_beside(body: Mapping[str, Any], field: str) -> ChatRequest:
    """A request without its messages: system text, tools, settings.

    Args:
        body: the request.
        field: where its messages stand.

    Raises:
        InputError: a part of it is of the wrong type.
    """
    return replace(read_request({**body, field: []}), body=body)


def read_turns(
    body: Mapping[str, Any], field: str, items: Sequence[Any], places: Sequence[int]
) -> tuple[Turn, ...]:
    """Some messages of a request, as they are read next to each other.

    Args:
        body: the request that they belong to.
        field: where its messages stand.
        items: the messages.
        places: where each of them stands, for errors.

    Raises:
        InputError: a part of one is of the wrong type, or no rule covers it.
    """
    turns = SOME[field](body, items, [f"{field}[{place}]" for place in places])
    check_none_refused([part for turn in turns for part in turn.refused])
    return tuple(turns)


def _messages(body: Mapping[str, Any]) -> ChatRequest:
    turns = []
    system = body.get("system")
    if is_set(system):
        turns.append(joined("system", list(read_blocks(system, "system", anthropic.SYSTEM_BLOCKS))))
    for index, message in enumerate(as_list(body["messages"], "messages")):
        turns.append(_turn(message, f"messages[{index}]"))
    tools, run_there = split_tools(as_list(body.get("tools") or (), "tools"))
    functions, unknown = split_tools(as_list(body.get("functions") or (), "functions"), "functions")
    output = as_fields(body.get("output_config") or {}, "output_config")
    schemas = openai_chat.formats(body.get("response_format"), output.get("format"))
    chosen, forced = openai_chat.choices(body.get("tool_choice"))
    called, also_forced = openai_chat.choices(body.get("function_call"))
    left, assumed = leftover_fields(body, COUNTED | FREE, REFUSED, "")
    rest = unread(output, frozenset({"effort", "format"}), "output_config")
    return ChatRequest(
        turns=tuple(turns),
        tools=(*tools, *functions),
        additions=(*schemas, *openai_chat.settings(body), *chosen, *called),
        forces_call=forced or also_forced,
        refused=(*left, *rest, *run_there, *unknown),
        assumed=assumed,
    )


def _turn(message: Any, where: str) -> Turn:
    if isinstance(message, Message):
        return turn_of(message)
    return openai_chat.read_message(message, where, BLOCKS)


BODIES: Mapping[str, Callable[[Mapping[str, Any]], ChatRequest]] = {
    "messages": _messages,
    "contents": read_contents,
    "input": read_input,
}
"""Field that holds the messages -> what reads a request with it."""

SOME: Mapping[str, Callable[[Mapping[str, Any], Sequence[Any], Sequence[str]], Sequence[Turn]]] = {
    "messages": lambda _, items, where: list(map(_turn, items, where)),
    "contents": read_some_contents,
    "input": lambda _, items, where: read_items(items, where),
}
"""Field that holds the messages -> what reads some of them, given the place of each."""
