"""Messages as an engine hands them to a chat template."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed

__all__ = ["Message", "template_messages", "template_tools"]

Message = dict[str, Any]

TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
OPTIONAL = ("reasoning_content", "name", "tool_call_id")


def template_messages(body: Mapping[str, Any]) -> list[Message]:
    """The messages of a request in the OpenAI chat shape; contents are a text or a list of texts.

    Raises:
        InputError: another shape, or a part that a text template cannot take; names it.
    """
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        raise InputError(
            "A chat template takes `messages` in the OpenAI chat shape",
            hint="Give a list of messages with `role` and `content`",
        )
    system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return [
        *[_message(message, "system") for message in system],
        *[_message(message, f"messages[{at}]") for at, message in enumerate(messages)],
    ]


def template_tools(body: Mapping[str, Any]) -> list[Any]:
    """Definitions of tools, each `{"type": "function", "function": {...}}`."""
    tools = body.get("tools") or []
    if not isinstance(tools, Sequence) or isinstance(tools, (str, bytes)):
        raise InputError("tools is not a list", hint="Give a list of definitions of functions")
    for at, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise InputError(
                f"tools[{at}] is not the definition of a function",
                hint='Write {"type": "function", "function": {"name": ..., "parameters": ...}}',
            )
    try:
        return [_clean(tool) for tool in tools]
    except RecursionError as error:
        raise InputError("tools is nested too deeply", hint="Give a flatter definition") from error


def _message(message: Any, where: str) -> Message:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InputError(
            f"{where} has no role", hint="A message is an object with `role` and `content`"
        )
    made: Message = {
        "role": well_formed(message["role"]),
        "content": _content(message.get("content"), where),
    }
    for key in OPTIONAL:
        if isinstance(message.get(key), str) and message[key]:
            made[key] = well_formed(message[key])
    calls = message.get("tool_calls")
    if calls:
        made["tool_calls"] = [
            _call(call, f"{where}.tool_calls[{at}]") for at, call in enumerate(calls)
        ]
    return made


def _content(content: Any, where: str) -> str | list[Message]:
    if content is None:
        return ""
    if isinstance(content, str):
        return well_formed(content)
    if not isinstance(content, Sequence):
        raise InputError(
            f"{where}.content is {type(content).__name__}", hint="Give text, or a list of texts"
        )
    return [_part(part, f"{where}.content[{at}]") for at, part in enumerate(content)]


def _part(part: Any, where: str) -> Message:
    kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
    text = part.get("text") if isinstance(part, Mapping) else None
    if kind not in TEXT_BLOCKS or not isinstance(text, str):
        raise InputError(
            f"{where}: no counting rule for a content block of type {kind!r} in a chat template",
            hint="Leave the block out, or turn it into text",
        )
    return {"type": "text", "text": well_formed(text)}


def _call(call: Any, where: str) -> Message:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise InputError(f"{where} names no function", hint="A call has `function.name`")
    arguments = function.get("arguments", "")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    made: Message = {
        "type": "function",
        "function": {
            "name": well_formed(function["name"]),
            "arguments": well_formed(arguments),
        },
    }
    if isinstance(call.get("id"), str) and call["id"]:
        made["id"] = well_formed(call["id"])
    return made


def _clean(value: Any) -> Any:
    """The same value, lone surrogates replaced in every text."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {well_formed(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value
