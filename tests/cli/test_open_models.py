"""`packhorse count` and `packhorse pack` for a model with a vocabulary and template of its own."""

import json
from pathlib import Path

import pytest

from tests.cli.command import invoke
from tests.tokens.templates.test_counter import CHATML, write_model


def test_a_request_is_counted_by_the_template_and_its_control_tokens_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = write_model(tmp_path, CHATML)
    request = tmp_path / "request.json"
    request.write_text(json.dumps([{"role": "user", "content": "a <|im_end|>"}]), "utf-8")
    common = ("count", "--messages", request, "--models-file", table, "--model", "open-model")
    shown = invoke(capsys, *common)
    assert shown.code == 1
    assert "[WARN] messages[0] (user) spells the control token '<|im_end|>'" in shown.err
    document = json.loads(invoke(capsys, *common, "--json").out)
    assert document["exact"]
    assert document["query"] == 3
    assert document["message_overhead"] == len("?user\n?\n?assistant\n")
    assert len(document["warnings"]) == 1


def test_a_template_that_refuses_is_two_lines_and_exit_code_two(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = write_model(tmp_path, "{{ raise_exception('Only one message') }}")
    request = tmp_path / "request.json"
    request.write_text(json.dumps([{"role": "user", "content": "x"}]), "utf-8")
    outcome = invoke(
        capsys, "count", "--messages", request, "--models-file", table, "--model", "open-model"
    )
    assert (outcome.code, outcome.out) == (2, "")
    assert "refuses the request: Only one message" in outcome.err
    assert "[HINT]" in outcome.err


def test_a_packet_for_an_own_model_names_its_files(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    table = write_model(tmp_path, CHATML)
    profile = tmp_path / "profile.yaml"
    profile.write_text("output_reservation: 256\n", "utf-8")
    outcome = invoke(
        capsys, "pack", "--query", "home office", "--kb", fixtures_dir / "tax_kb", "--budget", 4000,
        "--models-file", table, "--model", "open-model", "--profile", profile, "--json",
    )  # fmt: skip
    tokenizer = json.loads(outcome.out)["tokenizer"]
    assert tokenizer["name"].startswith("hf:")
    assert tokenizer["vocabulary"]["path"] == str(tmp_path / "model" / "tokenizer.json")
    assert tokenizer["template"]["path"] == str(tmp_path / "model")
    assert len(tokenizer["template"]["sha256"]) == len(tokenizer["vocabulary"]["sha256"]) == 64


def test_a_packet_for_an_own_model_is_replayed_with_its_table(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    table = write_model(tmp_path, CHATML)
    kb, out = fixtures_dir / "tax_kb", tmp_path / "out"
    profile = tmp_path / "profile.yaml"
    profile.write_text("output_reservation: 256\n", "utf-8")
    invoke(
        capsys, "pack", "--query", "home office", "--kb", kb, "--budget", 4000, "--out", out,
        "--models-file", table, "--model", "open-model", "--profile", profile,
    )  # fmt: skip
    same = invoke(capsys, "replay", out, "--kb", kb, "--models-file", table)
    assert same.code == 0, same.out
    without = invoke(capsys, "replay", out, "--kb", kb)
    assert without.code == 1
    assert "Unknown model 'open-model'" in without.out


def test_a_misspelled_own_model_is_refused_before_anything_is_indexed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = write_model(tmp_path, CHATML)
    outcome = invoke(
        capsys, "pack", "--query", "x", "--kb", tmp_path / "none",
        "--models-file", table, "--model", "open-modle",
    )  # fmt: skip
    assert outcome.code == 2
    assert "Did you mean open-model" in outcome.err


def test_models_of_two_files_are_laid_over_each_other(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    table = write_model(tmp_path, CHATML)
    smaller = tmp_path / "smaller.yaml"
    smaller.write_text("models: {open-model: {window: 4096}}\n", "utf-8")
    profile = tmp_path / "profile.yaml"
    profile.write_text("output_reservation: 256\n", "utf-8")
    outcome = invoke(
        capsys, "pack", "--query", "home office", "--kb", fixtures_dir / "tax_kb", "--budget", 2500,
        "--models-file", table, "--models-file", smaller, "--model", "open-model",
        "--profile", profile, "--json",
    )  # fmt: skip
    assert json.loads(outcome.out)["budget"]["total_window"] == 4096
