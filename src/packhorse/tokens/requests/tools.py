"""What definitions of tools cost in a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.requests.fields import unread
from packhorse.tokens.requests.request import Refusal
from packhorse.tokens.requests.values import compact_json

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ToolRule

__all__ = ["RUN_THERE", "ToolCharge", "split_tools", "tool_charges"]

ToolCharge = tuple[int, tuple[str, ...], bool]
"""Fixed tokens, texts to count, and whether a published rule covers the whole definition."""

SIMPLE_PROPERTY = frozenset({"type", "description", "enum"})
"""Fields of a property that the published sum knows."""

SIMPLE_PARAMETERS = frozenset({"type", "properties", "$schema", "title"})

MARKS = frozenset(
    {
        "allowed_callers", "async", "cache_control", "defer_loading", "eager_input_streaming",
        "strict", "type",
    }
)  # fmt: skip
"""Fields of a definition that say how it is used and are not shown to the model."""

SUMMED = frozenset({"name", "description", "parameters", "input_schema"})

OWN_TOOLS = ("function", "custom")
"""Types of tools that the caller defines, and the fields that hold them; all others are run by the
provider."""

RUN_THERE = (
    "Leave out what the provider runs: what it tells the model about its own tools is published"
    " nowhere. To fit a conversation, fit it without them and with fewer tokens, and put them back"
    " into the fitted request"
)
"""What to do with tools that the provider runs."""


def split_tools(
    tools: Sequence[Any], where: str = "tools"
) -> tuple[tuple[Any, ...], tuple[Refusal, ...]]:
    """Tools that the caller defines, and refusals: tools that the provider runs, unknown fields.

    What the provider tells the model about its own tools is published nowhere.
    """
    own: list[Any] = []
    refused: list[Refusal] = []
    for index, tool in enumerate(tools):
        place = f"{where}[{index}]"
        kind = tool.get("type") if isinstance(tool, Mapping) else None
        if kind is None or kind in OWN_TOOLS:
            own.append(tool)
            wrapper = _wrapper(tool)
            refused += unread(tool, MARKS | {wrapper}, place) if wrapper else ()
        else:
            what = f"a tool of type {compact_json(kind)}"
            refused.append(Refusal(where=place, what=what, hint=RUN_THERE))
    return tuple(own), tuple(refused)


def tool_charges(tools: Sequence[Any], rule: ToolRule, *, forced: bool = False) -> list[ToolCharge]:
    """One charge a tool, and one for the request when there is any tool.

    Args:
        tools: definitions in the OpenAI, Anthropic or Gemini form.
        rule: what they cost.
        forced: whether the request forces a call, which some providers charge for.

    Raises:
        InputError: a definition that is not of a known form.
    """
    if not tools:
        return []
    charge = KINDS[rule.kind]
    charges = [charge(_definition(tool, index), rule) for index, tool in enumerate(tools)]
    once = rule.per_request_forced if forced and rule.per_request_forced else rule.per_request
    return [(once, (), True), *charges]


def _wrapper(tool: Any) -> str | None:
    """The field that holds the definition: OpenAI has `function` or `custom`, others have none."""
    fields = tool if isinstance(tool, Mapping) else {}
    return next((key for key in OWN_TOOLS if key in fields), None)


def _definition(tool: Any, index: int) -> Mapping[str, Any]:
    """The inner definition."""
    wrapper = _wrapper(tool)
    inner = tool if wrapper is None else tool[wrapper]
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise InputError(
            f"tools[{index}] is not the definition of a function",
            hint="Give each tool a name, a description and a schema of its parameters",
        )
    return inner


def _schema(definition: Mapping[str, Any], rule: ToolRule) -> ToolCharge:
    shown = {key: value for key, value in definition.items() if key not in MARKS}
    return rule.per_tool, (compact_json(shown),), rule.published


def _functions(definition: Mapping[str, Any], rule: ToolRule) -> ToolCharge:
    """The sum of the OpenAI Cookbook (`num_tokens_for_tools`).

    That sum knows flat parameters alone. Whatever else a schema holds (nested properties, items of
    arrays, references, defaults) is added as compact JSON, which is longer than the form in which
    the model is shown it, and the charge is marked as not covered.
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
        key: value
        for key, value in definition.items()
        if key not in SUMMED and key not in MARKS and value is not None
    }
    rest |= {key: value for key, value in parameters.items() if not _is_simple(key, value)}
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


def _is_simple(key: str, value: Any) -> bool:
    """Whether the published sum knows a field of the parameters, or takes no notice of it."""
    if key == "required":
        return isinstance(value, list)
    return key in SIMPLE_PARAMETERS or (key == "additionalProperties" and isinstance(value, bool))


def _sentence(description: Any) -> str:
    return description.removesuffix(".") if isinstance(description, str) else ""


def _type_name(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    return kind if isinstance(kind, str) else compact_json(kind)
