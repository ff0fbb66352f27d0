"""Recorded conversations as the four providers take them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["MODELS", "in_shape"]

MODELS = {
    "openai": "gpt-4o",
    "openai-responses": "gpt-4o",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
"""The model that each shape is counted for."""

Messages = Sequence[Mapping[str, Any]]
Body = dict[str, Any]


def in_shape(shape: str, messages: Messages) -> Body:
    """A request body with the messages of an OpenAI chat; a result without an id gets its call's.

    In the OpenAI chat shape nothing is changed, so that such results are tried as they are.
    """
    return WRITERS[shape](messages)


def _named(messages: Messages) -> list[dict[str, Any]]:
    """Messages whose results name their calls: without an id, the first that is open."""
    named, waiting = [], []
    for message in messages:
        copy = dict(message)
        if copy.get("tool_calls"):
            waiting = [(call["id"], call["function"]["name"]) for call in copy["tool_calls"]]
        if copy["role"] == "tool":
            given = copy.get("tool_call_id") or waiting[0][0]
            (answered,) = [each for each in waiting if each[0] == given]
            waiting.remove(answered)
            copy["tool_call_id"], copy["name"] = answered
        named.append(copy)
    return named


def _instructions(messages: Messages) -> str:
    return "\n".join(each["content"] for each in messages if each["role"] == "system")


def _responses(messages: Messages) -> Body:
    items: list[Any] = []
    for each in _named(messages):
        if each["role"] == "tool":
            called = each["tool_call_id"]
            output = each["content"] or ""
            items.append({"type": "function_call_output", "call_id": called, "output": output})
        elif each["role"] != "system":
            if each["content"]:
                items.append({"role": each["role"], "content": each["content"]})
            items += [
                {"type": "function_call", "call_id": call["id"], **call["function"]}
                for call in each.get("tool_calls") or ()
            ]
    return {"instructions": _instructions(messages), "input": items}


def _anthropic(messages: Messages) -> Body:
    turns: list[tuple[str, list[Any]]] = []
    for each in _named(messages):
        if each["role"] == "system":
            continue
        blocks = [{"type": "text", "text": each["content"]}] if each["content"] else []
        if each["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": each["tool_call_id"]}
            blocks = [{**result, "content": each["content"] or ""}]
        blocks += [
            {"type": "tool_use", "id": call["id"], "name": name, "input": _arguments(call)}
            for call in each.get("tool_calls") or ()
            for name in [call["function"]["name"]]
        ]
        _said(turns, "assistant" if each["role"] == "assistant" else "user", blocks)
    spoken = [{"role": role, "content": blocks} for role, blocks in turns]
    return {"system": _instructions(messages), "messages": spoken, "max_tokens": 1_000}


def _gemini(messages: Messages) -> Body:
    turns: list[tuple[str, list[Any]]] = []
    for each in _named(messages):
        if each["role"] == "system":
            continue
        parts: list[Any] = [{"text": each["content"]}] if each["content"] else []
        if each["role"] == "tool":
            response = {"result": each["content"] or ""}
            parts = [{"functionResponse": {"name": each["name"], "response": response}}]
        parts += [
            {"functionCall": {"name": call["function"]["name"], "args": _arguments(call)}}
            for call in each.get("tool_calls") or ()
        ]
        _said(turns, "model" if each["role"] == "assistant" else "user", parts)
    spoken = [{"role": role, "parts": parts} for role, parts in turns]
    return {"systemInstruction": {"parts": [{"text": _instructions(messages)}]}, "contents": spoken}


def _said(turns: list[tuple[str, list[Any]]], role: str, pieces: list[Any]) -> None:
    """Results of one call stand in one message, as both providers demand."""
    goes_on = turns and turns[-1][0] == role and _are_results(turns[-1][1])
    if goes_on and _are_results(pieces):
        turns[-1][1].extend(pieces)
        return
    if pieces:
        turns.append((role, pieces))


def _are_results(pieces: list[Any]) -> bool:
    kinds = {"tool_result", "functionResponse"}
    return any(kinds & {piece.get("type"), *piece} for piece in pieces)


def _arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    try:
        given = json.loads(call["function"]["arguments"])
    except ValueError:
        given = {"raw": call["function"]["arguments"]}
    return given if isinstance(given, dict) else {"raw": given}


WRITERS = {
    "openai": lambda messages: {"messages": list(messages)},
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
