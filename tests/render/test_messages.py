"""Requests in the three shapes: instructions, roles, tool calls and their results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import UnknownStrategyError
from packhorse.render.messages import openai_message, provider_messages, provider_request
from packhorse.tokens.requests.turns import read_request
from packhorse.types.message import Message
from packhorse.types.request import RequestParts

CALL = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": '{"to": "a"}'}}

HISTORY = (
    Message(role="user", content="Write the file."),
    Message(role="assistant", content="Writing.", tool_calls=(CALL,)),
    Message(role="tool", content="ok", tool_call_id="c1"),
    Message(role="assistant", content="Done."),
)


def parts(history: tuple[Message, ...] = HISTORY, **fields: Any) -> RequestParts:
    texts: dict[str, Any] = {"system_prompt": "Be brief.", "safety_preamble": "Be safe.", **fields}
    return RequestParts(history=history, evidence="<evidence>\n", query="And now?", **texts)


def test_openai_takes_the_history_as_it_is() -> None:
    assert provider_request(parts(), "openai", model="gpt-4o", output_reservation=7) == {
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "Be brief.\n\nBe safe."},
            {"role": "user", "content": "Write the file."},
            {"role": "assistant", "content": "Writing.", "tool_calls": [CALL]},
            {"role": "tool", "content": "ok", "tool_call_id": "c1"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "<evidence>\nQuestion: And now?"},
        ],
        "max_completion_tokens": 7,
    }


def test_anthropic_gets_a_system_text_and_blocks_for_tools() -> None:
    request = provider_request(parts(), "anthropic", model="claude", output_reservation=7)
    assert request == {
        "model": "claude",
        "system": "Be brief.\n\nBe safe.",
        "messages": [
            {"role": "user", "content": "Write the file."},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Writing."},
                    {"type": "tool_use", "id": "c1", "name": "write", "input": {"to": "a"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}],
            },
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "<evidence>\nQuestion: And now?"},
        ],
        "max_tokens": 7,
    }


def test_gemini_gets_parts_and_function_responses_by_name() -> None:
    request = provider_request(parts(), "gemini", model="gemini", output_reservation=7)
    assert request == {
        "model": "gemini",
        "systemInstruction": {"parts": [{"text": "Be brief.\n\nBe safe."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Write the file."}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Writing."},
                    {"functionCall": {"id": "c1", "name": "write", "args": {"to": "a"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "id": "c1",
                            "name": "write",
                            "response": {"result": "ok"},
                        }
                    }
                ],
            },
            {"role": "model", "parts": [{"text": "Done."}]},
            {"role": "user", "parts": [{"text": "<evidence>\nQuestion: And now?"}]},
        ],
        "generationConfig": {"maxOutputTokens": 7},
    }


def test_a_system_message_in_the_history_joins_the_instructions() -> None:
    history = (Message(role="user", content="Hi"), Message(role="developer", content="In XML."))
    said = provider_messages(parts(history), "anthropic")
    assert isinstance(said, dict)
    assert said["system"] == "Be brief.\n\nBe safe.\n\nIn XML."
    assert said["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hi"},
                {"type": "text", "text": "<evidence>\nQuestion: And now?"},
            ],
        }
    ]


def test_without_instructions_there_is_no_system_field() -> None:
    plain = parts((), system_prompt="", safety_preamble="")
    assert provider_messages(plain, "openai") == [
        {"role": "user", "content": "<evidence>\nQuestion: And now?"}
    ]
    assert list(provider_messages(plain, "anthropic")) == ["messages"]
    assert list(provider_messages(plain, "gemini")) == ["contents"]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [("", {}), ("{}", {}), ("[1]", {"arguments": "[1]"}), ("{broken", {"arguments": "{broken"})],
)
def test_arguments_are_always_an_object(arguments: str, wanted: dict[str, Any]) -> None:
    call = {"id": "x", "type": "function", "function": {"name": "f", "arguments": arguments}}
    history = (
        Message(role="user", content="Go"),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content='{"ok": true}', tool_call_id="x"),
    )
    claude = provider_messages(parts(history), "anthropic")
    gemini = provider_messages(parts(history), "gemini")
    assert isinstance(claude, dict)
    assert isinstance(gemini, dict)
    assert claude["messages"][1]["content"][0]["input"] == wanted
    assert gemini["contents"][1]["parts"][0]["functionCall"]["args"] == wanted
    answer = gemini["contents"][2]["parts"][0]["functionResponse"]["response"]
    assert answer == {"ok": True}


def test_a_call_without_text_has_null_content_and_a_name_is_kept() -> None:
    assert openai_message(Message(role="assistant", tool_calls=(CALL,)))["content"] is None
    assert openai_message(Message(role="user", content="x", name="alice"))["name"] == "alice"


def messages() -> st.SearchStrategy[Message]:
    texts = st.sampled_from(("", " ", "text", "more"))
    return st.one_of(
        st.builds(Message, role=st.sampled_from(("user", "assistant", "system")), content=texts),
        st.builds(Message, role=st.just("tool"), content=texts, tool_call_id=st.just("c1")),
        st.builds(Message, role=st.just("assistant"), content=texts, tool_calls=st.just((CALL,))),
    )


@given(st.lists(messages(), max_size=6).map(tuple))
def test_roles_alternate_and_start_with_the_user(history: tuple[Message, ...]) -> None:
    claude = provider_messages(parts(history), "anthropic")
    gemini = provider_messages(parts(history), "gemini")
    assert isinstance(claude, dict)
    assert isinstance(gemini, dict)
    for turns, other in ((claude["messages"], "assistant"), (gemini["contents"], "model")):
        roles = [turn["role"] for turn in turns]
        assert roles == [("user", other)[n % 2] for n in range(len(roles))]
        assert len(roles) % 2 == 1
    blocks = [b for m in claude["messages"] if isinstance(m["content"], list) for b in m["content"]]
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")


@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
def test_every_shape_can_be_counted(shape: str) -> None:
    request = provider_request(parts(), shape, model="m", output_reservation=1)
    turns = read_request(request).turns
    # A result is framed as a call is where it stands as a block of a message.
    n_framed = 0 if shape == "openai" else 1
    assert [turn.n_calls for turn in turns] == [0, 0, 1, n_framed, 0, 0]


def test_an_unknown_shape_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        provider_request(parts(), "morse", model="m", output_reservation=1)
    assert caught.value.hint == "Known message shape names: anthropic, gemini, openai"
