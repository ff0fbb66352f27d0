"""Names are found under the spellings of gateways and clouds, and never by guessing."""

import pytest

from packhorse.errors import UnknownModelError
from packhorse.tokens.models.names import near_names, spellings
from packhorse.tokens.models.table import model_spec


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("GPT-4o", "gpt-4o"),
        (" gpt-4o ", "gpt-4o"),
        ("openai/gpt-4o", "gpt-4o"),
        ("openai.gpt-oss-120b", "gpt-oss-120b"),
        ("openrouter/openai/gpt-5", "gpt-5"),
        ("openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock/converse/eu.anthropic.claude-opus-4-6", "claude-opus-4-6"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("vertex_ai/gemini-2.5-pro", "gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini/gemini-2.5-flash", "gemini-2.5-flash"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b-instruct-2507"),
        ("dashscope/qwen3-max", "qwen3-max"),
        ("deepseek-ai/DeepSeek-V3", "deepseek-v3"),
        ("mistralai/mistral-large-2512", "mistral-large-2512"),
    ],
)
def test_a_spelling_of_a_gateway_finds_the_makers_row(spelling: str, name: str) -> None:
    assert model_spec(spelling).name == name


@pytest.mark.parametrize(
    "spelling",
    [
        "azure/gpt-4o",  # the name of somebody's deployment
        "google/gpt-4o",
        "anthropic.gpt-4o-v1:0",
        "openai/gpt-4o:free",
        "ft:gpt-4o:acme::abc",
        "gpt-4o-v1",
        "gpt-4o-2030-01-01",
        "openai/openai/gpt-4o",
        "openai/",
        "/",
        "",
    ],
)
def test_what_is_not_known_to_be_the_model_is_not_taken_for_it(spelling: str) -> None:
    with pytest.raises(UnknownModelError):
        model_spec(spelling)


def test_the_name_as_written_is_looked_for_first() -> None:
    assert next(spellings("openai/gpt-4o")) == ("openai/gpt-4o", None)


@pytest.mark.parametrize(
    ("misspelled", "near"),
    [
        ("gtp-5", "gpt-5"),
        ("gpt5", "gpt-5"),
        ("claude-sonet-4-5", "claude-sonnet-4-5"),
        ("openai/gpt4o", "gpt-4o"),
        ("gpt-4o:free", "gpt-4o"),
        ("fable", "claude-fable-5"),
        ("maverick", "llama-4-maverick"),
    ],
)
def test_near_names_lead_on(misspelled: str, near: str) -> None:
    with pytest.raises(UnknownModelError) as caught:
        model_spec(misspelled)
    assert near in caught.value.near


def test_near_names_are_few_and_written_as_in_the_table() -> None:
    assert near_names(
        "MISTRAL", ["Mistral-Small", "mistral", "Mistral-Large", "mistral-medium"]
    ) == [
        "mistral",
        "Mistral-Small",
        "Mistral-Large",
    ]
    assert near_names("", ["a", "b"]) == []
    assert near_names("nothing like it", ["gpt-4o"]) == []
