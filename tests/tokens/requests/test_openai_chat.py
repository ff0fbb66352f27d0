"""OpenAI chat bodies: what is charged, what costs nothing, what is refused by name."""

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from tests.tokens.requests.bodies import CALL, IMAGE, SCHEMA, count, tokens

USER = {"role": "user", "content": "Hi"}
URL = f"data:image/png;base64,{IMAGE}"


def total(**fields: Any) -> int:
    return count({"messages": [USER], **fields}).total_tokens


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prediction", {"type": "content", "content": "x" * 400}),
        ("documents", [{"text": "x" * 400}]),
        ("web_search_options", {"search_context_size": "low"}),
        ("prompt", "x" * 400),
        ("chat_template", "{{ messages }}"),
        ("chat_template_kwargs", {"enable_thinking": False}),
        ("safe_prompt", True),
        ("mcp_servers", [{"url": "https://example.com"}]),
        ("context_management", {"edits": [{"type": "clear"}]}),
        ("container", "box"),
        ("extra_prompt", "Never mind."),
        ("contents", "x"),
    ],
)
def test_fields_that_change_the_prompt_are_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^{field}: no counting rule for .*'{field}'") as caught:
        total(**{field: value})
    assert caught.value.hint


@pytest.mark.parametrize("value", [None, "", [], {}, False])
def test_a_field_that_says_nothing_is_no_field(value: Any) -> None:
    assert total(documents=value, prediction=value, nobody_knows=value) == total()


@pytest.mark.parametrize("form", [None, {"type": "text"}])
def test_text_is_the_form_that_costs_nothing(form: Any) -> None:
    counted = count({"messages": [USER], "response_format": form})
    assert (counted.lines["tools"], counted.exact) == (0, True)


def test_the_schema_of_the_answer_is_an_upper_estimate_by_name() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    counted = count({"messages": [USER], "response_format": form})
    # Measured by users: the schema without some of its keys as JSON, and 9 tokens.
    shown = '{"properties":{"city":{"type":"string","description":"A city"}},"type":"object"}'
    assert counted.lines["tools"] >= tokens(shown) + 9
    assert (counted.estimated, counted.exact) == (("response format",), False)
    assert count({"messages": [USER], "response_format": {"type": "json_object"}}).estimated


@pytest.mark.parametrize("choice", [None, "auto"])
def test_the_automatic_choice_of_tools_costs_nothing(choice: Any) -> None:
    assert total(tool_choice=choice, parallel_tool_calls=True) == total()


@pytest.mark.parametrize(
    "choice", ["none", "required", {"type": "function", "function": {"name": "look"}}]
)
def test_any_other_choice_is_an_upper_estimate_by_name(choice: Any) -> None:
    counted = count({"messages": [USER], "tool_choice": choice})
    assert counted.lines["tools"] >= 4
    assert counted.estimated == ("tool choice",)


def test_a_wordiness_is_an_upper_estimate_by_name() -> None:
    assert count({"messages": [USER], "verbosity": "low"}).estimated == ("verbosity",)


def test_old_functions_cost_what_tools_cost() -> None:
    tool = {"name": "look", "description": "Looks.", "parameters": SCHEMA}
    new = total(tools=[{"type": "function", "function": tool}])
    assert total(functions=[tool], function_call="auto") == new > total() + 20


def test_three_spellings_of_an_image_cost_the_same() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "input_image", "image_url": URL},
        {"type": "image", "source": {"type": "base64", "data": IMAGE}},
    ]
    assert {count([{"role": "user", "content": [block]}]).total_tokens for block in blocks} == {
        count([{"role": "user", "content": ""}]).total_tokens + 255
    }


def test_an_image_at_an_address_costs_the_most_and_is_called_an_estimate() -> None:
    for source in ({"image_url": {"url": "https://example.com/a.png"}}, {"file_id": "f1"}):
        counted = count([{"role": "user", "content": [{"type": "image_url", **source}]}])
        assert counted.lines["query"] == 85 + 8 * 170
        assert counted.estimated == ("images",)


def test_the_detail_stands_inside_or_beside_the_address() -> None:
    inside = {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}
    beside = {"type": "input_image", "image_url": URL, "detail": "low"}
    for block in (inside, beside):
        assert count([{"role": "user", "content": [block]}]).lines["query"] == 85


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "assistant", "audio": {"id": "a1"}}, r"messages\[0\]\.audio"),
        ({"role": "user", "content": "x", "reasoning_details": [{"text": "y"}]}, "reasoning_det"),
        ({"role": "narrator", "content": "x"}, r"messages\[0\]\.role.*'narrator'"),
        (
            {"role": "user", "content": [{"type": "text", "text": "x", "more": "y"}]},
            r"messages\[0\]\.content\[0\]\.more",
        ),
        (
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": URL, "a": "b"}}],
            },
            r"image_url\.a",
        ),
        ({"role": "assistant", "tool_calls": [{**CALL, "extra": "x"}]}, r"tool_calls\[0\]\.extra"),
        (
            {"role": "assistant", "function_call": {"name": "f", "comment": "x"}},
            r"function_call\.comment",
        ),
    ],
)
def test_what_a_message_says_beside_its_known_fields_is_refused(message: Any, place: str) -> None:
    with pytest.raises(InputError, match=place):
        count([message])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "x", "name": 3},
        {"role": "tool", "content": "x", "tool_call_id": 3},
        {"role": "assistant", "reasoning_content": ["x"]},
        {"role": "user", "content": "x", "images": "x"},
        {"role": "user", "content": "x", "images": [3]},
    ],
)
def test_a_field_of_the_wrong_type_is_refused(message: Any) -> None:
    with pytest.raises(InputError, match=r"messages\[0\]\."):
        count([message])


def test_parallel_calls_are_each_framed() -> None:
    one = count([{"role": "assistant", "tool_calls": [CALL]}])
    two = count([{"role": "assistant", "tool_calls": [CALL, CALL]}])
    per_call = tokens("look", '{"at":"sky"}', "c1") + 3
    assert two.total_tokens - one.total_tokens == per_call


def test_a_list_of_content_may_hold_plain_texts() -> None:
    blocks = [{"role": "user", "content": ["Hi", {"type": "text", "text": " there"}]}]
    assert read_request(blocks).turns[0].texts == ("Hi", " there")


def test_a_bare_call_needs_no_wrapping() -> None:
    bare = {"name": "look", "arguments": '{"at":"sky"}'}
    wrapped = {"function": bare}
    assert read_request([{"role": "assistant", "tool_calls": [bare]}]).turns == (
        read_request([{"role": "assistant", "tool_calls": [wrapped]}]).turns
    )


def test_a_custom_call_is_read_like_a_function() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "look", "input": '{"at":"sky"}'}}
    assert read_request([{"role": "assistant", "tool_calls": [custom]}]).turns == (
        read_request([{"role": "assistant", "tool_calls": [CALL]}]).turns
    )


def test_a_result_alone_is_no_published_part() -> None:
    counted = count([{"role": "tool", "tool_call_id": "c1", "content": "x"}])
    assert counted.estimated == ("tool calls",)


def test_a_begun_answer_is_a_message_like_any_other() -> None:
    begun = count([USER, {"role": "assistant", "content": "Well"}])
    assert begun.total_tokens == count([USER]).total_tokens + 3 + tokens("assistant", "Well")


def test_thinking_of_an_earlier_answer_is_not_charged_where_the_model_forgets_it() -> None:
    talk = [
        USER,
        {"role": "assistant", "content": "Hello", "reasoning_content": "Let me think. " * 20},
        USER,
    ]
    forgetful, plain = count(talk, "o3"), count(talk, "gpt-4o")
    assert plain.total_tokens - forgetful.total_tokens >= 60
    assert "thinking" in plain.estimated
    assert "thinking" not in forgetful.estimated
    still_at_it = count([USER, talk[1]], "o3")
    assert "thinking" in still_at_it.estimated


def test_a_prompt_without_a_chat_says_what_to_do() -> None:
    with pytest.raises(InputError, match="no messages around it") as caught:
        count({"model": "gpt-3.5-turbo-instruct", "prompt": "Once upon a time"})
    assert "packhorse count FILE" in caught.value.hint
