"""Definitions of tools in the form that each provider takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from packhorse.errors import InputError, UnknownStrategyError

__all__ = ["tools_field"]

Body = dict[str, Any]

DECLARED = ("functionDeclarations", "function_declarations")
JSON_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema")
NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}


class _Function(NamedTuple):
    """What all forms say of a function."""

    name: str
    description: Any
    schema: Mapping[str, Any] | None
    """JSON Schema of its parameters."""
    form: str
    """`openai`, `anthropic`, `gemini`, or empty for a form that no request here takes."""
    given: Any
    """As it stands in its own form: for Gemini the declaration alone."""


def tools_field(tools: Sequence[Mapping[str, Any]], shape: str) -> Body:
    """The field `tools` of a request; nothing for no tools.

    A definition in the provider's own form stays as it is. Others keep name, description and
    schema; for Gemini all functions stand in one tool.

    Args:
        tools: one function each, in any provider's form.
        shape: `openai`, `anthropic` or `gemini`.

    Raises:
        InputError: a tool without a schema (OpenAI's `custom`) for another provider.
        UnknownStrategyError: no such shape.
    """
    if shape not in FORMS:
        raise UnknownStrategyError("message shape", shape, tuple(FORMS))
    if not tools:
        return {}
    functions = [_function(tool) for tool in tools]
    made = [
        each.given if each.form == shape else FORMS[shape](_convertible(each, shape))
        for each in functions
    ]
    return {"tools": [{DECLARED[0]: made}] if shape == "gemini" else made}


def _function(tool: Mapping[str, Any]) -> _Function:
    for key in DECLARED:
        if key in tool:
            (given,) = tool[key]
            plain = next((given[name] for name in JSON_SCHEMAS if name in given), None)
            schema = _lowered(given.get("parameters")) if plain is None else plain
            return _Function(given["name"], given.get("description"), schema, "gemini", given)
    if "custom" in tool:
        inner = tool["custom"]
        return _Function(inner["name"], inner.get("description"), None, "openai", tool)
    if "function" in tool:
        inner = tool["function"]
        schema = inner.get("parameters")
        return _Function(inner["name"], inner.get("description"), schema, "openai", tool)
    form = "anthropic" if "input_schema" in tool else ""
    schema = tool.get("input_schema", tool.get("parameters"))
    return _Function(tool["name"], tool.get("description"), schema, form, tool)


def _convertible(function: _Function, shape: str) -> _Function:
    if isinstance(function.given, Mapping) and "custom" in function.given:
        raise InputError(
            f"The tool {function.name!r} takes free text, which {shape} has no form for",
            hint="Define it as a function with parameters",
        )
    return function


def _lowered(schema: Any) -> Any:
    """Gemini's own schema as JSON Schema, whose types are small letters."""
    if isinstance(schema, Mapping):
        return {
            key: value.lower() if key == "type" and isinstance(value, str) else _lowered(value)
            for key, value in schema.items()
        }
    return [_lowered(each) for each in schema] if isinstance(schema, list) else schema


def _described(function: _Function) -> Body:
    said = {} if function.description is None else {"description": function.description}
    return {"name": function.name, **said}


def _openai(function: _Function) -> Body:
    schema = {} if function.schema is None else {"parameters": function.schema}
    return {"type": "function", "function": {**_described(function), **schema}}


def _anthropic(function: _Function) -> Body:
    return {**_described(function), "input_schema": function.schema or dict(NO_PARAMETERS)}


def _gemini(function: _Function) -> Body:
    schema = {} if function.schema is None else {JSON_SCHEMAS[0]: function.schema}
    return {**_described(function), **schema}


FORMS: Mapping[str, Callable[[_Function], Body]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai": _openai,
}
