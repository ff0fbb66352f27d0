"""A chat request in the form of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from packhorse.tokens.endpoints.endpoint import kept_fields, no_counterpart

__all__ = ["responses_body"]

Body = dict[str, Any]

TAKER = "OpenAI's input_tokens"
RESPONSES = frozenset(
    {
        "input", "instructions", "tools", "tool_choice", "reasoning", "text", "truncation",
        "parallel_tool_calls", "previous_response_id", "conversation", "personality",
    }
)  # fmt: skip
CHAT = frozenset(
    {
        "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format",
        "reasoning_effort", "verbosity",
    }
)  # fmt: skip
UNCOUNTED = frozenset(
    {
        "model", "background", "frequency_penalty", "include", "logit_bias", "logprobs",
        "max_completion_tokens", "max_output_tokens", "max_tokens", "metadata", "n",
        "presence_penalty", "prompt_cache_key", "prompt_cache_retention", "safety_identifier",
        "seed", "service_tier", "stop", "store", "stream", "stream_options", "temperature",
        "top_logprobs", "top_p", "user",
    }
)  # fmt: skip
MESSAGE_FIELDS = frozenset({"role", "content", "tool_calls", "tool_call_id", "refusal"})


def responses_body(body: Mapping[str, Any]) -> Body:
    """The fields that cost input tokens; `input` is taken as it is, `messages` are converted.

    Raises:
        InputError: something that the Responses form has no place for, by name.
    """
    if "messages" not in body:
        return kept_fields(body, counted=RESPONSES, uncounted=UNCOUNTED, taker=TAKER)
    chat = kept_fields(body, counted=CHAT, uncounted=UNCOUNTED, taker=TAKER)
    converted: Body = {
        "input": [
            item
            for index, message in enumerate(chat["messages"])
            for item in _items(message, f"messages[{index}]")
        ]
    }
    if chat.get("tools"):
        tools = enumerate(chat["tools"])
        converted["tools"] = [_flat(tool, "function", f"tools[{index}]") for index, tool in tools]
    if "parallel_tool_calls" in chat:
        converted["parallel_tool_calls"] = chat["parallel_tool_calls"]
    if "tool_choice" in chat:
        choice = chat["tool_choice"]
        named = isinstance(choice, Mapping)
        converted["tool_choice"] = _flat(choice, "function", "tool_choice") if named else choice
    if "reasoning_effort" in chat:
        converted["reasoning"] = {"effort": chat["reasoning_effort"]}
    text = _text_settings(chat)
    return {**converted, "text": text} if text else converted


def _text_settings(chat: Mapping[str, Any]) -> Body:
    text: Body = {}
    if "response_format" in chat:
        given = chat["response_format"]
        is_schema = isinstance(given, Mapping) and given.get("type") == "json_schema"
        text["format"] = _flat(given, "json_schema", "response_format") if is_schema else given
    if "verbosity" in chat:
        text["verbosity"] = chat["verbosity"]
    return text


def _flat(value: Any, key: str, where: str) -> Body:
    """`{"type": key, key: {...}}` without the inner level."""
    if not isinstance(value, Mapping) or value.get("type") != key:
        kind = value.get("type") if isinstance(value, Mapping) else type(value).__name__
        raise no_counterpart(f"{where} of type {kind!r}", TAKER)
    inner = value.get(key)
    if not isinstance(inner, Mapping):
        return dict(value)  # flat already
    return {"type": key, **inner}


def _items(message: Any, where: str) -> list[Body]:
    """The items that one chat message becomes, in order."""
    if not isinstance(message, Mapping):
        raise no_counterpart(f"{where}, which is no object,", TAKER)
    for field in message:
        if field not in MESSAGE_FIELDS and message[field] is not None:
            raise no_counterpart(f"{where}.{field}", TAKER)
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id, said = message.get("tool_call_id"), _content(content, where)
        return [{"type": "function_call_output", "call_id": call_id, "output": said}]
    if role not in {"system", "developer", "user", "assistant"}:
        raise no_counterpart(f"{where} with the role {role!r}", TAKER)
    items: list[Body] = []
    if content:
        items.append({"role": role, "content": _content(content, where, said=role == "assistant")})
    if message.get("refusal"):
        refusal = {"type": "refusal", "refusal": message["refusal"]}
        items.append({"role": role, "content": [refusal]})
    calls = enumerate(message.get("tool_calls") or ())
    return items + [_call(call, f"{where}.tool_calls[{index}]") for index, call in calls]


def _call(call: Any, where: str) -> Body:
    flat = _flat(call, "function", where)
    return {
        "type": "function_call",
        "call_id": flat.get("id", call.get("id")),
        "name": flat.get("name"),
        "arguments": flat.get("arguments", ""),
    }


def _content(content: Any, where: str, *, said: bool = False) -> str | list[Body]:
    """A text as it is, or blocks under their Responses names."""
    if content is None or isinstance(content, str):
        return content or ""
    blocks = content if isinstance(content, list) else [content]
    return [_block(block, f"{where}.content[{n}]", said=said) for n, block in enumerate(blocks)]


def _block(block: Any, where: str, *, said: bool) -> Body:
    kind = block.get("type") if isinstance(block, Mapping) else type(block).__name__
    if kind == "text":
        return {"type": "output_text" if said else "input_text", "text": block.get("text", "")}
    convert = BLOCKS.get(str(kind))
    if convert is None:
        raise no_counterpart(f"{where}: a block of type {kind!r}", TAKER)
    return convert(block)


def _image(block: Mapping[str, Any]) -> Body:
    image = block.get("image_url")
    fields = image if isinstance(image, Mapping) else {"url": image}
    detail = {"detail": fields["detail"]} if "detail" in fields else {}
    return {"type": "input_image", "image_url": fields.get("url"), **detail}


def _file(block: Mapping[str, Any]) -> Body:
    file = block.get("file")
    return {**(file if isinstance(file, Mapping) else block), "type": "input_file"}


BLOCKS: Mapping[str, Callable[[Mapping[str, Any]], Body]] = {
    "image_url": _image,
    "file": _file,
    "refusal": dict,
    "input_text": dict,
    "input_image": dict,
    "input_file": dict,
    "output_text": dict,
}
"""Chat blocks with a counterpart; audio has none."""
