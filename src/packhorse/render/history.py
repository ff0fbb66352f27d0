"""Reads a conversation, strictly: nothing is dropped without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.render.history_shapes import chat_entries
from packhorse.text.wellformed import well_formed
from packhorse.types.message import Message

__all__ = ["read_messages"]

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
LOST = ("function_call", "audio", "refusal", "reasoning_content")
"""Fields that hold content this type has no place for."""

_SHAPE_HINT = (
    'A history is a JSON list of messages like {"role": "user", "content": "..."},'
    " or a request body with `messages`, `contents` or `input`"
)


def read_messages(data: object) -> tuple[Message, ...]:
    """Messages from a list, or from a request body in any provider's shape.

    A list of text parts becomes one text, its parts on lines of their own. Lone surrogates become
    U+FFFD.

    Raises:
        InputError: not such a list, or a message, part or field that would be lost; names it.
    """
    entries = chat_entries(data)
    if entries is None:
        raise InputError("The history is not a list of messages", hint=_SHAPE_HINT)
    return tuple(_message(entry, where) for entry, where in entries)


def _message(entry: object, where: str) -> Message:
    if not isinstance(entry, Mapping):
        raise InputError(f"{where} is not an object", hint=_SHAPE_HINT)
    role = entry.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise InputError(
            f"{where} has the role {role!r}", hint=f"Known roles: {', '.join(sorted(ROLES))}"
        )
    for field in LOST:
        if entry.get(field):
            raise InputError(
                f"{where} has {field!r}, which cannot be carried over",
                hint="Leave it out, or write it into the content",
            )
    calls = _calls(entry.get("tool_calls"), role, where)
    return Message(
        role=role,
        content=_content(entry.get("content"), where, optional=bool(calls)),
        name=_optional_text(entry, "name", where),
        tool_calls=calls,
        tool_call_id=_tool_call_id(entry, role, where),
    )


def _content(content: object, where: str, *, optional: bool) -> str:
    if isinstance(content, str):
        return well_formed(content)
    if content is None and optional:
        return ""
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return "\n".join(
            _text_part(part, f"{where}.content[{at}]") for at, part in enumerate(content)
        )
    kind = "missing" if content is None else f"of type {type(content).__name__}"
    raise InputError(f"{where}.content is {kind}", hint="Give text, or a list of text parts")


def _text_part(part: object, where: str) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
    text = part.get("text") if isinstance(part, Mapping) else None
    if kind not in TEXT_PARTS or not isinstance(text, str):
        raise InputError(
            f"{where} is a content block of type {kind!r}, which cannot be carried over",
            hint="Only text parts can; leave the block out or turn it into text",
        )
    return well_formed(text)


def _calls(calls: object, role: str, where: str) -> tuple[Mapping[str, Any], ...]:
    if not calls:
        return ()
    if role != "assistant" or not isinstance(calls, Sequence) or isinstance(calls, (str, bytes)):
        raise InputError(
            f"{where}.tool_calls is not a list of calls of an assistant",
            hint="Only an assistant message has tool_calls",
        )
    return tuple(_call(call, f"{where}.tool_calls[{at}]") for at, call in enumerate(calls))


def _call(call: object, where: str) -> Mapping[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    if (
        not isinstance(call, Mapping)
        or call.get("type", "function") != "function"
        or not isinstance(function, Mapping)
        or not isinstance(call.get("id"), str)
        or not isinstance(function.get("name"), str)
        or not isinstance(function.get("arguments", ""), str)
    ):
        raise InputError(
            f"{where} is not a call of a function",
            hint='Write {"id": "...", "type": "function", "function": {"name": "...",'
            ' "arguments": "{}"}}',
        )
    return {
        "id": well_formed(call["id"]),
        "type": "function",
        "function": {
            "name": well_formed(function["name"]),
            "arguments": well_formed(function.get("arguments", "")),
        },
    }


def _tool_call_id(entry: Mapping[Any, Any], role: str, where: str) -> str | None:
    call_id = _optional_text(entry, "tool_call_id", where)
    if (call_id is None) == (role == "tool"):
        raise InputError(
            f"{where} has the role {role!r} and {'no' if call_id is None else 'a'} tool_call_id",
            hint="A message of the role tool names its call, and no other message does",
        )
    return call_id


def _optional_text(entry: Mapping[Any, Any], key: str, where: str) -> str | None:
    value = entry.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(f"{where}.{key} is not text", hint=f"Give {key} in quotes")
    return well_formed(value)
