"""What definitions of tools cost in a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ToolRule

__all__ = ["ToolCharge", "compact_json", "tool_charges"]

ToolCharge = tuple[int, tuple[str, ...], bool]
"""Fixed tokens, texts to count, and whether a published rule covers the whole definition."""

SIMPLE_PROPERTY = frozenset({"type", "description", "enum"})
"""Fields of a property that the published sum knows."""

SIMPLE_PARAMETERS = frozenset(
    {"type", "properties", "required", "additionalProperties", "$schema", "title"}
)


def compact_json(value: Any) -> str:
    """JSON without spaces, keys in their own order, letters of all scripts as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tool_charges(tools: Sequence[Any], rule: ToolRule) -> list[ToolCharge]:
    """One charge a tool, and one for the request when there is any tool.

    Raises:
        InputError: a definition that is not of a known form.
    """
    if not tools:
        return []
    charge = KINDS[rule.kind]
    charges = [charge(_definition(tool, index), rule) for index, tool in enumerate(tools)]
    return [(rule.per_request, (), True), *charges]


def _definition(tool: Any, index: int) -> Mapping[str, Any]:
    """The inner definition: OpenAI wraps it in `function`, others do not."""
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise InputError(
            f"tools[{index}] is not the definition of a function",
            hint="Give each tool a name, a description and a schema of its parameters",
        )
    return inner


def _schema(definition: Mapping[str, Any], rule: ToolRule) -> ToolCharge:
    return rule.per_tool, (compact_json(definition),), rule.published


def _functions(definition: Mapping[str, Any], rule: ToolRule) -> ToolCharge:
    """The sum of the OpenAI Cookbook (`num_tokens_for_tools`).

    That sum knows flat parameters alone. Whatever else a schema holds is added as compact JSON
    and the charge is marked as not covered.
    """
    fixed, texts = rule.per_tool, []
    texts.append(f"{definition['name']}:{_sentence(definition.get('description'))}")
    parameters = definition.get("parameters", definition.get("input_schema")) or {}
    properties = parameters.get("properties") or {} if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping):
        raise InputError(
            f"The parameters of tool {definition['name']!r} are not a schema",
            hint="Give a JSON schema of type object",
        )
    rest: dict[str, Any] = {
        key: value for key, value in parameters.items() if key not in SIMPLE_PARAMETERS
    }
    deeper: dict[str, Any] = {}
    fixed += rule.properties if properties else 0
    for name, schema in properties.items():
        fields = schema if isinstance(schema, Mapping) else {}
        fixed += rule.per_property
        texts.append(f"{name}:{_type_name(fields)}:{_sentence(fields.get('description'))}")
        if isinstance(fields.get("enum"), list):
            fixed += rule.enum + rule.per_enum_item * len(fields["enum"])
            texts += [
                item if isinstance(item, str) else compact_json(item) for item in fields["enum"]
            ]
        others = {key: value for key, value in fields.items() if key not in SIMPLE_PROPERTY}
        if others:
            deeper[name] = others
    if deeper:
        rest["properties"] = deeper
    if rest:
        texts.append(compact_json(rest))
    return fixed, tuple(texts), rule.published and not rest


KINDS: Mapping[str, Callable[[Mapping[str, Any], ToolRule], ToolCharge]] = {
    "functions": _functions,
    "schema": _schema,
}


def _sentence(description: Any) -> str:
    return description.removesuffix(".") if isinstance(description, str) else ""


def _type_name(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    return kind if isinstance(kind, str) else compact_json(kind)
