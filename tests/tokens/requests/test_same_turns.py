"""One conversation, written down in each provider's shape, is the same turns."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.render.messages import provider_messages
from packhorse.tokens.requests.request import RequestCount, Turn
from packhorse.tokens.requests.turns import read_request, turn_of
from packhorse.types.message import Message
from packhorse.types.request import QUESTION_OPENER, RequestParts
from tests.strategies import raw_texts
from tests.tokens.pictures import encoded, png
from tests.tokens.requests.bodies import count, tokens

NAMES = st.text("abcdef_", min_size=1, max_size=6)
ARGUMENTS = st.dictionaries(
    NAMES, st.one_of(raw_texts(2), st.integers(), st.booleans()), max_size=2
)
SPOKEN = raw_texts(4).filter(str.strip)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """A user's word, then an answer, or calls with all their results and an answer."""
    said = [Message(role="user", content=draw(SPOKEN))]
    n_calls = draw(st.integers(0, 3))
    if n_calls:
        ids = [f"c{draw(st.integers(0, 9))}_{index}" for index in range(n_calls)]
        calls = tuple(
            {
                "id": identity,
                "type": "function",
                "function": {"name": draw(NAMES), "arguments": compact(draw(ARGUMENTS))},
            }
            for identity in ids
        )
        said.append(Message(role="assistant", content=draw(raw_texts(2)), tool_calls=calls))
        said += [
            Message(role="tool", tool_call_id=identity, content=draw(SPOKEN)) for identity in ids
        ]
    return [*said, Message(role="assistant", content=draw(SPOKEN))]


conversations = st.builds(
    lambda system, talk, query: RequestParts(
        system_prompt=system,
        history=tuple(message for exchange in talk for message in exchange),
        query=query,
    ),
    raw_texts(3),
    st.lists(exchanges(), max_size=3),
    raw_texts(3),
)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def own(parts: RequestParts) -> list[Turn]:
    return [turn_of(message) for message in parts.messages()]


def read(body: Any) -> list[Turn]:
    request = read_request(body)
    request.check_countable()
    return list(request.turns)


def responses_body(parts: RequestParts) -> dict[str, Any]:
    """The obvious converter: one item a message, one a call, one a result."""
    items: list[Mapping[str, Any]] = []
    for message in parts.messages():
        if message.role == "system":
            continue
        if message.role == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message.tool_call_id,
                    "output": message.content,
                }
            )
            continue
        if message.content or not message.tool_calls:
            kind = "output_text" if message.role == "assistant" else "input_text"
            content = [{"type": kind, "text": message.content}]
            items.append({"type": "message", "role": message.role, "content": content})
        items += [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in message.tool_calls
        ]
    return {"instructions": parts.system_text, "input": items}


def ollama_body(parts: RequestParts) -> dict[str, Any]:
    """The chat shape with arguments as objects."""
    messages = json.loads(json.dumps(provider_messages(parts, "openai")))
    for message in messages:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return {"messages": messages, "options": {"num_ctx": 4096}}


@given(parts=conversations)
def test_the_chat_shapes_are_our_own_messages(parts: RequestParts) -> None:
    assert read(provider_messages(parts, "openai")) == own(parts)
    assert read({"messages": list(parts.messages())}) == own(parts)
    assert read(ollama_body(parts)) == own(parts)


@given(parts=conversations)
def test_responses_are_the_same_turns(parts: RequestParts) -> None:
    assert read(responses_body(parts)) == own(parts)


def folded(turns: Sequence[Turn], *, is_gemini: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Our turns as a provider without a tool role says them: results are the user's words."""
    names = {
        call_id: name
        for turn in turns
        for name, _, call_id in zip(*[iter(turn.texts[-3 * turn.n_calls :])] * 3, strict=False)
        if turn.n_calls
    }
    merged: list[tuple[str, tuple[str, ...]]] = []
    for turn in turns:
        texts = turn.texts
        if turn.role == "tool":
            content, call_id = texts
            answer = object_in(content)
            texts = (call_id, names[call_id], compact(answer)) if is_gemini else (call_id, content)
        elif not (turn.n_calls or turn.is_system or "".join(texts).strip()):
            continue
        elif turn.n_calls and not texts[0].strip() and len(texts) > 3 * turn.n_calls:
            texts = texts[1:]
        role = "user" if turn.role == "tool" else turn.role
        if merged and merged[-1][0] == role and role != "system":
            merged[-1] = (role, merged[-1][1] + texts)
        else:
            merged.append((role, texts))
    return merged


def object_in(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return {"result": text}
    return value if isinstance(value, dict) else {"result": text}


@given(parts=conversations)
def test_anthropic_says_the_same_in_its_roles(parts: RequestParts) -> None:
    turns = read(provider_messages(parts, "anthropic"))
    said = [(turn.role, turn.texts) for turn in turns]
    assert said == folded(own(parts), is_gemini=False)
    n_framed = sum(turn.n_calls + (turn.role == "tool") for turn in own(parts))
    assert sum(turn.n_calls for turn in turns) == n_framed


@given(parts=conversations)
def test_gemini_says_the_same_in_its_roles(parts: RequestParts) -> None:
    turns = read(provider_messages(parts, "gemini"))
    assert [(turn.role, turn.texts) for turn in turns] == folded(own(parts), is_gemini=True)


def test_the_question_is_the_last_turn_of_every_shape() -> None:
    parts = RequestParts(query="why?")
    for body in (provider_messages(parts, "openai"), responses_body(parts)):
        assert read(body)[-1].texts == (f"{QUESTION_OPENER}why?",)


IMAGE = encoded(png(512, 512))
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "done"}
ANTHROPIC_IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": IMAGE},
}
ANSWER = {"functionResponse": {"name": "f", "response": {"result": "done"}}}
ENDINGS: dict[str, tuple[str, str, list[Any], Any]] = {
    "chat": (
        "gpt-4o",
        "messages",
        [{"role": "tool", "tool_call_id": "c1", "content": "done"}],
        lambda text: [{"role": "user", "content": text}],
    ),
    "responses": (
        "gpt-4o",
        "input",
        [{"type": "function_call_output", "call_id": "c1", "output": "done"}],
        lambda text: [{"role": "user", "content": text}],
    ),
    "anthropic": (
        "claude-sonnet-4-5",
        "messages",
        [RESULT],
        lambda text: [{"type": "text", "text": text}],
    ),
    "gemini": ("gemini-2.5-pro", "contents", [ANSWER], lambda text: [{"text": text}]),
}


def ending(shape: str, *, text: str) -> RequestCount:
    """A request that ends with a tool's result, and with what the user says beside it."""
    model, key, result, said = ENDINGS[shape]
    last = [*result, *(said(text) if text else [])]
    if shape == "anthropic":
        last = [{"role": "user", "content": last}]
    if shape == "gemini":
        last = [{"role": "user", "parts": last}]
    return count({key: last}, model)


@pytest.mark.parametrize("shape", sorted(ENDINGS))
def test_what_a_tool_gave_back_is_history_and_what_the_user_says_beside_it_the_question(
    shape: str,
) -> None:
    model = ENDINGS[shape][0]
    alone, mixed = ending(shape, text=""), ending(shape, text="And now?")
    assert alone.lines["query"] == 0
    assert alone.lines["history"] >= tokens("done", model=model)
    assert mixed.lines["query"] == tokens("And now?", model=model)
    assert mixed.lines["history"] == alone.lines["history"]


def test_an_image_belongs_to_the_result_that_it_stands_in() -> None:
    shown = {**RESULT, "content": [ANTHROPIC_IMAGE]}
    for content, line in (([shown], "history"), ([RESULT, ANTHROPIC_IMAGE], "query")):
        counted = count({"messages": [{"role": "user", "content": content}]}, "claude-sonnet-4-5")
        assert counted.lines[line] >= 300
        assert counted.lines["history"] + counted.lines["query"] == counted.messages[0].content


def test_a_result_behind_the_users_word_is_still_history() -> None:
    parts = [{"text": "And now?"}, ANSWER]
    turned = count({"contents": [{"role": "user", "parts": parts}]}, "gemini-2.5-pro")
    assert turned.lines == ending("gemini", text="And now?").lines
