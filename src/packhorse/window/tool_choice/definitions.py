"""Definitions of tools in every shape: flat, with what they say, and back where they were."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["DECLARED", "Definition", "calls_in", "definitions", "forced_names", "with_tools"]

WRAPPERS = ("function", "custom")
CALLS = ("function_call", "custom_tool_call")
HELD_CALLS = {
    "": ("function_call",),
    "tool_calls": WRAPPERS,
    "parts": ("functionCall", "function_call"),
}
"""Field of a message, itself first -> fields that hold a call."""
DECLARED = ("functionDeclarations", "function_declarations")
SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema")
WITHOUT_TOOLS = (
    "tools", "tool_choice", "parallel_tool_calls", "toolConfig", "tool_config",
)  # fmt: skip
"""Fields that a provider refuses where there are no tools."""


class Definition(NamedTuple):
    """One tool that the caller defines."""

    place: int
    """In `tools`."""
    part: int
    """Among the declarations of one of Gemini's tools; 0 elsewhere."""
    name: str
    description: str
    parameters: tuple[str, ...]
    """Names of parameters, nested ones too."""
    said: tuple[str, ...]
    """Descriptions and allowed values of parameters."""
    tool: Any
    """By itself, as the request would hold it alone."""


def definitions(tools: Sequence[Any]) -> list[Definition]:
    """The tools that the caller defines, in their order; those that the provider runs left out."""
    if not _is_list(tools):
        return []  # what counts the request says what is wrong with it
    found = []
    for place, tool in enumerate(tools):
        if not isinstance(tool, Mapping):
            continue
        declared = _declared(tool)
        if declared is not None:
            key, parts = declared
            for part, each in enumerate(parts):
                if _is_definition(each):
                    found.append(_definition(place, part, each, {key: [each]}))
            continue
        inner = next((tool[key] for key in WRAPPERS if key in tool), tool)
        if _is_definition(inner):
            found.append(_definition(place, 0, inner, tool))
    return found


def with_tools(body: Mapping[str, Any], kept: Collection[str]) -> dict[str, Any]:
    """The request with the named tools alone, in their order; others of the provider's own stay.

    Without any tool the fields that choose among tools go too.
    """
    given = body.get("tools") or ()
    if not _is_list(given):
        return dict(body)
    left: list[Any] = []
    for tool in given:
        if not isinstance(tool, Mapping):
            left.append(tool)
            continue
        declared = _declared(tool)
        if declared is not None:
            key, parts = declared
            some = [each for each in parts if not _is_definition(each) or each["name"] in kept]
            others = [name for name in tool if name != key]
            if some or others:
                left.append({**tool, key: some})
            continue
        inner = next((tool[key] for key in WRAPPERS if key in tool), tool)
        if not _is_definition(inner) or inner["name"] in kept:
            left.append(tool)
    if left:
        return {**body, "tools": left}
    return {key: value for key, value in body.items() if key not in WITHOUT_TOOLS}


def forced_names(body: Mapping[str, Any]) -> frozenset[str]:
    """Tools that the request names as the ones to call."""
    names = set()
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping):
        for fields in (choice, choice.get("function"), choice.get("custom")):
            if isinstance(fields, Mapping) and isinstance(fields.get("name"), str):
                names.add(fields["name"])
        allowed = choice.get("allowed_tools", choice)
        tools = allowed.get("tools") if isinstance(allowed, Mapping) else None
        names |= {each.name for each in definitions(tools if isinstance(tools, list) else [])}
    for key in ("toolConfig", "tool_config"):
        config = body.get(key)
        for inner in ("functionCallingConfig", "function_calling_config"):
            fields = config.get(inner) if isinstance(config, Mapping) else None
            for allowed in ("allowedFunctionNames", "allowed_function_names"):
                given = fields.get(allowed) if isinstance(fields, Mapping) else None
                names |= {each for each in given or () if isinstance(each, str)}
    return frozenset(names)


def calls_in(item: Any) -> tuple[str, ...]:
    """Names of the tools that one message calls, whatever its shape."""
    if not isinstance(item, Mapping):
        return ()
    return tuple(name for name in _called(item) if isinstance(name, str))


def _called(item: Mapping[str, Any]) -> Iterator[Any]:
    if item.get("type") in CALLS:
        yield item.get("name")
    yield from (block.get("name") for block in _listed(item.get("content")) if _is_use(block))
    for field, keys in HELD_CALLS.items():
        parts = _listed(item.get(field)) if field else [item]
        held = (part.get(key) for part in parts for key in keys)
        yield from (fields.get("name") for fields in held if isinstance(fields, Mapping))


def _is_use(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "tool_use"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _listed(value: Any) -> list[Mapping[str, Any]]:
    if not _is_list(value):
        return []
    return [each for each in value if isinstance(each, Mapping)]


def _declared(tool: Any) -> tuple[str, Sequence[Any]] | None:
    """The declarations in one of Gemini's tools, and their field."""
    for key in DECLARED:
        parts = tool.get(key) if isinstance(tool, Mapping) else None
        if isinstance(parts, Sequence) and not isinstance(parts, str):
            return key, parts
    return None


def _is_definition(fields: Any) -> bool:
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        return False
    kind = fields.get("type")
    return kind is None or kind in WRAPPERS


def _definition(place: int, part: int, fields: Mapping[str, Any], tool: Any) -> Definition:
    names: list[str] = []
    said: list[str] = []
    for key in SCHEMAS:
        _read_schema(fields.get(key), names, said, 0)
    description = fields.get("description")
    return Definition(
        place=place,
        part=part,
        name=fields["name"],
        description=description if isinstance(description, str) else "",
        parameters=tuple(names),
        said=tuple(said),
        tool=tool,
    )


DEEPEST = 6


def _read_schema(schema: Any, names: list[str], said: list[str], depth: int) -> None:
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, Mapping) else ():
        names.append(str(name))
        if isinstance(each, Mapping):
            description = each.get("description")
            said += [description] if isinstance(description, str) else []
            values = each.get("enum")
            said += [str(value) for value in values] if isinstance(values, list) else []
        _read_schema(each, names, said, depth + 1)
    _read_schema(schema.get("items"), names, said, depth + 1)
