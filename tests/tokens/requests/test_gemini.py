"""Gemini bodies: both spellings, nested settings, and what is refused by name."""

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from tests.tokens.requests.bodies import IMAGE, SCHEMA, count, tokens

MODEL = "gemini-2.5-pro"
FOX = "The quick brown fox jumps over the lazy dog."
CATS = "I have 57 cats, each owns 44 mittens, how many mittens is that in total?"
ARITHMETIC = [
    {
        "name": name,
        "description": f"returns a {sign} b.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    }
    for name, sign in (("add", "+"), ("subtract", "-"), ("multiply", "*"), ("divide", "/"))
]


# Requests of the provider's page on counting, and the tokens that it says.
@pytest.mark.parametrize(
    ("body", "published"),
    [
        ({"contents": FOX}, 10),
        (
            {
                "systemInstruction": "You are a cat. Your name is Neko.",
                "contents": [{"parts": [{"text": FOX}]}],
            },
            21,
        ),
        (
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "Hi my name is Bob"}]},
                    {"role": "model", "parts": [{"text": "Hi Bob!"}]},
                ]
            },
            10,
        ),
        ({"contents": CATS}, 22),
        ({"contents": CATS, "tools": [{"functionDeclarations": ARITHMETIC}]}, 206),
        (
            {
                "contents": [
                    {
                        "parts": [
                            {"text": "Tell me about this image"},
                            {"inlineData": {"mimeType": "image/png", "data": IMAGE}},
                        ]
                    }
                ]
            },
            263,
        ),
    ],
)
def test_published_examples_are_not_underestimated(body: Any, published: int) -> None:
    counted = count(body, MODEL)
    assert counted.total_tokens >= published
    assert not counted.exact


def test_both_spellings_are_the_same_request() -> None:
    camel = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {
                "parts": [
                    {"inlineData": {"mimeType": "image/png", "data": IMAGE}},
                    {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "QUJD"},
                ]
            }
        ],
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {"responseSchema": SCHEMA, "maxOutputTokens": 100},
    }
    snake = {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {
                "parts": [
                    {"inline_data": {"mime_type": "image/png", "data": IMAGE}},
                    {"function_call": {"name": "f", "args": {}}, "thought_signature": "QUJD"},
                ]
            }
        ],
        "config": {
            "tools": [{"function_declarations": [{"name": "f"}]}],
            "tool_config": {"function_calling_config": {"mode": "ANY"}},
            "response_schema": SCHEMA,
            "max_output_tokens": 100,
        },
    }
    one, other = count(camel, MODEL), count(snake, MODEL)
    assert read_request(camel).turns == read_request(snake).turns
    assert (one.reservation, one.estimated) == (other.reservation, other.estimated)
    assert one.lines["tools"] > other.lines["tools"] - 10 > 40


def test_roles_are_those_of_the_other_shapes() -> None:
    contents = [
        {"role": "user", "parts": ["Hi"]},
        {"role": "model", "parts": "Hello"},
        {"role": "function", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
        {"parts": [{"text": "Go on"}]},
        "And on",
    ]
    turns = read_request({"contents": contents}).turns
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "user", "user"]


def test_one_content_may_stand_alone() -> None:
    assert len(read_request({"contents": {"parts": [{"text": "Hi"}]}}).turns) == 1


def test_thoughts_and_their_signatures_are_named() -> None:
    part = {"text": "Hm.", "thought": True, "thoughtSignature": "A" * 80}
    counted = count({"contents": [{"role": "model", "parts": [part]}]}, MODEL)
    assert counted.lines["history"] == tokens("Hm.", model=MODEL) + 30
    assert {"thinking", "sealed thinking"} <= set(counted.estimated)


def test_an_image_in_a_result_is_counted() -> None:
    inside = [{"inlineData": {"mimeType": "image/png", "data": IMAGE, "displayName": "a.png"}}]
    result = {"name": "f", "response": {}, "parts": inside}
    body = {"contents": [{"parts": [{"functionResponse": result}]}]}
    assert count(body, MODEL).lines["history"] >= 258


@pytest.mark.parametrize("mode", ["AUTO", "auto"])
def test_automatic_calls_cost_nothing(mode: str) -> None:
    config = {"functionCallingConfig": {"mode": mode}}
    assert count({"contents": "x", "toolConfig": config}, MODEL).lines["tools"] == 0


def test_other_modes_are_counted_and_named() -> None:
    config = {"functionCallingConfig": {"mode": "NONE"}}
    counted = count({"contents": "x", "toolConfig": config}, MODEL)
    assert counted.lines["tools"] > 0
    assert "tool choice" in counted.estimated


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"fileData": {"fileUri": "gs://x"}}, "fileData"),
        ({"file_data": {"file_uri": "gs://x"}}, "fileData"),
        ({"executableCode": {"code": "1"}}, "executableCode"),
        ({"codeExecutionResult": {"output": "1"}}, "codeExecutionResult"),
        ({"text": "x", "inlineData": {"mimeType": "image/png", "data": IMAGE}}, "inlineData"),
        ({"text": "x", "surprise": "y"}, "surprise"),
        ({"inlineData": {"mimeType": "audio/mp3", "data": "x"}}, "audio/mp3"),
        ({"inlineData": {"mimeType": "image/png", "data": IMAGE, "alt": "x"}}, "alt"),
        ({"functionCall": {"name": "f", "comment": "x"}}, "comment"),
        ({"functionResponse": {"name": "f", "comment": "x"}}, "comment"),
        ({}, "says nothing"),
        (3, "a part that is a number"),
        ({"inlineData": {"data": "x"}}, "inline data without a type"),
    ],
)
def test_a_part_without_a_rule_is_refused_by_name(part: Any, named: str) -> None:
    with pytest.raises(InputError, match=rf"contents\[0\]\.parts\[0\].*{named}"):
        count({"contents": [{"parts": [part]}]}, MODEL)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"cachedContent": "cachedContents/1"}, "cachedContent"),
        ({"tools": [{"googleSearch": {}}]}, "googleSearch"),
        ({"tools": [{"code_execution": {}}]}, "codeExecution"),
        ({"tools": [{}]}, r"tools\[0\]"),
        ({"generationConfig": {"surprise": "x"}}, "surprise"),
        ({"surprise": "x"}, "surprise"),
    ],
)
def test_what_stands_beside_the_contents_is_refused_by_name(fields: Any, named: str) -> None:
    with pytest.raises(InputError, match=named):
        count({"contents": "x", **fields}, MODEL)


@pytest.mark.parametrize(
    "body",
    [
        {"contents": "x", "generationConfig": "x"},
        {"contents": "x", "toolConfig": "x"},
        {"contents": [{"parts": [{"functionCall": {}}]}]},
        {"contents": [{"parts": [{"functionResponse": 3}]}]},
        {"contents": [{"parts": [{"text": 3, "thought": True}]}]},
        {"contents": [{"parts": [{"text": "x", "thoughtSignature": 3}]}]},
    ],
)
def test_what_is_no_request_is_an_input_error(body: Any) -> None:
    with pytest.raises(InputError) as caught:
        count(body, MODEL)
    assert caught.value.hint
