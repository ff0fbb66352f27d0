"""OpenAI Responses bodies: items as turns, and what is refused by name."""

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from tests.tokens.requests.bodies import SCHEMA, count, tokens

CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
THOUGHT = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm."}]}


def roles(*items: Any) -> list[str]:
    return [turn.role for turn in read_request({"input": list(items)}).turns]


def test_a_text_is_one_user_turn() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    counted = count({"instructions": "Be brief.", "input": "Hi"})
    assert counted.lines == count(chat).lines


def test_the_published_rule_is_about_chat_completions() -> None:
    counted = count({"input": "Hi"})
    assert (counted.estimated, counted.exact) == (("message framing",), False)


def test_instructions_may_be_items() -> None:
    items = [{"role": "developer", "content": "Be brief."}]
    assert count({"instructions": items, "input": "Hi"}).lines["system_prompt"] == tokens(
        "Be brief."
    )


def test_steps_of_an_answer_are_one_turn_until_something_comes_between() -> None:
    said = {"type": "message", "role": "assistant", "content": "Done."}
    result = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
    user = {"role": "user", "content": "Go"}
    assert roles(user, THOUGHT, CALL, CALL, result, THOUGHT, said, user) == [
        "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert roles(CALL, said) == ["assistant", "assistant"]
    assert roles(said, CALL) == ["assistant"]


def test_calls_and_results_cost_what_they_cost_in_chat() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chat = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    items = [CALL, {"type": "function_call_output", "call_id": "c1", "output": "ok"}]
    assert count({"input": items}).lines == count(chat).lines


def test_a_result_may_be_blocks_and_a_call_may_be_free_text() -> None:
    output = [{"type": "input_text", "text": "ok"}]
    items = [
        {"type": "custom_tool_call", "call_id": "c1", "name": "f", "input": "{}"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": output},
    ]
    plain = [CALL, {"type": "function_call_output", "call_id": "c1", "output": "ok"}]
    assert read_request({"input": items}).turns == read_request({"input": plain}).turns


def test_an_item_may_be_a_plain_text() -> None:
    assert roles("Hi", {"role": "user", "content": "Ho"}) == ["user", "user"]


def test_sealed_and_open_thinking_are_both_charged_and_named() -> None:
    counted = count({"input": [{**THOUGHT, "encrypted_content": "A" * 80}]})
    assert counted.lines["history"] == tokens("Hm.") + 30
    assert set(counted.estimated) == {"message framing", "thinking", "sealed thinking"}


def test_flat_tools_cost_what_wrapped_ones_cost() -> None:
    tool = {"name": "look", "description": "Looks.", "parameters": SCHEMA}
    flat = count({"input": "Hi", "tools": [{"type": "function", "strict": True, **tool}]})
    wrapped = count({"messages": [], "tools": [{"type": "function", "function": tool}]})
    assert flat.lines["tools"] == wrapped.lines["tools"]


@pytest.mark.parametrize("kind", ["web_search", "file_search", "mcp", "code_interpreter"])
def test_tools_that_the_provider_runs_are_refused_by_name(kind: str) -> None:
    with pytest.raises(InputError, match=rf'tools\[0\].*"{kind}"'):
        count({"input": "Hi", "tools": [{"type": kind, "name": "x"}]})


def test_the_form_of_the_answer_is_counted() -> None:
    schema = {"type": "json_schema", "name": "a", "schema": SCHEMA}
    counted = count({"input": "Hi", "text": {"format": schema, "verbosity": "low"}})
    assert {"response format", "verbosity"} <= set(counted.estimated)
    assert count({"input": "Hi", "text": {"format": {"type": "text"}}}).lines["tools"] == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("previous_response_id", "resp_1"),
        ("conversation", "conv_1"),
        ("prompt", {"id": "pmpt_1"}),
        ("context_management", [{"type": "compaction"}]),
        ("nobody_knows", "x"),
    ],
)
def test_what_only_the_provider_holds_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^{field}:"):
        count({"input": "Hi", field: value})


def test_a_request_that_only_goes_on_from_a_stored_one_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="previous_response_id"):
        count({"input": None, "previous_response_id": "resp_1"})


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ({"type": "item_reference", "id": "m1"}, "item_reference"),
        ({"type": "web_search_call", "id": "w"}, "web_search_call"),
        ({"type": "computer_call_output", "output": {}}, "computer_call_output"),
        ({"type": None}, "an item without a type"),
        (3, "an item that is a number"),
        ({**CALL, "comment": "x"}, r"input\[0\]\.comment"),
        ({**THOUGHT, "comment": "x"}, r"input\[0\]\.comment"),
        (
            {"role": "user", "content": [{"type": "input_file", "file_data": "x"}]},
            r"input\[0\]\.content\[0\].*input_file",
        ),
    ],
)
def test_an_unknown_item_is_refused_by_name_and_place(item: Any, named: str) -> None:
    with pytest.raises(InputError, match=rf"input\[0\].*{named}|{named}"):
        count({"input": [item]})


@pytest.mark.parametrize(
    "body",
    [
        {"input": 3},
        {"input": "x", "text": "plain"},
        {"input": "x", "text": {"style": "x"}},
        {"input": [{"type": "function_call", "arguments": "{}"}]},
        {"input": [{**THOUGHT, "summary": [{"type": "other", "text": "x"}]}]},
        {"input": [{"type": "function_call_output", "output": 3}]},
        {"input": "x", "tools": "y"},
    ],
)
def test_what_is_no_request_is_an_input_error(body: Any) -> None:
    with pytest.raises(InputError) as caught:
        count(body)
    assert caught.value.hint
