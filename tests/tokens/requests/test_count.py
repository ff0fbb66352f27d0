"""Requests cost what the published rule says; parts without a rule are named or refused."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request, message_costs
from packhorse.tokens.requests.request import ChatRequest, MessageCost, RequestCount, Turn
from packhorse.types.ledger import FIXED_LINES
from packhorse.types.message import Message
from tests.strategies import raw_texts
from tests.tokens.oracle import oracle_count, without_newest_letters

# The example conversation of OpenAI's page on counting tokens.
JARGON = [
    ("system", None, "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."),  # noqa: E501 - one line a message
    ("system", "example_user", "New synergies will help drive top-line growth."),
    ("system", "example_assistant", "Things working well together will increase revenue."),
    ("system", "example_user", "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."),  # noqa: E501 - one line a message
    ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),  # noqa: E501 - one line a message
    ("user", None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),  # noqa: E501 - one line a message
]  # fmt: skip


def count(body: Any, model: str = "gpt-4o") -> Any:
    return count_request(body, model_spec(model), counter_for(model))


def message(role: str, name: str | None, content: str) -> dict[str, Any]:
    return {"role": role, "content": content, **({"name": name} if name else {})}


@pytest.mark.parametrize(
    ("model", "charged"),
    [("gpt-4", 129), ("gpt-3.5-turbo", 129), ("gpt-4o", 124), ("gpt-4o-mini", 124)],
)
def test_the_published_example_costs_what_the_provider_charged(model: str, charged: int) -> None:
    assert count([message(*row) for row in JARGON], model).total_tokens == charged


def published_sum(messages: list[dict[str, Any]], encoding: str) -> int:
    """The published rule, with tiktoken."""
    total = 3
    for entry in messages:
        total += 3 + sum(oracle_count(encoding, value) for value in entry.values())
        total += 1 if "name" in entry else 0
    return total


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["system", "developer", "user", "assistant"]),
            st.one_of(st.none(), st.text("abcdef_-", min_size=1)),
            raw_texts(5),
        ),
        max_size=5,
    )
)
def test_any_conversation_follows_the_published_rule(
    rows: list[tuple[str, str | None, str]],
) -> None:
    messages = [message(role, name, without_newest_letters(text)) for role, name, text in rows]
    counted = count(messages)
    assert counted.total_tokens == published_sum(messages, "o200k_base")
    assert counted.total_tokens == 3 + sum(cost.total for cost in counted.messages)
    assert counted.exact


def test_contents_land_on_the_lines_of_the_ledger() -> None:
    counted = count(
        [
            {"role": "developer", "content": "one two"},
            {"role": "user", "content": "three"},
            {"role": "assistant", "content": "four five six"},
            {"role": "user", "content": "seven"},
        ]
    )
    lines = {name: tokens for name, tokens in counted.lines.items() if tokens}
    assert lines == {"system_prompt": 2, "history": 4, "query": 1, "message_overhead": 19}


def test_a_conversation_that_ends_with_the_assistant_has_no_query() -> None:
    counted = count([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    assert (counted.lines["query"], counted.lines["history"]) == (0, 2)


def test_a_text_block_costs_what_the_text_costs() -> None:
    blocks = [{"role": "user", "content": [{"type": "text", "text": "hello there"}]}]
    assert (
        count(blocks).total_tokens
        == count([{"role": "user", "content": "hello there"}]).total_tokens
    )


def test_tool_calls_and_results_are_charged_to_the_history_and_called_estimates() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": '{"a":1}'}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    counted = count(messages)
    counter = counter_for("gpt-4o")
    texts = ["go", "write", '{"a":1}', "c1", "done", "c1"]
    assert counted.lines["history"] == sum(counter.count_batch(texts))
    assert counted.estimated == ("tool calls",)
    assert counted.exact is False


def test_our_own_messages_cost_the_same_as_the_wire_shape() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": "{}"}}
    wire = [
        {"role": "user", "content": "go", "name": "al"},
        {"role": "assistant", "content": "ok", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    own = [
        Message(role="user", content="go", name="al"),
        Message(role="assistant", content="ok", tool_calls=(call,)),
        Message(role="tool", content="done", tool_call_id="c1"),
    ]
    spec, counter = model_spec("gpt-4o"), counter_for("gpt-4o")
    assert tuple(message_costs(own, spec, counter)) == count(wire).messages


def test_the_old_function_call_is_counted_like_a_tool_call() -> None:
    old = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    ]
    new = [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]
    assert count(old).total_tokens == count(new).total_tokens


def test_an_anthropic_request_is_counted_with_system_tools_and_blocks() -> None:
    body = {
        "model": "claude-sonnet-4-5",
        "system": [{"type": "text", "text": "You are a scientist", "cache_control": {}}],
        "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "What is there?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "sky"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "stars"},
                    {"type": "tool_result", "content": [{"type": "text", "text": "moon"}]},
                ],
            },
        ],
    }
    counted = count(body, "claude-sonnet-4-5")
    assert counted.lines["system_prompt"] >= 4
    assert counted.lines["tools"] > 346
    assert counted.lines["history"] > 10
    assert len(counted.messages) == 4
    assert counted.estimated == ("message framing", "tool definitions", "thinking", "tool calls")


def test_the_published_claude_example_is_not_underestimated() -> None:
    body = {
        "system": "You are a scientist",
        "messages": [{"role": "user", "content": "Hello, Claude"}],
    }
    assert count(body, "claude-sonnet-4-5").total_tokens >= 14


def test_a_gemini_request_is_counted_by_its_parts() -> None:
    body = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {}}]}],
    }
    counted = count(body, "gemini-2.5-pro")
    assert all(counted.lines[line] for line in ("system_prompt", "history", "tools"))
    assert "tool calls" in counted.estimated


def test_gemini_contents_may_be_one_text() -> None:
    assert count({"contents": "Hello"}, "gemini-2.5-pro").lines["query"] > 0


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "input_audio", "input_audio": {"data": "A" * 9_000}}, "input_audio"),
        ({"type": "file", "file": {"file_data": "A" * 9_000}}, "file"),
        ({"type": "server_tool_use", "name": "web_search", "input": {}}, "server_tool_use"),
        ({"text": "no type"}, "a content block without a type"),
        (7, "a content block that is a number"),
        (True, "a content block that is true or false"),
        ({"type": 7}, "a content block whose type is a number"),
    ],
)
def test_an_unknown_block_is_refused_by_name_and_place(block: Any, named: str) -> None:
    with pytest.raises(InputError, match=rf"messages\[1\]\.content\[0\].*{named}"):
        count([{"role": "user", "content": "a"}, {"role": "user", "content": [block]}])


@pytest.mark.parametrize(
    "part", [{"fileData": {"fileUri": "x"}}, {"inlineData": {"mimeType": "audio/mp3"}}, 3]
)
def test_an_unknown_gemini_part_is_refused(part: Any) -> None:
    with pytest.raises(InputError, match=r"contents\[0\]\.parts\[0\]"):
        count({"contents": [{"parts": [part]}]}, "gemini-2.5-pro")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"prompt": "hi"},
        "text",
        b"bytes",
        7,
        {"messages": "text"},
        {"messages": ["text"]},
        [{"content": "no role"}],
        [{"role": 3, "content": "x"}],
        [{"role": "user", "content": 3}],
        [{"role": "user", "content": [{"type": "text", "text": 3}]}],
        [{"role": "user", "content": [{"type": "image_url"}]}],
        [{"role": "assistant", "tool_calls": "x"}],
        [{"role": "assistant", "tool_calls": [{"id": "c"}]}],
        {"messages": [], "tools": "x"},
        {"contents": 3},
        {"contents": [3]},
        {"contents": [{"parts": 3}]},
        {"contents": [], "tools": [3]},
        {"contents": [], "tools": [{"functionDeclarations": 3}]},
        {"contents": [{"role": 3, "parts": []}]},
        {"contents": [{"parts": [{"inlineData": 3}]}]},
        {"contents": [{"parts": [{"inlineData": {"mimeType": "image/png"}}]}]},
        {"messages": [], "tools": [{"name": "f", "parameters": {"properties": [1]}}]},
    ],
)
def test_what_is_no_request_is_an_input_error(body: Any) -> None:
    with pytest.raises(InputError) as caught:
        count(body)
    assert caught.value.hint


@given(
    body=st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(
                    ["messages", "contents", "role", "content", "type", "text", "tools", "parts",
                     "tool_calls", "function", "name", "image_url", "source", "system"]
                ),
                inner,
                max_size=4,
            ),
        ),
        max_leaves=12,
    )
)  # fmt: skip
def test_any_json_is_counted_or_refused_and_never_crashes(body: Any) -> None:
    request = body if isinstance(body, (dict, list)) else {"messages": body}
    with suppress(InputError):
        assert count(request).total_tokens >= 3


def test_no_messages_cost_the_reply_alone() -> None:
    assert count([]).total_tokens == 3


def test_another_counter_may_count_and_need_not_say_who_speaks() -> None:
    class Nobody:
        """Knows the total and no message."""

        def count(self, request: ChatRequest) -> RequestCount:
            assert request.turns
            lines = {**dict.fromkeys(FIXED_LINES, 0), "history": 9}
            return RequestCount(lines=lines, messages=(), exact=True, estimated=())

        def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
            raise NotImplementedError

    spec, counter = model_spec("gpt-4o"), counter_for("gpt-4o")
    talk = [{"role": "user", "content": "a"}]
    counted = count_request({"messages": talk, "max_tokens": 5}, spec, counter, by=Nobody())
    assert (counted.total_tokens, counted.messages) == (9, ())
    assert counted.left == spec.window - 9 - 5
