"""Definitions of tools keep their name, words and schema in every provider's form."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import InputError, UnknownStrategyError
from packhorse.render.tools import tools_field

SCHEMA = {"type": "object", "properties": {"type": {"type": "string", "enum": ["A"]}}}
OPENAI = {
    "type": "function",
    "function": {"name": "f", "description": "Does.", "parameters": SCHEMA, "strict": True},
}
RESPONSES = {"type": "function", "name": "f", "description": "Does.", "parameters": SCHEMA}
ANTHROPIC = {
    "name": "f", "description": "Does.", "input_schema": SCHEMA, "cache_control": {"type": "x"},
}  # fmt: skip
GEMINI = {
    "functionDeclarations": [
        {
            "name": "f",
            "description": "Does.",
            "parameters": {
                "type": "OBJECT",
                "properties": {"type": {"type": "STRING", "enum": ["A"]}},
            },
        }
    ]
}
PLAIN: dict[str, dict[str, Any]] = {
    "openai": {
        "type": "function",
        "function": {"name": "f", "description": "Does.", "parameters": SCHEMA},
    },
    "anthropic": {"name": "f", "description": "Does.", "input_schema": SCHEMA},
    "gemini": {
        "functionDeclarations": [
            {"name": "f", "description": "Does.", "parametersJsonSchema": SCHEMA}
        ]
    },
}
OWN: dict[str, dict[str, Any]] = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GEMINI}


@pytest.mark.parametrize("shape", PLAIN)
@pytest.mark.parametrize("given", [OPENAI, RESPONSES, ANTHROPIC, GEMINI])
def test_every_form_becomes_every_other_and_its_own_stays(
    given: dict[str, Any], shape: str
) -> None:
    expected = given if OWN[shape] == given else PLAIN[shape]
    assert tools_field([given], shape) == {"tools": [expected]}


def test_for_gemini_all_functions_stand_in_one_tool() -> None:
    (tool,) = tools_field([OPENAI, GEMINI], "gemini")["tools"]
    assert [each["name"] for each in tool["functionDeclarations"]] == ["f", "f"]


def test_without_parameters_only_anthropic_needs_a_schema() -> None:
    bare = {"type": "function", "function": {"name": "g"}}
    assert tools_field([bare], "anthropic")["tools"] == [
        {"name": "g", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert tools_field([bare], "gemini")["tools"] == [{"functionDeclarations": [{"name": "g"}]}]
    assert tools_field([{"name": "g"}], "openai")["tools"] == [bare]


def test_no_tools_are_no_field() -> None:
    assert tools_field([], "openai") == {}


def test_what_has_no_form_is_refused() -> None:
    custom = {"type": "custom", "custom": {"name": "c"}}
    assert tools_field([custom], "openai") == {"tools": [custom]}
    with pytest.raises(InputError, match="free text"):
        tools_field([custom], "gemini")
    with pytest.raises(UnknownStrategyError):
        tools_field([], "unknown")
