"""Tool definitions follow the published sum, and say when it does not cover them."""

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.tokens.requests.tools import tool_charges
from packhorse.tokens.requests.turns import read_request
from packhorse.tokens.requests.values import compact_json

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {
                    "type": "string",
                    "description": "The city and state, e.g. San Francisco, CA",
                },
                "unit": {
                    "type": "string",
                    "description": "The unit of temperature to return",
                    "enum": ["celsius", "fahrenheit"],
                },
            },
            "required": ["location"],
        },
    },
}
ASKED = [
    {
        "role": "system",
        "content": "You are a helpful assistant that can answer to questions about the weather.",
    },
    {"role": "user", "content": "What's the weather like in Pittsburgh today?"},
]


@pytest.mark.parametrize(
    ("model", "total"),
    [("gpt-4o", 101), ("gpt-4o-mini", 101), ("gpt-4", 105), ("gpt-3.5-turbo", 105)],
)
def test_the_published_example_costs_what_the_provider_charged(model: str, total: int) -> None:
    body = {"messages": ASKED, "tools": [WEATHER]}
    counted = count_request(body, model_spec(model), counter_for(model))
    assert counted.total_tokens == total
    assert counted.exact


def tools_line(model: str, tools: list[Any]) -> int:
    body = {"messages": ASKED, "tools": tools}
    return count_request(body, model_spec(model), counter_for(model)).lines["tools"]


def test_the_closing_tokens_are_charged_once() -> None:
    one, two = tools_line("gpt-4o", [WEATHER]), tools_line("gpt-4o", [WEATHER, WEATHER])
    assert two == 2 * one - 12


def test_no_tools_cost_nothing() -> None:
    assert tools_line("gpt-4o", []) == 0
    assert tool_charges([], model_spec("gpt-4o").tools) == []


def nested(properties: dict[str, Any]) -> dict[str, Any]:
    return {"name": "f", "description": "d", "parameters": {"properties": properties}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string", "description": "x" * 400}},
        {"type": ["string", "null"], "default": "y"},
        {"anyOf": [{"type": "string"}, {"type": "number"}]},
    ],
)
def test_what_the_published_sum_does_not_know_is_added_and_marked(schema: dict[str, Any]) -> None:
    tools = [nested({"p": schema})]
    body = {"messages": ASKED, "tools": tools}
    counted = count_request(body, model_spec("gpt-4o"), counter_for("gpt-4o"))
    deeper = compact_json({key: value for key, value in schema.items() if key != "type"})
    assert counted.lines["tools"] >= counter_for("gpt-4o").count(deeper)
    assert counted.estimated == ("tool definitions",)
    assert not counted.exact


def test_definitions_shared_in_the_schema_are_counted() -> None:
    plain = nested({"p": {"type": "string", "description": "d"}})
    deep = {**plain, "parameters": {**plain["parameters"], "$defs": {"big": "z " * 200}}}
    assert tools_line("gpt-4o", [deep]) > tools_line("gpt-4o", [plain]) + 150


def test_a_later_model_takes_the_higher_figure_and_says_so() -> None:
    counted = count_request(
        {"messages": ASKED, "tools": [WEATHER]}, model_spec("gpt-5"), counter_for("gpt-5")
    )
    assert counted.lines["tools"] == tools_line("gpt-4o", [WEATHER]) + 3
    assert counted.estimated == ("tool definitions",)


@pytest.mark.parametrize(
    ("model", "key"), [("claude-opus-4-1", "input_schema"), ("gpt-4o", "parameters")]
)
def test_a_bare_definition_is_read_too(model: str, key: str) -> None:
    function = WEATHER["function"]
    bare = {"name": "get", "description": "d", key: function["parameters"]}
    assert tools_line(model, [bare]) > 30


def test_claude_adds_a_system_prompt_for_tools() -> None:
    tool = {"name": "f", "input_schema": {"type": "object"}}
    assert tools_line("claude-opus-4-1", [tool]) > 346


@pytest.mark.parametrize(
    "tool", [None, "get_weather", {}, {"function": {"name": 1}}, {"name": None}]
)
def test_something_that_is_no_definition_is_refused_with_its_place(tool: Any) -> None:
    with pytest.raises(InputError, match=r"tools\[1\]"):
        tools_line("gpt-4o", [WEATHER, tool])


def test_parameters_that_are_no_schema_are_refused() -> None:
    with pytest.raises(InputError, match="'f'"):
        tools_line("gpt-4o", [{"name": "f", "parameters": "text"}])


def test_an_unknown_field_around_a_definition_is_kept_for_who_asks_the_provider() -> None:
    tool = {"type": "function", "function": {"name": "f"}, "surprise": "text"}
    for key in ("tools", "functions"):
        request = read_request({"messages": [{"role": "user", "content": "x"}], key: [tool]})
        assert [refusal.where for refusal in request.refused] == [f"{key}[0].surprise"]
        assert request.without_refusals().tools == (tool,)
