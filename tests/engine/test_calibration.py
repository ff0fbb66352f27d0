"""A framing row that is wrong on purpose is corrected by what a real engine reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import invoke
from tests.engine.server import Engine, model_file, serving

SENTENCES = (
    "Hello.",
    "Which day is it?",
    "Write one line about rivers.",
    "Count to three: one, two, three.",
)
LOGGED = 12
LATER = 4

MODELS = """
framings:
  far-off: {per_message: 1, reply: 0, source: wrong on purpose}
tools:
  none: {kind: schema, source: wrong on purpose}
models:
  small:
    provider: local
    window: 2048
    max_output: 512
    tokenizer: PATH
    exact: true
    shape: openai
    framing: far-off
    tools: none
    source: the file itself
    as_of: "2026-11-30"
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with serving(model_file()) as server:
        yield server


def chat(number: int) -> dict[str, Any]:
    """A short conversation, with instructions in every second one."""
    turns = [
        {"role": ("user", "assistant")[place % 2], "content": SENTENCES[(number + place) % 4]}
        for place in range(1 + 2 * (number % 3))
    ]
    turns[-1]["content"] += f" Case {number}."
    system = [{"role": "system", "content": "You are terse."}] if number % 2 else []
    return {"model": "small", "messages": [*system, *turns]}


def test_counts_equal_the_engine_after_calibration_and_not_before(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models, log, out = tmp_path / "models.yaml", tmp_path / "log.jsonl", tmp_path / "c.yaml"
    models.write_text(MODELS.replace("PATH", str(model_file())), encoding="utf-8")
    answers = [
        (body, engine.post("/v1/chat/completions", {**body, "max_tokens": 1}))
        for body in map(chat, range(LOGGED))
    ]
    lines = [json.dumps({"request": body, "response": answer}) for body, answer in answers]
    log.write_text("\n".join(lines), encoding="utf-8")
    done = invoke(capsys, "calibrate", log, "--models-file", models, "--out", out)
    assert done.code == 0, done.err
    assert "100% to the token, none too low" in done.err

    later = [chat(number) for number in range(LOGGED, LOGGED + LATER)]
    told = [engine.prompt_tokens(body) for body in later]
    before, after = (
        counts(later, tmp_path, capsys, *files) for files in ((models,), (models, out))
    )
    assert all(count < tokens for count, tokens in zip(before, told, strict=True))
    assert after == told


def counts(
    bodies: list[dict[str, Any]], folder: Path, capsys: pytest.CaptureFixture[str], *files: Path
) -> list[int]:
    """What `packhorse count` says of each request with these models."""
    path = folder / "later.jsonl"
    path.write_text("\n".join(map(json.dumps, bodies)), encoding="utf-8")
    flags = [flag for file in files for flag in ("--models-file", file)]
    shown = invoke(capsys, "count", "--messages", path, "--offline", "--json", *flags)
    assert shown.code == 0, shown.err
    return [each["total_tokens"] for each in json.loads(shown.out)["requests"]]
