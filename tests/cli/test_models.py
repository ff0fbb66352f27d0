"""`packhorse models` shows the table with its sources."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from packhorse.cli.models import models
from packhorse.errors import UnknownModelError
from packhorse.tokens.models.table import built_in_models


def run(*args: str) -> Result:
    return CliRunner().invoke(models, args)


def test_the_table_has_a_row_for_every_model() -> None:
    lines = run().stdout.splitlines()
    assert lines[0].split()[0] == "MODEL"
    assert [line.split()[0] for line in lines[1:]] == [spec.name for spec in built_in_models()]
    row = next(line for line in lines if line.startswith("gpt-4o "))
    assert all(part in row for part in ("128,000", "16,384", "o200k_base", "exact", "OpenAI API"))


def test_estimates_show_their_margin() -> None:
    row = next(line for line in run().stdout.splitlines() if line.startswith("claude-sonnet-4-5 "))
    assert "estimate +35%" in row


@pytest.mark.parametrize("name", ["gpt-5", "gpt-5-2025-08-07"])
def test_one_model_is_shown_in_full(name: str) -> None:
    text = run(name).stdout
    assert all(part in text for part in ("gpt-5-2025-08-07", "272,000", "Cookbook", "images"))


def test_a_model_without_an_image_rule_shows_none() -> None:
    assert "images" not in run("o3-mini").stdout


def test_json_holds_every_figure_with_its_source() -> None:
    document = json.loads(run("--json").stdout)
    assert document["schema_version"] == "1"
    rows = {row["name"]: row for row in document["models"]}
    assert len(rows) == len(built_in_models().models)
    assert rows["gpt-4o"]["window"] == 128_000
    assert rows["gpt-4o"]["exact"] is True
    assert rows["gpt-4o"]["framing"]["per_message"] == 3
    assert [row["name"] for row in json.loads(run("gpt-4o", "--json").stdout)["models"]] == [
        "gpt-4o"
    ]


def test_quiet_prints_names_alone() -> None:
    assert run("-q", "gpt-4o-2024-08-06").stdout == "gpt-4o\n"


def test_models_of_the_users_own_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("models: {gpt-4o: {window: 99000}}\n", encoding="utf-8")
    assert "99,000" in run("gpt-4o", "--models-file", str(path)).stdout


def test_an_unknown_model_is_refused() -> None:
    assert isinstance(run("gpt-99").exception, UnknownModelError)
