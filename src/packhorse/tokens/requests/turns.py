"""Chat requests in one neutral form, whichever provider's shape they were written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.request import ChatRequest, Turn
from packhorse.tokens.requests.tools import compact_json

if TYPE_CHECKING:
    from packhorse.types.message import Message

__all__ = ["read_request", "turn_of"]


def turn_of(message: Message) -> Turn:
    """A turn of our own message type."""
    calls = [text for call in message.tool_calls for text in _call_texts(call, "tool_calls")]
    own = [message.content, *calls, message.tool_call_id or ""]
    return Turn(
        role=message.role,
        name=message.name,
        texts=tuple(text for text in own if text),
        n_calls=len(message.tool_calls),
    )


def read_request(body: Mapping[str, Any] | Sequence[Any]) -> ChatRequest:
    """A whole request body (OpenAI chat, Anthropic messages, Gemini contents), or bare messages.

    The shape is told from the keys: `contents` is Gemini; `messages` is OpenAI or Anthropic,
    whose blocks are told apart one by one.

    Raises:
        InputError: not a request, or a message or content block of an unknown form.
    """
    if isinstance(body, Mapping):
        for key, reader in BODIES.items():
            if key in body:
                return replace(reader(body), body=body)
    elif isinstance(body, (list, tuple)):
        bare = {"messages": body}
        return replace(_messages(bare), body=bare)
    raise InputError(
        "This is not a chat request: it has neither `messages` nor `contents`",
        hint="Give a list of messages, or a request body as the provider takes it",
    )


def _messages(body: Mapping[str, Any]) -> ChatRequest:
    turns = []
    if body.get("system"):
        turns.append(_turn({"role": "system", "content": body["system"]}, "system"))
    for index, message in enumerate(_list(body["messages"], "messages")):
        turns.append(_turn(message, f"messages[{index}]"))
    tools = body.get("tools") or body.get("functions") or ()
    return ChatRequest(turns=tuple(turns), tools=tuple(_list(tools, "tools")))


def _contents(body: Mapping[str, Any]) -> ChatRequest:
    turns = []
    instruction = body.get("systemInstruction", body.get("system_instruction"))
    if instruction:
        turns.append(_gemini_turn(instruction, "system", "systemInstruction"))
    contents = body["contents"]
    if isinstance(contents, str):
        contents = [{"parts": [{"text": contents}]}]
    for index, content in enumerate(_list(contents, "contents")):
        turns.append(_gemini_turn(content, "user", f"contents[{index}]"))
    tools = _list(body.get("tools") or (), "tools")
    declared = [
        declaration
        for index, tool in enumerate(tools)
        for declaration in _declarations(tool, f"tools[{index}]")
    ]
    return ChatRequest(turns=tuple(turns), tools=tuple(declared))


def _declarations(tool: Any, where: str) -> Sequence[Any]:
    if isinstance(tool, Mapping):
        for key in ("functionDeclarations", "function_declarations"):
            if key in tool:
                return _list(tool[key], f"{where}.{key}")
    raise _unknown("tool without function declarations", where)


BODIES: Mapping[str, Callable[[Mapping[str, Any]], ChatRequest]] = {
    "messages": _messages,
    "contents": _contents,
}


def _turn(message: Any, where: str) -> Turn:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InputError(
            f"{where} has no role", hint="A message is an object with `role` and `content`"
        )
    blocks = list(_blocks(message.get("content"), where))
    blocks += [
        Turn(role="", texts=(message[key],))
        for key in ("reasoning_content", "refusal", "tool_call_id")
        if isinstance(message.get(key), str)
    ]
    calls = _list(message.get("tool_calls") or (), f"{where}.tool_calls")
    if message.get("function_call"):
        calls = [*calls, {"function": message["function_call"]}]
    blocks += [
        Turn(role="", texts=_call_texts(call, f"{where}.tool_calls[{index}]"), n_calls=1)
        for index, call in enumerate(calls)
    ]
    name = message.get("name")
    return _joined(message["role"], blocks, name=name if isinstance(name, str) else None)


def _gemini_turn(content: Any, default_role: str, where: str) -> Turn:
    if isinstance(content, str):
        content = {"parts": [{"text": content}]}
    if not isinstance(content, Mapping):
        raise InputError(f"{where} is not an object", hint="Give `role` and `parts`")
    parts = _list(content.get("parts") or (), f"{where}.parts")
    blocks = [_gemini_part(part, f"{where}.parts[{index}]") for index, part in enumerate(parts)]
    return _joined(_string(content.get("role", default_role), f"{where}.role"), blocks)


def _gemini_part(part: Any, where: str) -> Turn:
    if isinstance(part, Mapping):
        for key, read in GEMINI_PARTS.items():
            if key in part:
                return read(part[key], where)
    shown = sorted(part) if isinstance(part, Mapping) else type(part).__name__
    raise _unknown(f"part with {shown}", where)


def _inline(data: Any, where: str) -> Turn:
    fields = data if isinstance(data, Mapping) else {}
    mime = fields.get("mimeType", fields.get("mime_type"))
    if not isinstance(mime, str) or not mime.startswith("image/"):
        raise _unknown(f"inline data of type {mime!r}", where)
    content = _string(fields.get("data"), f"{where}.data")
    return Turn(role="", images=(Image(data=content, detail="", where=where),))


GEMINI_PARTS: Mapping[str, Callable[[Any, str], Turn]] = {
    "text": lambda text, where: Turn(role="", texts=(_string(text, where),)),
    "inlineData": _inline,
    "inline_data": _inline,
    "functionCall": lambda call, _: Turn(role="", texts=(compact_json(call),), n_calls=1),
    "function_call": lambda call, _: Turn(role="", texts=(compact_json(call),), n_calls=1),
    "functionResponse": lambda result, _: Turn(role="", texts=(compact_json(result),)),
    "function_response": lambda result, _: Turn(role="", texts=(compact_json(result),)),
}


def _blocks(content: Any, where: str) -> Iterator[Turn]:
    """The pieces of a content field: a text, a list of blocks, or nothing."""
    if content is None:
        return
    if isinstance(content, str):
        yield Turn(role="", texts=(content,))
        return
    for index, block in enumerate(_list(content, f"{where}.content")):
        yield _block(block, f"{where}.content[{index}]")


def _block(block: Any, where: str) -> Turn:
    if isinstance(block, str):
        return Turn(role="", texts=(block,))
    kind = block.get("type") if isinstance(block, Mapping) else type(block).__name__
    read = BLOCKS.get(kind) if isinstance(kind, str) else None
    if read is None or not isinstance(block, Mapping):
        raise _unknown(f"content block of type {kind!r}", where)
    return read(block, where)


def _text_of(key: str) -> Callable[[Mapping[str, Any], str], Turn]:
    return lambda block, where: Turn(role="", texts=(_string(block.get(key), f"{where}.{key}"),))


def _image(block: Mapping[str, Any], where: str) -> Turn:
    """OpenAI's two spellings and Anthropic's, as one image."""
    source, detail = block.get("source"), block.get("detail", "")
    if isinstance(source, Mapping):
        content = source.get("data") if source.get("type") == "base64" else None
        inline = content if isinstance(content, str) else None
        return Turn(role="", images=(Image(data=inline, detail=str(detail), where=where),))
    address = block.get("image_url")
    if isinstance(address, Mapping):
        detail = address.get("detail", detail)
    url = address.get("url") if isinstance(address, Mapping) else address
    if not isinstance(url, str):
        raise InputError(f"{where} is an image without data", hint="Give an address or base64 data")
    head, comma, data = url.partition(",")
    inline = data if comma and head.startswith("data:") and head.endswith(";base64") else None
    return Turn(role="", images=(Image(data=inline, detail=str(detail), where=where),))


def _tool_use(block: Mapping[str, Any], where: str) -> Turn:
    name = _string(block.get("name"), f"{where}.name")
    texts = (name, compact_json(block.get("input", {})), str(block.get("id", "")))
    return Turn(role="", texts=tuple(text for text in texts if text), n_calls=1)


def _tool_result(block: Mapping[str, Any], where: str) -> Turn:
    own = Turn(role="", texts=(str(block.get("tool_use_id", "")),))
    return _joined("", [own, *_blocks(block.get("content"), where)])


BLOCKS: Mapping[str, Callable[[Mapping[str, Any], str], Turn]] = {
    "text": _text_of("text"),
    "input_text": _text_of("text"),
    "output_text": _text_of("text"),
    "refusal": _text_of("refusal"),
    "thinking": _text_of("thinking"),
    "image_url": _image,
    "input_image": _image,
    "image": _image,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
}
"""Content blocks that can be counted; every other kind is refused by name."""


def _call_texts(call: Any, where: str) -> tuple[str, ...]:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    if (
        not isinstance(call, Mapping)
        or not isinstance(function, Mapping)
        or not isinstance(function.get("name"), str)
    ):
        raise InputError(f"{where} names no function", hint="A call has `function.name`")
    arguments = function.get("arguments", "")
    if not isinstance(arguments, str):
        arguments = compact_json(arguments)
    texts = (function["name"], arguments, str(call.get("id", "")))
    return tuple(text for text in texts if text)


def _joined(role: str, blocks: Sequence[Turn], *, name: str | None = None) -> Turn:
    return Turn(
        role=role,
        name=name,
        texts=tuple(text for block in blocks for text in block.texts),
        images=tuple(image for block in blocks for image in block.images),
        n_calls=sum(block.n_calls for block in blocks),
    )


def _list(value: Any, where: str) -> Sequence[Any]:
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return value
    raise InputError(
        f"{where} is {type(value).__name__}, not a list",
        hint="Give a list, in the provider's shape",
    )


def _string(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    raise InputError(f"{where} is {type(value).__name__}, not text", hint="Give text in quotes")


def _unknown(what: str, where: str) -> InputError:
    return InputError(
        f"{where}: no counting rule for a {what}",
        hint="Leave the block out, or turn it into text or an image",
    )
