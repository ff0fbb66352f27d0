"""`packhorse count` prints what was counted, and refuses what is no text."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from packhorse.cli.count import count
from packhorse.errors import ConfigError, InputError, PackhorseError, UnknownModelError
from tests.cli.command import invoke
from tests.tokens.vocabularies.samples import SAMPLES


def run(*args: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(count, args, input=stdin)


def as_json(*args: str, stdin: str | bytes = "") -> Any:
    result = run(*args, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def error_of(*args: str, stdin: str | bytes = "") -> PackhorseError:
    result = run(*args, stdin=stdin)
    assert isinstance(result.exception, PackhorseError)
    assert result.stdout == ""
    return result.exception


def test_standard_input_is_counted_without_a_file_and_with_a_dash() -> None:
    assert as_json(stdin="hello world")["total_tokens"] == 2
    assert as_json("-", stdin="hello world")["total_tokens"] == 2


def test_files_are_counted_one_by_one_and_summed(tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("hello", encoding="utf-8")
    second.write_text("hello world", encoding="utf-8")
    result = run(str(first), str(second))
    assert result.stdout.splitlines() == [f"1  {first}", f"2  {second}", "3  total"]
    assert result.stderr == "[INFO] Tokenizer: toktok-rs (o200k_base), exact\n"
    assert run(str(first), str(second), "-q").stdout == "3\n"


def test_json_says_what_counted() -> None:
    document = as_json("--model", "gpt-4o", stdin="<|endoftext|>")
    assert document == {
        "schema_version": "1",
        "model": "gpt-4o",
        "window": 128_000,
        "tokenizer": {
            "name": "o200k_base",
            "library": "toktok-rs",
            "exact": True,
            "margin": 0.0,
        },
        "total_tokens": 7,
        "exact": True,
        "files": [{"path": "-", "tokens": 7}],
    }


def test_an_estimate_is_called_one() -> None:
    document = as_json("--model", "claude-sonnet-4-5", stdin="hello")
    assert document["exact"] is False
    result = run("--model", "claude-sonnet-4-5", stdin="hello")
    assert "estimate, margin 35% included" in result.stderr


def test_a_tokenizer_can_be_named() -> None:
    document = as_json("--tokenizer", "cl100k_base", stdin="hello")
    assert document["tokenizer"]["name"] == "cl100k_base"


def test_models_of_the_users_own_are_known(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("models: {gpt-4o: {window: 64000}}\n", encoding="utf-8")
    assert as_json("--models-file", str(path), stdin="x")["window"] == 64_000


def test_a_byte_order_mark_is_no_text() -> None:
    assert as_json(stdin=b"\xef\xbb\xbfhello")["total_tokens"] == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x00\x01", "binary"),
        ("hello".encode("utf-16"), "UTF-16"),
        (b"caf\xe9", "byte 3"),
    ],
)
def test_what_is_no_utf_8_text_is_refused_by_name(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "odd.bin"
    path.write_bytes(content)
    error = error_of(str(path))
    assert isinstance(error, InputError)
    assert "odd.bin" in error.message
    assert reason in error.message


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "nowhere" in error_of(str(tmp_path / "nowhere")).message
    assert isinstance(error_of(str(tmp_path)), InputError)


def test_another_models_vocabulary_is_not_exact_for_a_model_that_was_named() -> None:
    assert as_json("--tokenizer", "cl100k_base", stdin="x")["exact"]
    assert as_json("--tokenizer", "o200k_base", "--model", "gpt-4o", stdin="x")["exact"]
    assert not as_json("--tokenizer", "cl100k_base", "--model", "gpt-4o", stdin="x")["exact"]
    shown = run("--tokenizer", "cl100k_base", "--model", "claude-sonnet-4-5", stdin="x")
    assert "not exact for this model" in shown.stderr
    assert "cl100k_base is not known to be the vocabulary of claude-sonnet-4-5" in shown.stderr


def test_standard_input_is_read_once() -> None:
    assert isinstance(error_of("-", "-", stdin="x"), ConfigError)


def test_an_empty_name_is_no_model() -> None:
    assert isinstance(error_of("--model", "", stdin="x"), UnknownModelError)


def test_a_price_is_that_of_a_request() -> None:
    assert "--prices needs --messages" in error_of("--prices", stdin="x").message


def test_a_tokenizer_can_be_a_file(tmp_path: Path) -> None:
    path = SAMPLES["hf byte-level"](tmp_path)
    document = as_json("--tokenizer", str(path), stdin="The refund window <think>")
    assert document["total_tokens"] > 4
    assert document["tokenizer"]["library"] == "tokenizers"
    assert document["tokenizer"]["name"].startswith("hf:")
    assert str(tmp_path) not in json.dumps(document["tokenizer"])


def test_a_tokenizer_file_that_is_none_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "tokenizer.json"
    assert "Cannot read the vocabulary" in error_of("--tokenizer", str(wrong), stdin="x").message
    wrong.write_text('{"bos_token": "<s>"}', encoding="utf-8")
    error = error_of("--tokenizer", str(wrong), stdin="x")
    assert "has no `model`" in error.message
    assert error.hint


def test_an_unknown_model_or_tokenizer_is_refused() -> None:
    assert isinstance(error_of("--model", "gpt-99", stdin="x"), UnknownModelError)
    assert "o200k_base" in error_of("--tokenizer", "nope", stdin="x").hint


def test_files_and_messages_together_are_refused() -> None:
    assert isinstance(error_of("a.txt", "--messages", "m.json"), ConfigError)


def test_an_error_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, "count", "no\x1b[2Jfile\u202e.txt")
    assert outcome.code == 2
    assert "no\\x1b[2Jfile\\u202e.txt" in outcome.err
    assert "\x1b" not in outcome.err
