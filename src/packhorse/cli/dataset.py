"""The labelled questions that a command measures on: their options, and reading these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from packhorse.errors import ConfigError

__all__ = ["dataset_options", "read_budgets", "read_embedder"]

_BUDGETS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")


def dataset_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what the budgets charge, which questions count, and what their passages are."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--charge",
        type=click.Choice(["text", "rendered"]),
        default="text",
        show_default=True,
        help="What the budget holds: passages alone, or all that is rendered.",
    ),
    click.option("--limit", type=int, help="Questions of each dataset, from the first on."),
    click.option(
        "--split",
        default="test",
        show_default=True,
        help="Judgements of the BEIR layout that count.",
    ),
    click.option(
        "--kb",
        type=click.Path(path_type=Path),
        help="An index whose chunks are the passages; corpus.jsonl is not read.",
    ),
    click.option(
        "--embedder",
        help="minilm (default), static, none, a PATH.onnx or a URL; --kb has its own.",
    ),
    click.option(
        "--as-of",
        help="Day that freshness is measured from; default: the profile's, the newest passage's.",
    ),
)


def read_budgets(value: str) -> tuple[int, ...]:
    """Budgets in ascending order, from numbers with commas.

    Raises:
        ConfigError: it is something else.
    """
    if not _BUDGETS.fullmatch(value):
        raise ConfigError(
            f"--budgets is {value!r}, not whole numbers with commas", hint="For example 256,512"
        )
    return tuple(sorted(int(budget) for budget in value.split(",")))


def read_embedder(flags: Mapping[str, Any]) -> str:
    """What makes the vectors of passages that have none yet; `index` where they are an index's.

    Raises:
        ConfigError: the passages are those of an index, which has its own.
    """
    named: str | None = flags["embedder"]
    if flags["kb"] is not None and named is not None:
        raise ConfigError(
            "--embedder is for passages without an index, and --kb names one",
            hint="Leave --embedder out, or index anew with it",
        )
    return "index" if flags["kb"] is not None else named or "minilm"
