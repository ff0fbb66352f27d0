"""Every spelling of a usage gives the whole prompt; what is no usage says so."""

from typing import Any

import pytest

from packhorse.usage.reported import NotInLogError, UsageError, reported_usage


@pytest.mark.parametrize(
    ("usage", "tokens", "dialect"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, 12, "openai"),
        ({"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": 8}}, 12, "openai"),
        (
            {"input_tokens": 12, "input_tokens_details": {"cached_tokens": 8}},
            12,
            "openai-responses",
        ),
        ({"input_tokens": 12, "output_tokens": 4}, 12, "anthropic"),
        (
            {
                "input_tokens": 2,
                "cache_creation_input_tokens": 30,
                "cache_read_input_tokens": 400,
                "cache_creation": {"ephemeral_5m_input_tokens": 30},
            },
            432,
            "anthropic",
        ),
        ({"input_tokens": 7, "cache_read_input_tokens": None}, 7, "anthropic"),
        ({"promptTokenCount": 9, "cachedContentTokenCount": 4}, 9, "gemini"),
        ({"prompt_token_count": 9}, 9, "gemini"),
    ],
)
def test_the_whole_prompt_is_read(usage: dict[str, Any], tokens: int, dialect: str) -> None:
    for line in (
        {"response": {"usage": usage}},
        {"usage": usage},
        {"response": {"usageMetadata": usage}},
    ):
        reported = reported_usage(line)
        assert reported is not None
        assert (reported.tokens, reported.dialect) == (tokens, dialect)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"response": None},
        {"response": {"error": {}}},
        {"usage": None},
        {"usage": {"prompt_tokens": 0}},
    ],
)
def test_no_usage_is_none(line: dict[str, Any]) -> None:
    assert reported_usage(line) is None


@pytest.mark.parametrize(
    "usage",
    [
        3,
        [],
        {},
        {"total_tokens": 5},
        {"prompt_tokens": "12"},
        {"prompt_tokens": 1.5},
        {"prompt_tokens": True},
        {"prompt_tokens": -1},
        {"prompt_tokens": 10**12},
        {"input_tokens": 1, "cache_read_input_tokens": "x"},
    ],
)
def test_a_usage_of_another_form_is_refused(usage: Any) -> None:
    with pytest.raises(UsageError):
        reported_usage({"usage": usage})


def test_what_the_provider_added_itself_cannot_be_compared() -> None:
    usage = {"input_tokens": 5000, "server_tool_use": {"web_search_requests": 2}}
    with pytest.raises(NotInLogError):
        reported_usage({"usage": usage})
    assert reported_usage({"usage": {**usage, "server_tool_use": {"web_search_requests": 0}}})
