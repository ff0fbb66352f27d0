"""What belongs together, told by small conversations in each shape."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from packhorse.window.conversation import read_conversation


def units(request: Any, model_shape: str | None = None) -> list[tuple[tuple[int, ...], bool]]:
    conversation = read_conversation(request, model_shape)
    return [(unit.places, unit.is_broken) for unit in conversation.units]


def call(*ids: str) -> dict[str, Any]:
    calls = [{"id": each, "function": {"name": "f", "arguments": "{}"}} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str | None) -> dict[str, Any]:
    named = {} if call_id is None else {"tool_call_id": call_id}
    return {"role": "tool", "content": "done", **named}


USER = {"role": "user", "content": "Go on"}


def test_parallel_calls_and_their_results_are_one_unit_in_any_order() -> None:
    assert units([USER, call("a", "b"), result("b"), result("a"), USER]) == [
        *[((0,), False), ((1, 2, 3), False), ((4,), False)]
    ]


@pytest.mark.parametrize(
    ("messages", "broken"),
    [
        ([result("a"), USER], [0]),
        ([call("a"), USER], [0]),
        ([call("a", "b"), result("a"), USER], [0, 1]),
        ([call("a"), USER, result("a")], [0, 2]),
        ([call("a"), result("a"), result("a"), USER], [2]),
        ([call("a"), result("x"), result("a"), USER], [1]),
    ],
)
def test_halves_are_broken(messages: list[dict[str, Any]], broken: list[int]) -> None:
    found = [place for places, is_broken in units(messages) if is_broken for place in places]
    assert sorted(found) == broken


def test_results_without_an_id_answer_the_calls_before_them() -> None:
    assert units([call("a", "b"), result(None), result(None), USER]) == [
        *[((0, 1, 2), False), ((3,), False)]
    ]


def test_thinking_stays_with_the_calls_that_it_led_to() -> None:
    items = [
        {"role": "user", "content": "Go"},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call_output", "call_id": "b", "output": "2"},
        {"type": "reasoning", "summary": []},
        {"role": "assistant", "content": "Done"},
    ]
    assert units({"input": items}) == [*[((0,), False), ((1, 2, 3, 4, 5), False), ((6, 7), False)]]
    assert units(items) == units({"input": items})


def test_anthropic_results_stand_in_the_next_message_of_the_user() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
    word = {"type": "text", "text": "and hurry"}
    messages = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [answer, word]},
    ]
    assert units({"messages": messages}) == [((0,), False), ((1, 2), False)]
    orphan = read_conversation({"messages": [messages[0], messages[2]]})
    assert orphan.items[1] == {"role": "user", "content": [word]}
    assert orphan.stripped == (1,)


def test_gemini_results_answer_calls_of_their_name() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "g", "response": {}}}]},
    ]
    assert units({"contents": contents}) == [*[((0,), False), ((1, 2), False), ((3,), True)]]
    assert units(contents) == units({"contents": contents})


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        ({"prompt": "Hi"}, "not a chat request"),
        ("Hi", "not a list of messages"),
        ({"messages": "Hi"}, "has no role"),
        ({"messages": 3}, "not a list of messages"),
        ([{"content": "Hi"}], r"messages\[0\] has no role"),
        ([{"role": "assistant", "tool_calls": 3}], "tool_calls is not a list"),
        ([{"role": "assistant", "tool_calls": [3]}], "holds what is no call"),
        ({"contents": [3]}, r"contents\[0\] is not an object"),
        ({"contents": [{"role": 3, "parts": []}]}, "role is no text"),
        ({"contents": [{"role": [], "parts": []}]}, "role is no text"),
        ([{"role": [], "content": "Hi"}], r"messages\[0\]\.role is a list, not text"),
        ([{"role": 5, "content": "Hi"}], r"messages\[0\]\.role is a number, not text"),
        ({"input": [{"role": 5}]}, r"input\[0\]\.role is a number, not text"),
        ({"input": [{"role": "user", "type": []}]}, r"input\[0\]\.type is no text"),
        ({"input": [3]}, r"input\[0\] is not an object"),
        ({"input": [{"content": "Hi"}]}, r"input\[0\] has no role"),
    ],
)
def test_what_is_no_conversation_is_named(request_body: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_conversation(request_body)


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_message_objects_of_langchain_are_told_how_to_be_converted(shape: str) -> None:
    base = type("BaseMessage", (), {"__module__": "langchain_core.messages.base"})
    own = type("Mine", (base,), {"content": "Hi", "type": "human"})()
    for read in (read_conversation, lambda messages, _: read_request(messages)):
        with pytest.raises(InputError, match=r"messages\[0\] has no role") as caught:
            read([own], shape)
        assert "convert_to_openai_messages(messages)" in (caught.value.hint or "")
    with pytest.raises(InputError) as caught:
        read_conversation([{"content": "Hi"}], shape)
    assert "LangChain" not in (caught.value.hint or "")


def test_messages_for_claude_are_anthropics_unless_something_in_them_is_openais() -> None:
    assert read_conversation([USER], "anthropic").shape.name == "anthropic"
    system = {"role": "system", "content": "Be terse."}
    assert read_conversation([system, USER], "anthropic").shape.name == "openai"
    assert read_conversation([USER]).shape.name == "openai"
    untyped = {"role": "user", "type": {}, "content": [{"type": []}]}
    assert read_conversation([untyped]).shape.name == "openai"


def test_each_word_beside_a_result_of_no_call_stays_however_many_there_are() -> None:
    def beside(call_id: str, text: str) -> dict[str, Any]:
        result = {"type": "tool_result", "tool_use_id": call_id, "content": "done"}
        return {"role": "user", "content": [result, {"type": "text", "text": text}]}

    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f"}]}
    conversation = read_conversation([USER, use, beside("x", "Wait"), beside("a", "Stop")])
    assert conversation.stripped == (2, 3)
    assert [unit.is_broken for unit in conversation.units] == [False, True, False, False]
    assert [conversation.text(at) for at in (2, 3)] == ["Wait", "Stop"]
