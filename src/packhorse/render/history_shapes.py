"""Histories in other providers' shapes, as messages of OpenAI's chat: text, calls and results.

Ids of items, cache marks and signatures say nothing and are not taken along. Whatever else has no
place in such a message is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.text.compact_json import compact_json
from packhorse.tokens.requests.values import as_fields, as_list, as_text, is_set, typed

__all__ = ["chat_entries"]

Entry = tuple[object, str]
"""A message of OpenAI's chat shape, not checked yet, and its place in what was given."""

BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
ITEMS = frozenset({"function_call", "function_call_output", "reasoning"})
TEXTS = frozenset({"text", "input_text", "output_text"})
FUNCTION_PARTS = (("functionCall", "function_call"), ("functionResponse", "function_response"))


def chat_entries(data: object) -> Iterator[Entry] | None:
    """The messages of a list or a request body; None where it is neither.

    A body's own instructions come first, as a system message.

    Raises:
        InputError: something that would be lost, with its place; on iteration.
    """
    body = data if isinstance(data, Mapping) else {}
    field = next((key for key in ("messages", "contents", "input") if key in body), None)
    given = body[field] if field else data
    if field in ("contents", "input") and isinstance(given, (str, Mapping)):
        given = [given]
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        return None
    read = READERS.get(field or "messages") or _bare_reader(given)
    return _all(body, read, given, field or "messages")


def _all(
    body: Mapping[str, Any], read: Callable[[Sequence[Any], str], Iterator[Entry]],
    given: Sequence[Any], field: str,
) -> Iterator[Entry]:  # fmt: skip
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        if is_set(body.get(key)):
            yield {"role": "system", "content": _instructions(body[key], key)}, key
    yield from read(given, field)


def _instructions(value: Any, where: str) -> str:
    if isinstance(value, Mapping):
        value, where = value.get("parts"), f"{where}.parts"
    if isinstance(value, str):
        return value
    return _text(value, where)


def _bare_reader(items: Sequence[Any]) -> Callable[[Sequence[Any], str], Iterator[Entry]]:
    fields = [item for item in items if isinstance(item, Mapping)]
    if any("parts" in item and "content" not in item for item in fields):
        return _contents
    if any(_is_one_of(item.get("type"), ITEMS) and "role" not in item for item in fields):
        return _input
    return _messages


def _messages(items: Sequence[Any], field: str) -> Iterator[Entry]:
    """OpenAI's messages as they are, those with Anthropic's blocks taken apart."""
    for at, item in enumerate(items):
        where = f"{field}[{at}]"
        content = item.get("content") if isinstance(item, Mapping) else None
        blocks = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
        kinds = [block.get("type") for block in blocks if isinstance(block, Mapping)]
        if any(_is_one_of(kind, BLOCKS) for kind in kinds):
            yield from _blocks(item, blocks, where)
        else:
            yield item, where


def _blocks(message: Mapping[str, Any], blocks: Sequence[Any], where: str) -> Iterator[Entry]:
    """Results first, each a message of its own; then what is said, with the calls."""
    texts: list[str] = []
    calls: list[Mapping[str, Any]] = []
    for at, each in enumerate(blocks):
        place = f"{where}.content[{at}]"
        block = as_fields(each, place)
        if block.get("type") == "tool_use":
            calls.append(_call(block.get("id"), block.get("name"), block.get("input"), place))
        elif block.get("type") == "tool_result":
            if block.get("is_error"):
                raise _lost("'is_error'", place, "Write into the content that the call failed")
            said = _text(block.get("content") or "", f"{place}.content")
            yield _result(block.get("tool_use_id"), said, place), place
        else:
            texts.append(_text([each], f"{where}.content", first=at))
    if texts or calls:
        yield _said(message.get("role"), "\n".join(texts), calls), where


def _contents(items: Sequence[Any], field: str) -> Iterator[Entry]:
    """Gemini's contents; a call without an id gets one, a result answers the first of its name."""
    open_calls: list[tuple[str, str]] = []
    for at, item in enumerate(items):
        where = f"{field}[{at}]"
        content = {"parts": item} if isinstance(item, str) else as_fields(item, where)
        parts = content.get("parts")
        parts = [parts] if isinstance(parts, (str, Mapping)) else parts
        texts: list[str] = []
        calls: list[Mapping[str, Any]] = []
        for number, part in enumerate(as_list(parts, f"{where}.parts")):
            place = f"{where}.parts[{number}]"
            call, result = (_held(part, keys, place) for keys in FUNCTION_PARTS)
            if call is not None:
                call_id = call.get("id") or f"call_{at}_{number}"
                calls.append(_call(call_id, call.get("name"), call.get("args"), place))
                open_calls.append((call_id, call["name"]))
            elif result is not None:
                call_id = _answered(result, open_calls)
                yield _result(call_id, _response(result, place), place), place
            else:
                texts.append(_text([part], f"{where}.parts", first=number))
        if texts or calls:
            role = content.get("role", "user")
            named = {"model": "assistant", "function": "user"}
            yield _said(named.get(role, role) if isinstance(role, str) else role,
                        "\n".join(texts), calls), where  # fmt: skip


def _held(part: Any, keys: Sequence[str], where: str) -> Mapping[str, Any] | None:
    found = next((key for key in keys if isinstance(part, Mapping) and key in part), None)
    return None if found is None else as_fields(part[found], f"{where}.{found}")


def _answered(result: Mapping[str, Any], open_calls: list[tuple[str, str]]) -> Any:
    """The id of the call that a result answers."""
    own, name = result.get("id"), result.get("name")
    for call in open_calls:
        if own == call[0] or (not own and name == call[1]):
            open_calls.remove(call)
            return call[0]
    return own or name


def _response(result: Mapping[str, Any], where: str) -> str:
    if is_set(result.get("parts")):
        raise _lost("'parts'", where, "Only what stands in the response can be")
    response = result.get("response")
    if isinstance(response, Mapping) and list(response) == ["result"]:
        only = response["result"]
        return only if isinstance(only, str) else compact_json(response)
    return compact_json(response)


def _input(items: Sequence[Any], field: str) -> Iterator[Entry]:
    """Items of OpenAI's Responses; calls join the assistant's message before them."""
    spoken: tuple[dict[str, Any], str] | None = None
    for at, each in enumerate(items):
        where = f"{field}[{at}]"
        item = {"role": "user", "content": each} if isinstance(each, str) else each
        item = as_fields(item, where)
        kind = item.get("type") or "message"
        if kind == "function_call":
            call = _call(item.get("call_id"), item.get("name"), item.get("arguments"), where)
            message, place = spoken or (_said("assistant", "", []), where)
            spoken = {**message, "tool_calls": [*message["tool_calls"], call]}, place
            continue
        if spoken and spoken[0]["tool_calls"] and item.get("role") == "assistant":
            # Said between a call and its result: both stay next to each other.
            said = _text(item.get("content"), f"{where}.content")
            spoken[0]["content"] = "\n".join(filter(None, (spoken[0]["content"], said)))
            continue
        if spoken:
            yield spoken
            spoken = None
        if kind == "function_call_output":
            said = _text(item.get("output"), f"{where}.output")
            yield _result(item.get("call_id"), said, where), where
        elif kind != "message":
            raise _lost(typed("an item", item), where)
        elif item.get("role") == "assistant":
            spoken = _said("assistant", _text(item.get("content"), f"{where}.content"), []), where
        else:
            yield {key: item[key] for key in item if key in ("role", "content", "name")}, where
    if spoken:
        yield spoken


def _said(role: Any, text: str, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"role": role, "content": text, "tool_calls": list(calls)}


def _result(call_id: Any, text: str, where: str) -> Mapping[str, Any]:
    return {"role": "tool", "tool_call_id": as_text(call_id, f"{where}: the id"), "content": text}


def _call(call_id: Any, name: Any, arguments: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        arguments = compact_json(arguments or {})
    function = {"name": as_text(name, f"{where}.name"), "arguments": arguments}
    return {"id": as_text(call_id, f"{where}: the id"), "type": "function", "function": function}


def _text(value: Any, where: str, first: int = 0) -> str:
    """A text, or text blocks as lines of one text."""
    if isinstance(value, str):
        return value
    texts = []
    for at, block in enumerate(as_list(value, where), first):
        if isinstance(block, str):
            texts.append(block)
            continue
        fields = block if isinstance(block, Mapping) else {}
        said, kind = fields.get("text"), fields.get("type", "text")
        if not isinstance(said, str) or not _is_one_of(kind, TEXTS) or fields.get("thought"):
            names = "" if "type" in fields else f" with {', '.join(map(repr, fields))}"
            what = typed("a block", block) if "type" in fields else f"a part{names}"
            raise _lost(what, f"{where}[{at}]")
        texts.append(said)
    return "\n".join(texts)


def _lost(
    what: str, where: str, hint: str = "Only text, calls of functions and their results can be"
) -> InputError:
    hint = f"{hint}; leave it out or turn it into text"
    return InputError(f"{where}: {what} cannot be carried over", hint=hint)


def _is_one_of(kind: Any, kinds: frozenset[str]) -> bool:
    return isinstance(kind, str) and kind in kinds


READERS: Mapping[str, Callable[[Sequence[Any], str], Iterator[Entry]]] = {
    "contents": _contents,
    "input": _input,
}
