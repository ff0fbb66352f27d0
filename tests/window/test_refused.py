"""What a provider will refuse is told, and a request without messages is never made."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import BudgetExceededError, InputError
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import fit_messages
from tests.window.test_units import call, result

USER = {"role": "user", "content": "Go on"}
ANSWER = {"role": "assistant", "content": "Hello"}
CLAUDE, GEMINI = "claude-sonnet-4-5", "gemini-2.5-flash"


def gemini(*names: str) -> list[dict[str, Any]]:
    calls = [{"functionCall": {"name": name, "args": {}}} for name in names]
    results = [{"functionResponse": {"name": name, "response": {"r": 1}}} for name in names]
    return [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": results},
    ]


def anthropic(*ids: str) -> list[dict[str, Any]]:
    uses = [{"type": "tool_use", "id": each, "name": "f", "input": {}} for each in ids]
    results = [{"type": "tool_result", "tool_use_id": each, "content": "x"} for each in ids]
    return [USER, {"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def responses(*ids: str) -> list[dict[str, Any]]:
    return [
        USER,
        *({"type": "function_call", "call_id": i, "name": "f", "arguments": "{}"} for i in ids),
        *({"type": "function_call_output", "call_id": i, "output": "x"} for i in ids),
    ]


@pytest.mark.parametrize(
    ("messages", "model", "told"),
    [
        ([USER, call("a"), result(None)], "gpt-4o", "results without an id (1)"),
        ([USER, call("", ""), result(None), result("")], "gpt-4o", "results without an id (4)"),
        ([USER, call("a", "a"), result("a"), result("a")], "gpt-4o", "the same id (2)"),
        (anthropic(""), CLAUDE, "results without an id (2)"),
        (anthropic("a", "b", "a"), CLAUDE, "the same id (2)"),
        (responses(""), "gpt-4o", "results without an id (2)"),
        (responses("a", "a"), "gpt-4o", "the same id (2)"),
        (gemini(""), GEMINI, "results without a name (2)"),
    ],
)
def test_calls_that_the_provider_refuses_stay_with_a_warning(
    messages: list[dict[str, Any]], model: str, told: str
) -> None:
    fitted = fit_messages(messages, model=model)
    assert list(fitted) == messages
    (warning,) = fitted.warnings
    assert warning.startswith("the provider will refuse the request: ")
    assert warning.endswith(told)
    assert fitted.report == warning
    assert fitted.is_mended
    growing = GrowingConversation(messages, model=model)
    assert growing.fitted().report == warning


@pytest.mark.parametrize(
    ("messages", "model"),
    [
        ([USER, call("a"), result("a"), USER, call("a"), result("a")], "gpt-4o"),
        (anthropic("a", "b"), CLAUDE),
        (responses("a", "b"), "gpt-4o"),
        (gemini("f", "f"), GEMINI),
        ([USER, call("a"), USER, result(None)], "gpt-4o"),
        ([ANSWER, USER], "gpt-4o"),
        ([ANSWER, USER], CLAUDE),
    ],
)
def test_nothing_is_said_of_what_the_provider_takes(
    messages: list[dict[str, Any]], model: str
) -> None:
    assert fit_messages(messages, model=model).warnings == ()


def test_where_only_halves_of_calls_were_given_nothing_is_left_and_that_is_told() -> None:
    fitted = fit_messages([result("a")])
    assert list(fitted) == []
    assert fitted.warnings == ("the provider will refuse the request: no message is left",)
    assert fitted.is_mended


def test_a_pinned_answer_in_front_of_the_user_is_told() -> None:
    talk = [{"role": "model", "parts": [{"text": "Hello"}]}, gemini("f")[0]]
    for messages, model in (([ANSWER, USER], CLAUDE), (talk, GEMINI)):
        fitted = fit_messages(messages, model=model, pin=[0])
        assert list(fitted) == messages
        assert fitted.report == (
            "the provider will refuse the request: it does not open with the user"
        )
        assert fitted.is_mended
    assert fit_messages([USER, ANSWER, USER], model=CLAUDE, pin=[1]).warnings == ()


@pytest.mark.parametrize(
    ("messages", "model", "error", "told"),
    [
        ([ANSWER], CLAUDE, InputError, "no word of the user's"),
        ([{**ANSWER, "content": "word " * 90}], "gpt-4o", BudgetExceededError, "No message fits"),
    ],
)
def test_a_request_without_messages_is_an_error(
    messages: list[dict[str, Any]], model: str, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told) as caught:
        fit_messages(messages, model=model, max_tokens=60)
    if isinstance(caught.value, BudgetExceededError):
        assert sum(tokens for _, tokens in caught.value.parts) == caught.value.needed
        assert len(fit_messages(messages, max_tokens=caught.value.needed)) == 1
    growing = GrowingConversation(messages, model=model, max_tokens=60)
    with pytest.raises(error, match=told):
        growing.fitted()
    assert list(fit_messages([], model=model)) == []
