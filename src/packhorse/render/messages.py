"""Chat requests in the providers' shapes, and histories read from files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import UnknownStrategyError
from packhorse.render.history import read_messages
from packhorse.render.tools import tools_field

if TYPE_CHECKING:
    from packhorse.types.message import Message
    from packhorse.types.request import RequestParts

__all__ = ["openai_message", "provider_messages", "provider_request", "read_messages"]

Body = dict[str, Any]

INSTRUCTIONS = frozenset({"system", "developer"})
OPENING = "[Earlier messages were left out.]"
"""Said by the user where a provider wants the first word to be the user's and it is not."""


def provider_request(
    parts: RequestParts, shape: str, *, model: str, output_reservation: int
) -> Body:
    """A whole request body, ready to be sent: openai, anthropic or gemini.

    Raises:
        UnknownStrategyError: no such shape.
    """
    body = _shape(shape)[1](parts, model, output_reservation)
    return {**body, **tools_field(parts.tools, shape)}


def provider_messages(parts: RequestParts, shape: str) -> list[Body] | Body:
    """The conversation without model and limits.

    A list of messages for openai; for anthropic `system` and `messages`, for gemini
    `systemInstruction` and `contents`, because there instructions stand outside of the list.

    Raises:
        UnknownStrategyError: no such shape.
    """
    return _shape(shape)[0](parts)


def openai_message(message: Message) -> Body:
    """One message in the OpenAI chat shape; `read_messages` reads it back."""
    body: Body = {"role": message.role, "content": message.content}
    if message.name is not None:
        body["name"] = message.name
    if message.tool_calls:
        body["content"] = message.content or None
        body["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body


def _openai_messages(parts: RequestParts) -> list[Body]:
    return [openai_message(message) for message in parts.messages()]


def _openai_request(parts: RequestParts, model: str, output_reservation: int) -> Body:
    return {
        "model": model,
        "messages": _openai_messages(parts),
        "max_completion_tokens": output_reservation,
    }


def _anthropic_messages(parts: RequestParts) -> Body:
    shown = [(_anthropic_role(m), _anthropic_blocks(m)) for m in parts.examples]
    turns = _merged((_anthropic_role(m), _anthropic_blocks(m)) for m in _talk(parts))
    if turns and turns[0][0] != "user":
        turns.insert(0, ("user", [{"type": "text", "text": OPENING}]))
    turns = [*_merged(shown), *turns]
    messages = [{"role": role, "content": _text_or_blocks(blocks)} for role, blocks in turns]
    system = _system_text(parts)
    return {**({"system": system} if system else {}), "messages": messages}


def _anthropic_request(parts: RequestParts, model: str, output_reservation: int) -> Body:
    return {"model": model, **_anthropic_messages(parts), "max_tokens": output_reservation}


def _anthropic_role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _anthropic_blocks(message: Message) -> list[Body]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id or ""}
        return [{**result, "content": message.content} if message.content else result]
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    calls = [
        {
            "type": "tool_use",
            "id": call.get("id", ""),
            "name": _called(call),
            "input": _arguments(call),
        }
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _text_or_blocks(blocks: list[Body]) -> str | list[Body]:
    """A single text as a plain string."""
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return str(blocks[0]["text"])
    return blocks


def _gemini_messages(parts: RequestParts) -> Body:
    talk = _talk(parts)
    names = {
        str(call.get("id", "")): _called(call) for message in talk for call in message.tool_calls
    }
    shown = [(_gemini_role(m), _gemini_parts(m, names)) for m in parts.examples]
    turns = _merged((_gemini_role(m), _gemini_parts(m, names)) for m in talk)
    if turns and turns[0][0] != "user":
        turns.insert(0, ("user", [{"text": OPENING}]))
    turns = [*_merged(shown), *turns]
    contents = [{"role": role, "parts": said} for role, said in turns]
    system = _system_text(parts)
    instruction = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return {**instruction, "contents": contents}


def _gemini_request(parts: RequestParts, model: str, output_reservation: int) -> Body:
    return {
        "model": model,
        **_gemini_messages(parts),
        "generationConfig": {"maxOutputTokens": output_reservation},
    }


def _gemini_role(message: Message) -> str:
    return "model" if message.role == "assistant" else "user"


def _gemini_parts(message: Message, names: Mapping[str, str]) -> list[Body]:
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        name = names.get(call_id, message.name or call_id)
        answer = _object(message.content, "result")
        return [{"functionResponse": {"id": call_id, "name": name, "response": answer}}]
    text = [{"text": message.content}] if message.content.strip() else []
    calls = [
        {
            "functionCall": {
                "id": call.get("id", ""),
                "name": _called(call),
                "args": _arguments(call),
            }
        }
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _talk(parts: RequestParts) -> list[Message]:
    """Messages without instructions and examples."""
    said = replace(parts, examples=()).messages()
    return [message for message in said if message.role not in INSTRUCTIONS]


def _system_text(parts: RequestParts) -> str:
    """All instructions as one text: a system message in the history moves up, none is lost."""
    texts = [message.content for message in parts.messages() if message.role in INSTRUCTIONS]
    return "\n\n".join(text for text in texts if text)


def _merged(turns: Iterable[tuple[str, list[Body]]]) -> list[tuple[str, list[Body]]]:
    """Turns with pieces, neighbours of one role joined, so that roles alternate."""
    merged: list[tuple[str, list[Body]]] = []
    for role, pieces in turns:
        if not pieces:
            continue
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(pieces)
        else:
            merged.append((role, list(pieces)))
    return merged


def _called(call: Mapping[str, Any]) -> str:
    return str(call["function"]["name"])


def _arguments(call: Mapping[str, Any]) -> Body:
    return _object(call["function"].get("arguments") or "{}", "arguments")


def _object(text: str, key: str) -> Body:
    """The JSON object that a text holds; any other text under `key`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {key: text}
    return value if isinstance(value, dict) else {key: text}


Shape = tuple[
    Callable[["RequestParts"], "list[Body] | Body"], Callable[["RequestParts", str, int], Body]
]

SHAPES: Mapping[str, Shape] = {
    "anthropic": (_anthropic_messages, _anthropic_request),
    "gemini": (_gemini_messages, _gemini_request),
    "openai": (_openai_messages, _openai_request),
}


def _shape(name: str) -> Shape:
    shape = SHAPES.get(name)
    if shape is None:
        raise UnknownStrategyError("message shape", name, tuple(SHAPES))
    return shape
