"""Gemini `generateContent`: `contents` of parts, instructions and settings beside them.

Names are read in both spellings, `systemInstruction` and `system_instruction`; fields are those of
the API reference (google-genai 3.6, `GenerateContentConfig` and `Part`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests.blocks import (
    TOOL_CALLS,
    checked_role,
    image_piece,
    joined,
    named_text,
    piece,
    refused_piece,
    returned_piece,
    sealed_thought,
    thought,
)
from packhorse.tokens.requests.fields import leftover_fields
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.openai_chat import choices, formats
from packhorse.tokens.requests.request import ChatRequest, Refusal, Turn
from packhorse.tokens.requests.tools import RUN_THERE
from packhorse.tokens.requests.values import (
    as_fields,
    as_list,
    as_text,
    compact_json,
    is_set,
    kind_of,
    typed,
)

__all__ = ["camel_case", "read_contents", "read_some_contents", "settings_of"]

NESTED = ("config", "generationConfig")
"""Objects of a body whose fields count as fields of the request."""

COUNTED = frozenset(
    {
        "contents", "responseJsonSchema", "responseMimeType", "responseSchema",
        "systemInstruction", "toolConfig", "tools",
    }
)  # fmt: skip

FREE = frozenset(
    {
        "audioTimestamp", "automaticFunctionCalling", "candidateCount", "frequencyPenalty",
        "httpOptions", "imageConfig", "labels", "logprobs", "maxOutputTokens", "mediaResolution",
        "model", "modelArmorConfig", "presencePenalty", "responseLogprobs", "responseModalities",
        "safetySettings", "seed", "serviceTier", "speechConfig", "stopSequences", "store",
        "temperature", "thinkingConfig", "topK", "topP",
    }
)  # fmt: skip
"""Fields that cost nothing; those of the reservation are read elsewhere."""

REFUSED: Mapping[str, str] = {
    "cachedContent": "Put the cached content into the request: only the provider holds it",
    "messages": "Leave out `messages` or `contents`: they belong to two different providers",
}

PART_FIELDS = frozenset({"thought", "thoughtSignature", "partMetadata", "mediaResolution"})
"""Fields that stand beside what a part says."""

ANYWHERE = frozenset({"text", "inlineData", "functionCall", "functionResponse"})
INSIDE_RESULTS = frozenset({"text", "inlineData"})
"""What a part may say; everything else, files of the provider's store among them, is refused."""

NEEDS_TEXT = "Leave the part out, or turn it into text or an image"


def camel_case(name: str) -> str:
    """`max_output_tokens` as `maxOutputTokens`."""
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def settings_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of the request in one spelling, those of its nested settings among them.

    Raises:
        InputError: the settings are no object.
    """
    spelled = {camel_case(str(key)): value for key, value in body.items()}
    fields = {key: value for key, value in spelled.items() if key not in NESTED}
    for key in NESTED:
        inside = as_fields(spelled.get(key) or {}, key)
        fields |= {camel_case(name): value for name, value in inside.items()}
    return fields


def read_contents(body: Mapping[str, Any]) -> ChatRequest:
    """A body with `contents`.

    Raises:
        InputError: a part of it is of the wrong type.
    """
    fields = settings_of(body)
    resolution = _resolution(fields.get("mediaResolution"))
    turns = []
    if is_set(fields.get("systemInstruction")):
        turns.append(_turn(fields["systemInstruction"], "system", "systemInstruction", resolution))
        turns[0] = joined("system", turns)
    contents = fields["contents"]
    if isinstance(contents, (str, Mapping)):
        contents = [contents]
    for index, content in enumerate(as_list(contents, "contents")):
        turns.append(_turn(content, "user", f"contents[{index}]", resolution))
    tools, refused = _declared(fields.get("tools"))
    chosen, forced = _choice(fields.get("toolConfig"))
    left, assumed = leftover_fields(fields, COUNTED | FREE, REFUSED, "")
    schemas = [fields.get(key) for key in ("responseSchema", "responseJsonSchema")]
    return ChatRequest(
        turns=tuple(turns),
        tools=tools,
        additions=(*formats(*schemas), *chosen),
        forces_call=forced,
        refused=(*left, *refused),
        assumed=assumed,
    )


def read_some_contents(
    body: Mapping[str, Any], contents: Sequence[Any], where: Sequence[str]
) -> list[Turn]:
    """Some contents of a body, each with its place.

    Raises:
        InputError: a part of one is of the wrong type.
    """
    resolution = _resolution(settings_of(body).get("mediaResolution"))
    return [
        _turn(content, "user", place, resolution)
        for content, place in zip(contents, where, strict=True)
    ]


def _declared(tools: Any) -> tuple[tuple[Any, ...], tuple[Refusal, ...]]:
    """Function declarations of all tools; tools that the provider runs are refused by name."""
    declared: list[Any] = []
    refused: list[Refusal] = []
    for index, tool in enumerate(as_list(tools or (), "tools")):
        where = f"tools[{index}]"
        given = {camel_case(key): value for key, value in as_fields(tool, where).items()}
        functions = given.pop("functionDeclarations", None)
        declared += as_list(functions or (), f"{where}.functionDeclarations")
        if functions is None and not given:
            given = {"nothing": True}
        refused += [
            Refusal(where=where, what=f"the tool {name!r}", hint=RUN_THERE) for name in given
        ]
    return tuple(declared), tuple(refused)


def _choice(config: Any) -> tuple[tuple[Any, ...], bool]:
    """What the configuration says about calls: automatic ones are the default and cost nothing."""
    if not is_set(config):
        return (), False
    spelled = {camel_case(key): value for key, value in as_fields(config, "toolConfig").items()}
    calling = spelled.get("functionCallingConfig")
    mode = str(calling.get("mode", "auto")).lower() if isinstance(calling, Mapping) else "auto"
    if len(spelled) <= 1 and mode == "auto":
        return (), False
    return choices(config)[0], mode == "any"


def _turn(content: Any, default_role: str, where: str, resolution: str) -> Turn:
    if isinstance(content, str):
        return piece_of(default_role, content)
    if not isinstance(content, Mapping):
        raise InputError(f"{where} is not an object", hint="Give `role` and `parts`")
    parts = content.get("parts") or ()
    parts = [parts] if isinstance(parts, str) else parts
    pieces = [
        _part(part, f"{where}.parts[{index}]", resolution)
        for index, part in enumerate(as_list(parts, f"{where}.parts"))
    ]
    given = content.get("role")
    role, refused = checked_role(default_role if given is None else given, where)
    rest = leftover_fields(content, frozenset({"parts", "role"}), {}, where)[0]
    pieces.append(Turn(role="", refused=(*refused, *rest)))
    return joined("tool" if role == "function" else role, pieces)


def piece_of(role: str, text: str) -> Turn:
    """A turn that is one text."""
    return joined(role, [piece(text)])


def _part(part: Any, where: str, resolution: str, allowed: frozenset[str] = ANYWHERE) -> Turn:
    if isinstance(part, str):
        return piece(part)
    if not isinstance(part, Mapping):
        return refused_piece(f"a part that is {kind_of(part)}", where, NEEDS_TEXT)
    fields = {camel_case(str(key)): value for key, value in part.items()}
    said = {key: value for key, value in fields.items() if key not in PART_FIELDS}
    if len(said) != 1 or next(iter(said)) not in allowed:
        names = " and ".join(map(repr, sorted(said)))
        shown = f"a part with {names}" if names else "a part that says nothing"
        return refused_piece(shown, where, NEEDS_TEXT)
    own = _resolution(fields.get("mediaResolution")) or resolution
    key, value = next(iter(said.items()))
    thinks = key == "text" and is_set(fields.get("thought"))
    said_piece = (
        thought(as_text(value, f"{where}.text")) if thinks else PARTS[key](value, where, own)
    )
    return joined("", [said_piece, sealed_thought(named_text(fields, "thoughtSignature"))])


def _resolution(value: Any) -> str:
    """`MEDIA_RESOLUTION_LOW`, or an object with such a `level`, as `low`."""
    level = value.get("level") if isinstance(value, Mapping) else value
    return level.removeprefix("MEDIA_RESOLUTION_").lower() if isinstance(level, str) else ""


def _inline(data: Any, where: str, resolution: str) -> Turn:
    given = data if isinstance(data, Mapping) else {}
    fields = {camel_case(str(key)): value for key, value in given.items()}
    mime = fields.get("mimeType")
    if not isinstance(mime, str) or not mime.lower().startswith("image/"):
        return refused_piece(typed("inline data", fields, "mimeType"), where, NEEDS_TEXT)
    content = as_text(fields.get("data"), f"{where}.inlineData.data")
    known = frozenset({"mimeType", "data", "displayName"})
    rest = leftover_fields(fields, known, {}, f"{where}.inlineData")[0]
    image = image_piece(Image(data=content, detail=resolution, where=where))
    return joined("", [image, Turn(role="", refused=rest)])


def _call(call: Any, where: str, _: str) -> Turn:
    fields = as_fields(call, f"{where}.functionCall")
    name = as_text(fields.get("name"), f"{where}.functionCall.name")
    texts = (name, compact_json(fields.get("args") or {}), named_text(fields, "id"))
    rest = leftover_fields(fields, frozenset({"name", "args", "id"}), {}, where)[0]
    said = piece(*texts, estimated=(TOOL_CALLS,), n_calls=1)
    return joined("", [said, Turn(role="", refused=rest)])


def _result(result: Any, where: str, resolution: str) -> Turn:
    fields = as_fields(result, f"{where}.functionResponse")
    name = as_text(fields.get("name"), f"{where}.functionResponse.name")
    texts = (named_text(fields, "id"), name, compact_json(fields.get("response") or {}))
    own = piece(*texts, estimated=(TOOL_CALLS,), n_calls=1)
    known = frozenset({"name", "response", "id", "parts", "scheduling"})
    rest = leftover_fields(fields, known, {}, where)[0]
    parts = as_list(fields.get("parts") or (), f"{where}.functionResponse.parts")
    inside = [
        _part(part, f"{where}.functionResponse.parts[{index}]", resolution, INSIDE_RESULTS)
        for index, part in enumerate(parts)
    ]
    return returned_piece([own, *inside, Turn(role="", refused=rest)])


PARTS: Mapping[str, Callable[[Any, str, str], Turn]] = {
    "text": lambda text, where, _: piece(as_text(text, f"{where}.text")),
    "inlineData": _inline,
    "functionCall": _call,
    "functionResponse": _result,
}
