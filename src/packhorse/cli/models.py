"""`packhorse models`: the model table, with the source and date of every row."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["models"]

SCHEMA_VERSION = "1"
HEADER = ("MODEL", "WINDOW", "OUTPUT", "TOKENIZER", "COUNT", "AS OF", "SOURCE")


@click.command(context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse models gpt-4o --json")
@click.argument("model", required=False)
@click.option(
    "--models-file",
    type=click.Path(path_type=Path),
    help="Models of your own as YAML, laid over the built-in table.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the names alone.")
def models(*, model: str | None, models_file: Path | None, as_json: bool, quiet: bool) -> None:
    """Show the known models: limits, tokenizer, exact or estimate, source and date.

    With a MODEL, everything that is known about that one, aliases and provider rules included.
    """
    from packhorse.tokens.models.table import built_in_models, load_models

    table = built_in_models() if models_file is None else load_models(models_file)
    specs = table.models if model is None else (table.spec(model),)
    if as_json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "models": [asdict(spec) for spec in specs],
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif quiet:
        for spec in specs:
            click.echo(spec.name)
    elif model is None:
        _print_table([HEADER, *(_row(spec) for spec in specs)])
    else:
        for name, value in _details(specs[0]):
            click.echo(f"{name:<12}  {value}")


def _row(spec: ModelSpec) -> tuple[str, ...]:
    return (
        spec.name,
        f"{spec.window:,}",
        f"{spec.max_output:,}",
        spec.tokenizer,
        _certainty(spec),
        spec.as_of,
        spec.source,
    )


def _certainty(spec: ModelSpec) -> str:
    return "exact" if spec.exact else f"estimate +{spec.margin:.0%}"


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _details(spec: ModelSpec) -> Iterable[tuple[str, Any]]:
    yield "model", spec.name
    if spec.aliases:
        yield "aliases", ", ".join(spec.aliases)
    yield "provider", spec.provider
    yield "window", f"{spec.window:,} tokens, input and output together"
    if spec.max_input is not None:
        yield "max input", f"{spec.max_input:,} tokens"
    yield "max output", f"{spec.max_output:,} tokens"
    yield "tokenizer", f"{spec.tokenizer}, {_certainty(spec)}"
    yield "shape", spec.shape
    yield "framing", _rule(spec.framing.source, published=spec.framing.published)
    yield "tools", _rule(spec.tools.source, published=spec.tools.published)
    if spec.images is not None:
        yield "images", _rule(spec.images.source, published=spec.images.published)
    yield "source", f"{spec.source} ({spec.as_of})"


def _rule(source: str, *, published: bool) -> str:
    return source if published else f"{source} (no published rule)"
