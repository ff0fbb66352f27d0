"""Conversations read from files, strictly."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.render.messages import openai_message, read_messages
from packhorse.types.message import Message

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
        ({"contents": []}, "not a list"),
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
