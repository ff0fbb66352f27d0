"""`packhorse models` shows the table with its sources."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from packhorse.cli.models import models
from packhorse.errors import ConfigError, UnknownModelError, UnknownStrategyError
from packhorse.tokens.models.table import built_in_models

LINE = 120


def run(*args: str) -> Result:
    return CliRunner().invoke(models, args)


def test_the_table_has_a_row_for_every_model() -> None:
    lines = run().stdout.splitlines()
    assert lines[0].split()[0] == "MODEL"
    assert [line.split()[0] for line in lines[1:]] == [spec.name for spec in built_in_models()]
    row = next(line for line in lines if line.startswith("gpt-4o "))
    parts = ("128,000", "16,384", "o200k_base", "exact", "provider page", "2026-11-30")
    assert all(part in row for part in parts)


def test_the_table_and_every_detail_fit_the_width_of_a_screen() -> None:
    outputs = [run().stdout, *(run(spec.name).stdout for spec in built_in_models().models[::10])]
    assert max(len(line) for text in outputs for line in text.splitlines()) <= LINE


def test_figures_stand_under_each_other() -> None:
    lines = run().stdout.splitlines()
    end = lines[0].index("WINDOW") + len("WINDOW")
    assert all(line[end - 1].isdigit() and line[end] == " " for line in lines[1:])


def test_estimates_show_their_margin() -> None:
    row = next(line for line in run().stdout.splitlines() if line.startswith("claude-sonnet-4-5 "))
    assert "+35%" in row


def test_the_models_of_one_maker() -> None:
    names = run("--provider", "Anthropic", "-q").stdout.split()
    assert names == [spec.name for spec in built_in_models() if spec.provider == "anthropic"]
    assert names


def test_an_unknown_maker_is_refused_with_the_known_ones() -> None:
    error = run("--provider", "acme").exception
    assert isinstance(error, UnknownStrategyError)
    assert error.known == ("anthropic", "deepseek", "google", "meta", "mistral", "openai", "qwen")


def test_a_model_and_a_maker_at_once_are_refused() -> None:
    assert isinstance(run("gpt-4o", "--provider", "openai").exception, ConfigError)


@pytest.mark.parametrize("name", ["gpt-5", "gpt-5-2025-08-07", "openai/GPT-5"])
def test_one_model_is_shown_in_full(name: str) -> None:
    text = run(name).stdout
    parts = ("gpt-5-2025-08-07", "272,000", "Cookbook", "images", "quoted page", "tiktoken")
    assert all(part in text for part in parts)


def test_a_model_without_an_image_rule_shows_none() -> None:
    assert "images" not in run("o3-mini").stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-4o", "none"),
        ("gpt-5", "always on, set by effort, part of max output, of earlier turns not counted"),
        ("claude-opus-4-5", "can be off, budget 1,024 to max output tokens"),
        ("gemini-2.5-pro", "always on, budget 128 to 32,768 tokens, part of max output"),
        ("qwen3.8-max", "can be off, set by switch, besides max output"),
        ("deepseek-r1", "always on, part of max output"),
    ],
)
def test_what_thinking_takes_is_said(name: str, said: str) -> None:
    line = next(line for line in run(name).stdout.splitlines() if line.startswith("reasoning"))
    assert said in line


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-4o", "a million tokens: $2.5 input, $1.25 cached input, $10 output (genai-prices"),
        ("gpt-5.5", "more above 272,000 tokens of input"),
        ("deepseek-v4-pro", "by the hour of the day"),
        ("llama-4-scout", "not known to genai-prices"),
    ],
)
def test_prices_are_shown_with_their_list(name: str, said: str) -> None:
    text = " ".join(run(name).stdout.split())
    assert said in text


def test_without_the_price_list_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    result = run("gpt-4o")
    assert result.exit_code == 0
    line = next(line for line in result.stdout.splitlines() if line.startswith("price"))
    assert line.split(maxsplit=1)[1] == (
        "not shown. Install it with: pip install 'packhorse[prices]'"
    )
    document = json.loads(run("gpt-4o", "--json").stdout)
    assert document["models"][0]["price"] is None
    assert document["prices"]["source"] is None
    assert "packhorse[prices]" in document["prices"]["hint"]


def test_a_model_that_its_provider_retires_says_so() -> None:
    assert "2026-12-11" in run("gpt-5").stdout
    assert "retired" not in run("claude-opus-5-5").stdout


def test_json_holds_every_figure_with_its_source() -> None:
    document = json.loads(run("--json").stdout)
    assert document["schema_version"] == "1"
    rows = {row["name"]: row for row in document["models"]}
    assert len(rows) == len(built_in_models().models)
    assert rows["gpt-4o"]["window"] == 128_000
    assert rows["gpt-4o"]["exact"] is True
    assert rows["gpt-4o"]["evidence"] == "provider page"
    assert rows["gpt-4o"]["framing"]["per_message"] == 3
    assert rows["gpt-5"]["reasoning"]["always"] is True
    assert rows["gpt-4o"]["price"]["input"] == 2.5
    assert rows["qwen3-8b"]["price"] is None
    assert document["prices"]["source"].startswith("genai-prices ")
    assert [row["name"] for row in json.loads(run("gpt-4o", "--json").stdout)["models"]] == [
        "gpt-4o"
    ]


def test_quiet_prints_names_alone() -> None:
    assert run("-q", "gpt-4o-2024-08-06").stdout == "gpt-4o\n"


def test_models_of_the_users_own_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("models: {gpt-4o: {window: 99000, template: t.jinja}}\n", encoding="utf-8")
    text = run("gpt-4o", "--models-file", str(path)).stdout
    assert "99,000" in text
    assert "t.jinja" in text


def test_rules_of_the_users_own_need_no_day(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(
        "framings: {mine: {per_message: 1, source: measured here}}\n"
        "models: {gpt-4o: {framing: mine}}\n",
        encoding="utf-8",
    )
    text = run("gpt-4o", "--models-file", str(path)).stdout
    assert "framing       measured here\n" in text


def test_a_model_whose_tokenizer_has_no_source_shows_none(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("models: {gpt-4o: {tokenizer_source: null}}\n", encoding="utf-8")
    lines = run("gpt-4o", "--models-file", str(path)).stdout.splitlines()
    after = lines[[line.split()[0] for line in lines].index("tokenizer") + 1]
    assert after.startswith("shape")


def test_an_unknown_model_is_refused() -> None:
    assert isinstance(run("gpt-99").exception, UnknownModelError)
