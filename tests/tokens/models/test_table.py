"""The model table is complete, dated, unambiguous, and open to a user's rows."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from packhorse.errors import ConfigError, InputError, UnknownKeyError, UnknownModelError
from packhorse.tokens.models.table import REFERENCES, built_in_models, load_models, model_spec


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
        ("o3", 200_000, 100_000),
        ("claude-sonnet-4-5", 200_000, 64_000),
        ("claude-3-5-sonnet", 200_000, 8_192),
        ("gemini-1.5-pro", 2_097_152, 8_192),
    ],
)
def test_known_limits(model: str, window: int, max_output: int) -> None:
    spec = model_spec(model)
    assert (spec.window, spec.max_output) == (window, max_output)


def test_every_row_has_a_source_and_a_day() -> None:
    for spec in built_in_models():
        assert spec.source
        assert date.fromisoformat(spec.as_of) >= date(2024, 1, 1)
        assert spec.framing.source
        assert spec.tools.source


def test_no_name_or_alias_means_two_models() -> None:
    names = Counter(name for spec in built_in_models() for name in (spec.name, *spec.aliases))
    assert [name for name, times in names.items() if times > 1] == []


def test_an_alias_finds_its_model() -> None:
    assert model_spec("gpt-4o-2024-08-06") is model_spec("gpt-4o")


def test_only_public_tokenizers_are_called_exact() -> None:
    assert {spec.provider for spec in built_in_models() if spec.exact} == {"openai"}
    assert all(spec.margin > 0 for spec in built_in_models() if not spec.exact)


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
    table = load_models(write(tmp_path / "m.yaml", "models:\n  gpt-4o:\n    window: 64000\n"))
    assert table.spec("gpt-4o").window == 64_000
    assert table.spec("gpt-4o").max_output == 16_384
    assert table.spec("gpt-4") == model_spec("gpt-4")
    assert model_spec("gpt-4o").window == 128_000


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
        ("models:\n  gpt-4o:\n    framing: nowhere\n", "framing"),
        ("models:\n  gpt-4o:\n    aliases: [gpt-4]\n", "gpt-4"),
        ("models:\n  fresh:\n    window: 10\n", "models.fresh"),
        ("models: [gpt-4o]\n", "models is list"),
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
