"""The model table is complete, dated, unambiguous, and open to a user's rows."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from packhorse.errors import ConfigError, InputError, UnknownKeyError, UnknownModelError
from packhorse.tokens.models import table
from packhorse.tokens.models.names import MAKERS
from packhorse.tokens.models.table import REFERENCES, built_in_models, load_models, model_spec
from packhorse.tokens.registry import TOKENIZERS


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_gpt_4o_has_its_window_and_vocabulary() -> None:
    spec = model_spec("gpt-4o")
    assert (spec.window, spec.max_output, spec.tokenizer, spec.exact, spec.shape) == (
        128_000,
        16_384,
        "o200k_base",
        True,
        "openai",
    )


@pytest.mark.parametrize(
    ("model", "window", "max_output"),
    [
        ("gpt-4", 8_192, 8_192),
        ("gpt-3.5-turbo", 16_385, 4_096),
        ("gpt-4.1", 1_047_576, 32_768),
        ("gpt-5", 400_000, 128_000),
        ("gpt-6-astra", 1_050_000, 128_000),
        ("o3", 200_000, 100_000),
        ("claude-sonnet-4-5", 200_000, 64_000),
        ("claude-3-5-sonnet", 200_000, 8_192),
        ("claude-opus-5-5", 1_000_000, 128_000),
        ("gemini-2.5-pro", 1_048_576, 65_536),
        ("mistral-large-2411", 131_072, 16_384),
        ("llama-3.3-70b-instruct", 131_072, 131_072),
        ("qwen3-8b", 32_768, 32_768),
        ("deepseek-v4-pro", 1_000_000, 384_000),
    ],
)
def test_known_limits(model: str, window: int, max_output: int) -> None:
    spec = model_spec(model)
    assert (spec.window, spec.max_output) == (window, max_output)


def test_every_figure_has_a_source_and_the_day_it_was_read() -> None:
    for spec in built_in_models():
        assert spec.source
        assert spec.tokenizer_source
        assert spec.evidence != "own"
        rules = (spec.framing, spec.tools, spec.images, spec.reasoning)
        assert all(rule.source for rule in rules if rule)
        days = [spec.as_of, *(rule.as_of for rule in rules if rule)]
        assert all(date.fromisoformat(day) >= date(2024, 1, 1) for day in days)
        if spec.retired is not None:
            assert date.fromisoformat(spec.retired) >= date(2024, 1, 1)


def test_the_kind_of_evidence_agrees_with_what_the_source_says() -> None:
    for spec in built_in_models():
        assert ("quoted in public" in spec.source) == (spec.evidence == "quoted page"), spec.name
        if spec.evidence == "catalogue":
            assert re.search("LiteLLM|models.dev", spec.source), spec.name


def test_the_table_covers_every_maker_of_the_prefixes() -> None:
    assert {spec.provider for spec in built_in_models()} == set(MAKERS.values())


def test_no_name_or_alias_means_two_models() -> None:
    names = Counter(
        name.casefold() for spec in built_in_models() for name in (spec.name, *spec.aliases)
    )
    assert [name for name, times in names.items() if times > 1] == []


ALIASES = {
    "claude-3-5-haiku-20241022": "claude-3-5-haiku claude-3-5-haiku-latest claude-3.5-haiku",
    "claude-3-5-sonnet-20241022": (
        "claude-3-5-sonnet claude-3-5-sonnet-latest claude-3-5-sonnet-20240620 claude-3.5-sonnet"
    ),
    "claude-3-7-sonnet-20250219": "claude-3-7-sonnet claude-3-7-sonnet-latest claude-3.7-sonnet",
    "claude-fable-5-1": "claude-fable-5.1",
    "claude-haiku-4-5": "claude-haiku-4-5-20251001 claude-haiku-4.5",
    "claude-haiku-5-5": "claude-haiku-5.5",
    "claude-mythos-5-1": "claude-mythos-5.1",
    "claude-opus-4-0": "claude-opus-4 claude-opus-4-20250514",
    "claude-opus-4-1": "claude-opus-4-1-20250805 claude-opus-4.1",
    "claude-opus-4-5": "claude-opus-4-5-20251101 claude-opus-4.5",
    "claude-opus-4-6": "claude-opus-4-6-20260205 claude-opus-4.6",
    "claude-opus-4-7": "claude-opus-4-7-20260416 claude-opus-4.7",
    "claude-opus-4-8": "claude-opus-4.8",
    "claude-opus-5-5": "claude-opus-5.5",
    "claude-sonnet-4-0": "claude-sonnet-4 claude-sonnet-4-20250514",
    "claude-sonnet-4-5": "claude-sonnet-4-5-20250929 claude-sonnet-4.5",
    "claude-sonnet-4-6": "claude-sonnet-4.6",
    "claude-sonnet-5-5": "claude-sonnet-5.5",
    "codestral-2508": "codestral-latest",
    "deepseek-flash": "deepseek-v4-flash deepseek-v4-flash-vision-exp",
    "devstral-2512": "devstral-latest devstral-medium-latest",
    "gemini-2.0-flash": "gemini-2.0-flash-001",
    "gemini-2.0-flash-lite": "gemini-2.0-flash-lite-001",
    "gemini-3.1-flash-lite": "gemini-3.1-flash-lite-preview",
    "gemini-3.1-pro-preview": "gemini-3.1-pro-preview-customtools",
    "gpt-3.5-turbo": "gpt-3.5-turbo-0125 gpt-3.5-turbo-1106",
    "gpt-4": "gpt-4-0613 gpt-4-0314",
    "gpt-4-turbo": (
        "gpt-4-turbo-2024-04-09 gpt-4-turbo-preview gpt-4-0125-preview gpt-4-1106-preview"
    ),
    "gpt-4.1": "gpt-4.1-2025-04-14",
    "gpt-4.1-mini": "gpt-4.1-mini-2025-04-14",
    "gpt-4.1-nano": "gpt-4.1-nano-2025-04-14",
    "gpt-4o": "gpt-4o-2024-08-06 gpt-4o-2024-11-20",
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "gpt-5": "gpt-5-2025-08-07",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
    "gpt-5-nano": "gpt-5-nano-2025-08-07",
    "gpt-5-pro": "gpt-5-pro-2025-10-06",
    "gpt-5.1": "gpt-5.1-2025-11-13",
    "gpt-5.2": "gpt-5.2-2025-12-11",
    "gpt-5.2-pro": "gpt-5.2-pro-2025-12-11",
    "gpt-5.4": "gpt-5.4-2026-03-05",
    "gpt-5.4-mini": "gpt-5.4-mini-2026-03-17",
    "gpt-5.4-nano": "gpt-5.4-nano-2026-03-17",
    "gpt-5.4-pro": "gpt-5.4-pro-2026-03-05",
    "gpt-5.5": "gpt-5.5-2026-04-23",
    "gpt-5.5-pro": "gpt-5.5-pro-2026-04-23",
    "gpt-5.6-sol": "gpt-5.6",
    "llama-3-70b-instruct": "meta-llama-3-70b-instruct",
    "llama-3-8b-instruct": "meta-llama-3-8b-instruct",
    "llama-3.1-405b-instruct": "meta-llama-3.1-405b-instruct",
    "llama-3.1-70b-instruct": "meta-llama-3.1-70b-instruct",
    "llama-3.1-8b-instruct": "meta-llama-3.1-8b-instruct",
    "llama-4-maverick-17b-128e-instruct": "llama-4-maverick llama-4-maverick-17b-128e-instruct-fp8",
    "llama-4-scout-17b-16e-instruct": "llama-4-scout",
    "ministral-14b-2512": "ministral-14b-latest ministral-3-14b-2512",
    "ministral-3b-2512": "ministral-3b-latest ministral-3-3b-2512",
    "ministral-8b-2512": "ministral-8b-latest ministral-3-8b-2512",
    "mistral-large-2512": "mistral-large-3 mistral-large-latest",
    "mistral-large-4-0": "mistral-large-4",
    "mistral-medium-2604": "mistral-medium-3-5 mistral-medium-3.5 mistral-medium-latest",
    "mistral-small-2603": "mistral-small-latest",
    "o1": "o1-2024-12-17",
    "o1-mini": "o1-mini-2024-09-12",
    "o1-preview": "o1-preview-2024-09-12",
    "o1-pro": "o1-pro-2025-03-19",
    "o3": "o3-2025-04-16",
    "o3-mini": "o3-mini-2025-01-31",
    "o3-pro": "o3-pro-2025-06-10",
    "o4-mini": "o4-mini-2025-04-16",
    "open-mistral-nemo": "open-mistral-nemo-2407 mistral-nemo",
    "open-mixtral-8x22b": "open-mixtral-8x22b-2404",
    "pixtral-12b-2409": "pixtral-12b",
    "pixtral-large-2411": "pixtral-large-latest",
    "qwen3-coder-flash": "qwen3-coder-flash-2025-07-28",
    "qwen3-coder-plus": "qwen3-coder-plus-2025-07-22",
    "qwen3-max": "qwen3-max-2026-01-23",
    "qwen3.7-flash": "qwen3.7-flash-2026-07-15",
    "qwen3.7-plus": "qwen3.7-plus-2026-05-26",
    "qwen3.8-max": "qwen3.8-max-0902 qwen3.8-max-2026-09-02",
}


def test_every_alias_is_listed_here() -> None:
    shown = {spec.name: " ".join(spec.aliases) for spec in built_in_models() if spec.aliases}
    assert shown == ALIASES


@pytest.mark.parametrize("prefix", ["", *(f"{maker}/" for maker in MAKERS)])
def test_a_prefix_never_makes_a_name_mean_another_model(
    prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Thousands of misses: their near names are another test's.
    monkeypatch.setattr(table, "near_names", lambda *_: [])
    provider = MAKERS.get(prefix.rstrip("/"))
    for spec in built_in_models():
        for name in (spec.name, *spec.aliases):
            for spelling in (prefix + name, (prefix + name).upper()):
                if provider in {None, spec.provider}:
                    assert model_spec(spelling) is spec
                else:
                    with pytest.raises(UnknownModelError):
                        model_spec(spelling)


def test_an_alias_finds_its_model() -> None:
    assert model_spec("gpt-4o-2024-08-06") is model_spec("gpt-4o")


def test_only_public_tokenizers_are_called_exact() -> None:
    exact = {spec.provider for spec in built_in_models() if spec.exact}
    assert exact == {"openai", "mistral", "meta", "qwen", "deepseek"}
    assert all(spec.margin > 0 for spec in built_in_models() if not spec.exact)


def test_every_tokenizer_of_the_table_is_registered_and_every_vocabulary_is_used() -> None:
    used = {spec.tokenizer for spec in built_in_models()}
    assert used <= set(TOKENIZERS)
    # Vocabularies of Mistral models before the ones of the table.
    assert set(TOKENIZERS) - used <= {"mistral-v1", "mistral-v2"}


def test_a_model_that_does_not_think_says_so() -> None:
    assert model_spec("gpt-4o").reasoning is None
    thinking = model_spec("claude-sonnet-4-5").reasoning
    assert thinking is not None
    assert (thinking.control, thinking.min_budget, thinking.always) == ("budget", 1_024, False)
    assert thinking.earlier_turns is False
    pro = model_spec("gemini-2.5-pro").reasoning
    assert pro is not None
    assert (pro.always, pro.min_budget, pro.max_budget) == (True, 128, 32_768)


def test_every_rule_of_the_table_is_used_and_every_reference_leads_somewhere() -> None:
    sections = built_in_models().sections
    for field, section in REFERENCES.items():
        used = {row[field] for row in sections["models"].values() if row.get(field)}
        assert used == set(sections[section])


def test_an_unknown_model_names_the_nearest_ones() -> None:
    with pytest.raises(UnknownModelError) as caught:
        model_spec("gpt4o")
    assert "gpt-4o" in caught.value.near


def test_a_user_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    mine = load_models(write(tmp_path / "m.yaml", "models:\n  gpt-4o:\n    window: 64000\n"))
    assert mine.spec("gpt-4o").window == 64_000
    assert mine.spec("gpt-4o").max_output == 16_384
    assert mine.spec("gpt-4") == model_spec("gpt-4")
    assert model_spec("gpt-4o").window == 128_000


def test_a_user_file_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    for window in (64_000, 32_000):
        path = write(tmp_path / "m.yaml", f"models:\n  gpt-4o:\n    window: {window}\n")
        assert load_models(path).spec("gpt-4o").window == window
        assert load_models(path) is load_models(path)


def test_a_user_file_adds_a_model_with_rules_of_its_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.yaml",
        """
framings:
  plain: {per_message: 2, source: measured}
models:
  acme-7b:
    aliases: [acme]
    provider: acme
    window: 8000
    max_output: 1000
    tokenizer: cl100k_base
    exact: false
    margin: 0.2
    shape: openai
    framing: plain
    tools: openai-functions-10
    source: our own measurements
    as_of: "2026-06-01"
""",
    )
    spec = load_models(path).spec("acme")
    assert (spec.name, spec.framing.per_message, spec.images) == ("acme-7b", 2, None)


def test_files_that_a_row_names_are_found_from_the_table(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    text = "models: {gpt-4o: {tokenizer: acme/tokenizer.json, template: chat.jinja}}"
    spec = load_models(write(folder / "m.yaml", text)).spec("gpt-4o")
    assert spec.tokenizer == str(folder / "acme" / "tokenizer.json")
    assert spec.template == str(folder / "chat.jinja")


def test_a_registered_tokenizer_and_an_absolute_path_stay_as_they_are(tmp_path: Path) -> None:
    away = tmp_path / "away.gguf"
    text = f"models: {{gpt-4o: {{tokenizer: cl100k_base}}, gpt-4: {{tokenizer: {away}}}}}"
    mine = load_models(write(tmp_path / "m.yaml", text))
    assert mine.spec("gpt-4o").tokenizer == "cl100k_base"
    assert mine.spec("gpt-4").tokenizer == str(away)


def test_a_day_without_quotes_is_a_day(tmp_path: Path) -> None:
    text = "models: {gpt-4o: {as_of: 2026-06-01, retired: 2027-01-01}}"
    spec = load_models(write(tmp_path / "m.yaml", text)).spec("gpt-4o")
    assert (spec.as_of, spec.retired) == ("2026-06-01", "2027-01-01")


def test_a_user_file_adds_a_way_of_thinking(tmp_path: Path) -> None:
    text = """
reasoning:
  slow: {control: budget, min_budget: 100, max_budget: 200, source: measured}
models:
  gpt-4o: {reasoning: slow}
"""
    rule = load_models(write(tmp_path / "m.yaml", text)).spec("gpt-4o").reasoning
    assert rule is not None
    assert (rule.max_budget, rule.always, rule.in_output) == (200, False, True)


def test_a_row_of_the_users_own_says_that_it_is(tmp_path: Path) -> None:
    text = "models: {gpt-4o: {evidence: own}}"
    assert load_models(write(tmp_path / "m.yaml", text)).spec("gpt-4o").evidence == "own"


def test_an_empty_user_file_is_the_built_in_table(tmp_path: Path) -> None:
    assert load_models(write(tmp_path / "m.yaml", "")).models == built_in_models().models


@pytest.mark.parametrize(
    ("text", "keys", "near"),
    [
        ("models:\n  gpt-4o:\n    windw: 1\n", ("models.gpt-4o.windw",), "window"),
        ("modles: {}\n", ("modles",), "models"),
        ("framings:\n  x:\n    per_mesage: 1\n", ("framings.x.per_mesage",), "per_message"),
        ("models:\n  gpt-4o:\n    name: x\n", ("models.gpt-4o.name",), ""),
    ],
)
def test_an_unknown_key_is_named_with_its_path_and_the_nearest_one(
    tmp_path: Path, text: str, keys: tuple[str, ...], near: str
) -> None:
    with pytest.raises(UnknownKeyError) as caught:
        load_models(write(tmp_path / "m.yaml", text))
    assert caught.value.keys == keys
    assert near in caught.value.hint


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("models:\n  gpt-4o:\n    window: many\n", "window"),
        ("models:\n  gpt-4o:\n    window: 0\n", "window is 0"),
        ("models:\n  gpt-4o:\n    max_output: 128001\n", "max_output 128001"),
        ("models:\n  gpt-4o:\n    max_input: 128001\n", "max_input 128001"),
        ("models:\n  gpt-4o:\n    margin: 0.1\n", "margin 0.1 of an exact count"),
        ("models:\n  claude-opus-4-1:\n    margin: 2.0\n", "margin 2.0"),
        ("models:\n  gpt-4o:\n    as_of: June\n", "as_of"),
        ("models:\n  gpt-4o:\n    retired: soon\n", "retired 'soon' is not a date"),
        ("models:\n  gpt-4o:\n    framing: nowhere\n", "framing"),
        ("models:\n  gpt-4o:\n    reasoning: nowhere\n", "reasoning"),
        ("models:\n  gpt-4o:\n    evidence: rumour\n", "evidence"),
        ("models:\n  gpt-4o:\n    aliases: [GPT-4]\n", "GPT-4"),
        (
            """
reasoning: {x: {control: budget, min_budget: 2, max_budget: 1, source: s}}
models: {gpt-4o: {reasoning: x}}
""",
            "min_budget of its reasoning is above max_budget",
        ),
        ("models:\n  gpt-4o:\n    aliases: [gpt-4]\n", "gpt-4"),
        ("models:\n  fresh:\n    window: 10\n", "models.fresh"),
        ("models: [gpt-4o]\n", "models is a list, not a mapping"),
        ("just text\n", "not a mapping"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, text: str, part: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_models(write(tmp_path / "m.yaml", text))
    assert part in caught.value.message


@pytest.mark.parametrize("content", [b"models: [", b"\xff\xfe", None])
def test_an_unreadable_user_file_is_an_input_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "m.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"m\.yaml"):
        load_models(path)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("models: {gpt-4o: {framing: [openai]}}", ConfigError, "names ['openai']"),
        ("a: 2024-13-45", InputError, "Cannot read the model table"),
        ("[" * 5000, InputError, "Cannot read the model table"),
    ],
)
def test_a_table_that_no_yaml_reader_takes_is_a_clear_error(
    tmp_path: Path, text: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=re.escape(said)):
        load_models(write(tmp_path / "models.yaml", text))
