"""Conversations read from files, strictly."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.render.messages import openai_message, provider_messages, read_messages
from packhorse.types.message import Message
from packhorse.types.request import RequestParts

CALL = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": "{}"}}


def test_a_list_and_an_object_with_messages_are_the_same() -> None:
    entries = [{"role": "user", "content": "Hi", "name": "alice"}]
    wanted = (Message(role="user", content="Hi", name="alice"),)
    assert read_messages(entries) == read_messages({"messages": entries, "model": "x"}) == wanted
    assert read_messages([]) == ()


def test_what_is_written_reads_back() -> None:
    history = (
        Message(role="developer", content="In XML."),
        Message(role="user", content="Go", name="bob"),
        Message(role="assistant", tool_calls=(CALL,)),
        Message(role="tool", content="ok", tool_call_id="c1"),
    )
    assert read_messages([openai_message(message) for message in history]) == history


def test_text_parts_become_lines_of_one_text() -> None:
    content = [{"type": "text", "text": "one"}, {"type": "input_text", "text": "two"}]
    assert read_messages([{"role": "user", "content": content}])[0].content == "one\ntwo"


def test_fields_of_other_programs_and_empty_ones_do_not_matter() -> None:
    entry = {"role": "assistant", "content": "x", "refusal": None, "audio": None, "id": "m1"}
    assert read_messages([entry]) == (Message(role="assistant", content="x"),)


def test_lone_surrogates_become_replacement_characters() -> None:
    assert read_messages([{"role": "user", "content": "a\ud800b"}])[0].content == "a\ufffdb"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (None, "not a list"),
        ("text", "not a list"),
        ({"turns": []}, "not a list"),
        ({"contents": 3}, "not a list"),
        (["text"], r"messages\[0\] is not an object"),
        ([{"content": "x"}], "role None"),
        ([{"role": "user", "content": "x"}, {"role": "function", "content": "x"}], r"\[1\].*func"),
        ([{"role": "user"}], "content is missing"),
        ([{"role": "user", "content": 3}], "type int"),
        ([{"role": "user", "content": ["x"]}], r"content\[0\] .* 'str'"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}], "'image_url'"),
        ([{"role": "user", "content": [{"type": "text", "text": None}]}], "'text'"),
        ([{"role": "assistant", "content": None}], "content is missing"),
        ([{"role": "assistant", "content": "", "refusal": "no"}], "'refusal'"),
        ([{"role": "assistant", "content": "", "function_call": {"name": "f"}}], "'function_call'"),
        ([{"role": "user", "content": "x", "tool_calls": [CALL]}], "tool_calls"),
        ([{"role": "assistant", "content": "x", "tool_calls": "f"}], "tool_calls"),
        ([{"role": "assistant", "tool_calls": [{"id": "c", "name": "f"}]}], r"tool_calls\[0\]"),
        ([{"role": "assistant", "tool_calls": [{**CALL, "type": "custom"}]}], r"tool_calls\[0\]"),
        ([{"role": "assistant", "tool_calls": [{**CALL, "id": 1}]}], r"tool_calls\[0\]"),
        ([{"role": "tool", "content": "ok"}], "no tool_call_id"),
        ([{"role": "user", "content": "ok", "tool_call_id": "c"}], "a tool_call_id"),
        ([{"role": "user", "content": "x", "name": 3}], "name is not text"),
    ],
)
def test_what_would_be_lost_is_refused_by_name(data: Any, named: str) -> None:
    with pytest.raises(InputError, match=named) as caught:
        read_messages(data)
    assert caught.value.hint


TALK = (
    Message(role="system", content="Be brief."),
    Message(role="user", content="Go"),
    Message(
        role="assistant",
        content="Wait.",
        tool_calls=(CALL, {**CALL, "id": "c2", "function": {"name": "read", "arguments": "{}"}}),
    ),
    Message(role="tool", content="ok", tool_call_id="c1"),
    Message(role="tool", content='{"lines":3}', tool_call_id="c2"),
    Message(role="assistant", content="Done."),
    Message(role="user", content="Thanks"),
)


def responses_items() -> list[dict[str, Any]]:
    def call(each: Any) -> dict[str, Any]:
        return {"type": "function_call", "call_id": each["id"], **each["function"]}

    def item(message: Message) -> list[dict[str, Any]]:
        if message.role == "tool":
            named = {"call_id": message.tool_call_id, "output": message.content}
            return [{"type": "function_call_output", **named}]
        said = {"type": "message", "role": message.role}
        block = {"type": "output_text", "text": message.content}
        return [{**said, "content": [block]}, *map(call, message.tool_calls)]

    return [each for message in TALK for each in item(message)]


@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
def test_a_body_of_any_provider_reads_as_the_talk_it_was_made_of(shape: str) -> None:
    body = provider_messages(RequestParts(history=TALK[:-1], query="Thanks"), shape)
    assert read_messages(body) == (*TALK[:-1], Message(role="user", content="Question: Thanks"))


@pytest.mark.parametrize("shape", ["anthropic", "gemini"])
def test_bare_messages_of_a_provider_are_known_by_their_parts(shape: str) -> None:
    body: Any = provider_messages(RequestParts(history=TALK[:-1], query="Thanks"), shape)
    bare = read_messages(body["messages" if shape == "anthropic" else "contents"])
    assert bare[:-1] == TALK[1:-1]


def test_items_of_responses_read_as_messages() -> None:
    items = responses_items()
    assert read_messages(items) == read_messages({"input": items}) == TALK
    between = [*items[:4], items[4], {"role": "assistant", "content": "Moment."}, *items[5:]]
    assert read_messages(between)[2].content == "Wait.\nMoment."
    body = {"instructions": "Be brief.", "input": "Go"}
    assert read_messages(body) == TALK[:2]


def test_results_of_gemini_without_ids_answer_the_first_open_call_of_their_name() -> None:
    def call(n: int) -> dict[str, Any]:
        return {"functionCall": {"name": "f", "args": {"n": n}}}

    def result(n: int) -> dict[str, Any]:
        return {"function_response": {"name": "f", "response": {"n": n}}}

    contents = [
        "Go",
        {"role": "model", "parts": [call(1), call(2)]},
        {"role": "function", "parts": [result(1), result(2), {"text": "And now?"}]},
    ]
    asked, called, first, second, then = read_messages({"contents": contents})
    assert [each["id"] for each in called.tool_calls] == ["call_1_0", "call_1_1"]
    assert (first.tool_call_id, first.content) == ("call_1_0", '{"n":1}')
    assert (second.tool_call_id, second.content) == ("call_1_1", '{"n":2}')
    assert (asked.content, then.role, then.content) == ("Go", "user", "And now?")


THINKING = {"type": "thinking", "thinking": "x", "signature": "s"}
IMAGE = {"type": "image", "source": {"type": "base64", "data": "x"}}
FAILED = {"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": True}


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ([{"role": "assistant", "content": [THINKING]}], r"messages\[0\].content\[0\].*'thinking'"),
        ([{"role": "user", "content": [{**FAILED, "is_error": False}, IMAGE]}], r"\[1\].*'image'"),
        ([{"role": "user", "content": [FAILED]}], "'is_error'"),
        ({"contents": [{"parts": [{"inlineData": {}}]}]}, r"contents\[0\].parts\[0\].*inlineData"),
        ({"contents": [{"parts": [{"text": "x", "thought": True}]}]}, "thought"),
        ({"contents": [{"parts": [{"functionCall": 3}]}]}, "functionCall"),
        ({"contents": [{"role": "model"}]}, "parts"),
        ({"input": [{"type": "reasoning", "summary": []}]}, r"input\[0\].*'reasoning'"),
        ([{"type": "function_call", "call_id": 3, "name": "f", "arguments": "{}"}], "the id"),
        ({"system": [IMAGE], "messages": []}, r"system\[0\]"),
    ],
)
def test_what_other_shapes_hold_beside_text_and_calls_is_refused_by_name(
    data: Any, named: str
) -> None:
    with pytest.raises(InputError, match=named) as caught:
        read_messages(data)
    assert caught.value.hint
