"""Anthropic bodies: what is charged, what costs nothing, what is refused by name."""

from typing import Any

import pytest

from packhorse.errors import InputError
from tests.tokens.requests.bodies import IMAGE, SCHEMA, count, tokens

MODEL = "claude-sonnet-4-5"
WEATHER = {
    "name": "get_weather",
    "description": "Get the current weather in a given location",
    "input_schema": {
        "type": "object",
        "properties": {
            "location": {
                "type": "string",
                "description": "The city and state, e.g. San Francisco, CA",
            }
        },
        "required": ["location"],
    },
}


def body(*blocks: Any, role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": list(blocks)}], **fields}


def content(*blocks: Any) -> int:
    return sum(cost.content for cost in count(body(*blocks), MODEL).messages)


# Requests of the provider's page on counting, and the tokens that it says.
@pytest.mark.parametrize("model", ["claude-opus-4-1", MODEL, "claude-opus-4-8"])
@pytest.mark.parametrize(
    ("request_body", "published"),
    [
        (
            {
                "system": "You are a scientist",
                "messages": [{"role": "user", "content": "Hello, Claude"}],
            },
            14,
        ),
        (
            {
                "tools": [WEATHER],
                "messages": [
                    {"role": "user", "content": "What's the weather like in San Francisco?"}
                ],
            },
            403,
        ),
    ],
)
def test_published_examples_are_not_underestimated(
    request_body: Any, published: int, model: str
) -> None:
    counted = count(request_body, model)
    assert published <= counted.total_tokens <= published * 3
    assert not counted.exact


def test_a_system_text_may_be_a_string_or_blocks() -> None:
    blocks = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    plain = count({"system": "Be brief.", "messages": []}, MODEL)
    assert count({"system": blocks, "messages": []}, MODEL).lines == plain.lines
    with pytest.raises(InputError, match=r"system\[0\].*'image'"):
        count({"system": [{"type": "image", "source": {}}], "messages": []}, MODEL)


def test_cache_marks_and_quoted_texts_cost_nothing() -> None:
    plain = {"type": "text", "text": "Stars."}
    marked = {
        **plain,
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
        "citations": [{"type": "char_location", "cited_text": "x" * 500}],
    }
    assert content(marked) == content(plain)


def test_an_image_inside_a_result_costs_what_it_costs_outside() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": IMAGE}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [image]}
    assert content(result) == content(image) + tokens("c1", model=MODEL)


@pytest.mark.parametrize(
    "source", [{"type": "url", "url": "https://a.b/c.png"}, {"type": "file", "file_id": "f1"}]
)
def test_an_image_that_is_only_named_costs_the_most(source: Any) -> None:
    counted = count(body({"type": "image", "source": source}), MODEL)
    assert counted.lines["query"] == 1_568
    assert "images" in counted.estimated


def test_each_result_of_parallel_calls_is_framed() -> None:
    results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "x"} for n in (1, 2)]
    one, two = (count(body(*results[:n]), MODEL).messages[0] for n in (1, 2))
    assert two.overhead - one.overhead == 8


def test_sealed_thinking_is_an_upper_estimate_by_name() -> None:
    counted = count(body({"type": "redacted_thinking", "data": "A" * 800}, role="assistant"), MODEL)
    assert counted.messages[0].content == 300
    assert "sealed thinking" in counted.estimated


def test_thinking_before_the_last_word_is_charged_only_where_it_is_kept() -> None:
    thought = {"type": "thinking", "thinking": "Let me think. " * 20, "signature": "s" * 900}
    user = {"role": "user", "content": "Hi"}
    done = [user, {"role": "assistant", "content": [thought, {"type": "text", "text": "a"}]}, user]
    older, newer = (count({"messages": done}, model) for model in (MODEL, "claude-opus-4-5"))
    assert newer.lines["history"] - older.lines["history"] > 60
    assert "thinking" not in older.estimated
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    working = [
        user,
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]},
    ]
    assert "thinking" in count({"messages": working}, MODEL).estimated


def test_documents_and_search_results_are_counted_by_their_text_and_named() -> None:
    document = {
        "type": "document",
        "title": "Notes",
        "context": "Old",
        "source": {"type": "text", "media_type": "text/plain", "data": "The sky is blue."},
    }
    assert content(document) == tokens("Notes", "Old", "The sky is blue.", model=MODEL)
    pages = {"type": "content", "content": [{"type": "text", "text": "The sky is blue."}]}
    assert content({**document, "source": pages}) == content(document)
    assert "documents" in count(body(document), MODEL).estimated
    found = {
        "type": "search_result",
        "source": "https://example.com",
        "title": "Sky",
        "content": [{"type": "text", "text": "Blue."}],
        "citations": {"enabled": False},
    }
    assert content(found) == tokens("https://example.com", "Sky", "Blue.", model=MODEL)
    assert "search results" in count(body(found), MODEL).estimated


PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "document", "source": PDF}, "document of type 'base64'"),
        ({"type": "document", "source": {"type": "url", "url": "https://a.b"}}, "type 'url'"),
        ({"type": "document", "source": {"type": "file", "file_id": "f"}}, "type 'file'"),
        (
            {
                "type": "document",
                "source": {"type": "text", "data": "x"},
                "citations": {"enabled": True},
            },
            "a document with citations",
        ),
        (
            {
                "type": "search_result",
                "source": "s",
                "title": "t",
                "content": [],
                "citations": {"enabled": True},
            },
            "a search result with citations",
        ),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, "server_tool"),
        ({"type": "web_search_tool_result", "content": []}, "web_search_tool_result"),
        ({"type": "container_upload", "file_id": "f"}, "container_upload"),
        (
            {
                "type": "tool_result",
                "tool_use_id": "c",
                "content": [{"type": "tool_reference", "tool_name": "f"}],
            },
            "tool_reference",
        ),
        (
            {"type": "image", "source": {"type": "base64", "data": IMAGE, "alt": "a text"}},
            r"source\.alt",
        ),
    ],
)
def test_what_has_no_published_price_is_refused_by_name(block: Any, named: str) -> None:
    with pytest.raises(InputError, match=rf"messages\[0\]\.content\[0\].*{named}") as caught:
        count(body(block), MODEL)
    assert caught.value.hint


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "carrier pigeon"}},
        {"type": "image"},
        {"type": "image", "source": {"type": "base64"}},
        {"type": "document"},
        {"type": "tool_use", "id": "c", "input": {}},
        {"type": "tool_result", "tool_use_id": 3},
        {"type": "redacted_thinking"},
        {"type": "search_result"},
    ],
)
def test_a_block_without_what_it_needs_is_refused(block: Any) -> None:
    with pytest.raises(InputError):
        count(body(block), MODEL)


def test_tools_that_the_provider_runs_are_refused_by_name() -> None:
    tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    with pytest.raises(InputError, match=r'tools\[0\].*"web_search_20250305"'):
        count({"messages": [], "tools": [tool]}, MODEL)


def test_marks_of_a_tool_cost_nothing() -> None:
    plain = {"name": "look", "input_schema": SCHEMA}
    marked = {**plain, "cache_control": {"type": "ephemeral"}, "type": "custom", "strict": True}
    lines = [
        count({"messages": [], "tools": [tool]}, MODEL).lines["tools"] for tool in (plain, marked)
    ]
    assert lines[0] == lines[1]


def test_a_forced_call_takes_the_higher_published_figure() -> None:
    tool = {"name": "look", "input_schema": SCHEMA}
    free, forced = (
        count({"messages": [], "tools": [tool], "tool_choice": {"type": kind}}, MODEL)
        for kind in ("auto", "any")
    )
    assert forced.lines["tools"] >= free.lines["tools"] + 92  # 588 and 496 tokens


def test_a_begun_answer_needs_no_opening() -> None:
    user = {"role": "user", "content": "Hi"}
    asked = count({"messages": [user]}, MODEL)
    begun = count({"messages": [user, {"role": "assistant", "content": "Well"}]}, MODEL)
    added = begun.messages[-1]
    assert begun.total_tokens == asked.total_tokens + added.total - 4
    assert added.overhead == 4


def test_the_schema_of_the_answer_is_counted() -> None:
    config = {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}
    counted = count({"messages": [], "output_config": config}, MODEL)
    assert counted.lines["tools"] > 20
    assert "response format" in counted.estimated
    with pytest.raises(InputError, match=r"output_config\.style"):
        count({"messages": [], "output_config": {"style": "x"}}, MODEL)


def test_a_document_of_the_users_is_the_users_word() -> None:
    thought = {"type": "thinking", "thinking": "Let me think. " * 20, "signature": "s"}
    source = {"type": "text", "media_type": "text/plain", "data": "a"}
    result = {"type": "tool_result", "tool_use_id": "c1"}
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    document = {"type": "document", "source": source}
    for said in ([document], [result, {"type": "text", "text": "b"}]):
        messages = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [thought, call]},
            {"role": "user", "content": said},
        ]
        assert "thinking" not in count({"messages": messages}, MODEL).estimated
