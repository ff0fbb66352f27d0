"""`packhorse models`: the model table, with the source and date of every row."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.models_file import models_file_option
from packhorse.errors import ConfigError, MissingExtraError, UnknownStrategyError
from packhorse.usage.words import evidence, in_words, seen_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from packhorse.tokens.models.prices import ModelPrice, PriceList
    from packhorse.tokens.models.spec import ModelSpec, ReasoningRule
    from packhorse.tokens.models.table import ModelTable

__all__ = ["models"]

SCHEMA_VERSION = "1"
HEADER = ("MODEL", "WINDOW", "OUTPUT", "TOKENIZER", "COUNT", "READ IN", "AS OF")
RIGHT = ("WINDOW", "OUTPUT")
WIDTH = 110
LABEL = 14


@click.command(context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse models gpt-4o --json")
@click.argument("model", required=False)
@click.option("--provider", help="Only the models of this maker, e.g. anthropic.")
@models_file_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the names alone.")
def models(
    *,
    model: str | None,
    provider: str | None,
    models_files: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Show the known models: limits, tokenizer, exact or estimate, kind of source and date.

    COUNT is `exact`, or the share that an estimate adds. With a MODEL, everything that is known
    about that one: aliases, rules, reasoning, prices, and where each figure was read.
    """
    from packhorse.tokens.models.table import load_models

    if model is not None and provider is not None:
        raise ConfigError("Give a model or --provider, not both", hint="Leave one of them out")
    table = load_models(*models_files)
    specs = _chosen(table, model, provider)
    if as_json:
        _print_json(specs)
    elif quiet:
        for spec in specs:
            click.echo(spec.name)
    elif model is None:
        _print_table([HEADER, *(_row(spec) for spec in specs)])
    else:
        for name, value in _details(specs[0]):
            _print_detail(name, value)


def _chosen(table: ModelTable, model: str | None, provider: str | None) -> Sequence[ModelSpec]:
    if model is not None:
        return (table.spec(model),)
    if provider is None:
        return table.models
    chosen = [spec for spec in table if spec.provider == provider.casefold()]
    if not chosen:
        raise UnknownStrategyError("provider", provider, sorted({spec.provider for spec in table}))
    return chosen


def _print_json(specs: Sequence[ModelSpec]) -> None:
    prices, day = _price_list(), _today()
    rows = []
    for spec in specs:
        price = None if isinstance(prices, MissingExtraError) else prices.price(spec, day)
        rows.append({**asdict(spec), "price": None if price is None else asdict(price)})
    document = {
        "schema_version": SCHEMA_VERSION,
        "prices": {
            "source": None if isinstance(prices, MissingExtraError) else prices.source,
            "day": day.isoformat(),
            "hint": prices.hint if isinstance(prices, MissingExtraError) else None,
        },
        "models": rows,
    }
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))


def _row(spec: ModelSpec) -> tuple[str, ...]:
    return (
        spec.name,
        f"{spec.window:,}",
        f"{spec.max_output:,}",
        spec.tokenizer,
        "exact" if spec.exact else f"+{spec.margin:.0%}",
        spec.evidence,
        spec.as_of,
    )


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    for row in rows:
        cells = [
            cell.rjust(width) if name in RIGHT else cell.ljust(width)
            for name, cell, width in zip(HEADER, row, widths, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _print_detail(name: str, value: str) -> None:
    lines = textwrap.wrap(value, WIDTH - LABEL, break_long_words=False, break_on_hyphens=False)
    for label, line in zip([name, *[""] * len(lines)], lines, strict=False):
        click.echo(f"{label:<{LABEL}}{line}")


def _details(spec: ModelSpec) -> Iterator[tuple[str, str]]:
    yield "model", spec.name
    if spec.aliases:
        yield "aliases", ", ".join(spec.aliases)
    yield "provider", spec.provider
    if spec.retired is not None:
        yield "retired", f"{spec.retired}, by its provider's notice"
    yield "window", f"{spec.window:,} tokens, input and output together"
    if spec.max_input is not None:
        yield "max input", f"{spec.max_input:,} tokens"
    yield "max output", f"{spec.max_output:,} tokens"
    yield "read in", f"{spec.evidence}, {spec.as_of}: {spec.source}"
    certainty = "exact" if spec.exact else f"estimate, {spec.margin:.0%} added"
    yield "tokenizer", f"{spec.tokenizer}, {certainty}"
    if spec.tokenizer_source is not None:
        yield "", spec.tokenizer_source
    if spec.template is not None:
        yield "template", spec.template
    yield "shape", spec.shape
    for name, rule in (("framing", spec.framing), ("tools", spec.tools), ("images", spec.images)):
        if rule is not None:
            yield name, _said(rule.source, rule.as_of, published=rule.published)
    if spec.reasoning is None:
        yield "reasoning", "none"
    else:
        thinking = spec.reasoning
        yield "reasoning", _reasoning(thinking)
        yield "", _said(thinking.source, thinking.as_of, published=thinking.published)
    if spec.calibration is not None:
        yield "calibration", in_words(spec.calibration)
        yield "", f"from {evidence(spec.calibration)}"
        yield "", f"seen {seen_ranges(spec.calibration)}"
    yield "price", _price(spec)


def _said(source: str, as_of: str, *, published: bool) -> str:
    day = f" ({as_of})" if as_of else ""
    return f"{source}{day}" if published else f"{source}{day}; no published rule"


def _reasoning(rule: ReasoningRule) -> str:
    """What a reader asks of it: can it be off, how much may it take, does it come back."""
    parts = ["always on" if rule.always else "can be off"]
    if rule.control == "budget":
        least = f"{rule.min_budget or 0:,}"
        most = "max output" if rule.max_budget is None else f"{rule.max_budget:,}"
        parts.append(f"budget {least} to {most} tokens")
    elif rule.control != "none":
        parts.append(f"set by {rule.control}")
    parts.append("part of max output" if rule.in_output else "besides max output")
    if rule.earlier_turns is not None:
        parts.append(f"of earlier turns {'counted' if rule.earlier_turns else 'not counted'}")
    return ", ".join(parts)


def _price(spec: ModelSpec) -> str:
    prices, day = _price_list(), _today()
    if isinstance(prices, MissingExtraError):
        return f"not shown. {prices.hint}"
    price = prices.price(spec, day)
    if price is None:
        return f"not known to {prices.source}"
    return f"a million tokens: {_dollars(price)} ({prices.source}, {day.isoformat()})"


def _dollars(price: ModelPrice) -> str:
    named = {
        "input": price.input,
        "cached input": price.cached_input,
        "output": price.output,
    }
    said = ", ".join(f"${value:.10g} {name}" for name, value in named.items() if value is not None)
    if price.dearer_above is not None:
        said += f", more above {price.dearer_above:,} tokens of input"
    return said + (", by the hour of the day" if price.varies_by_hour else "")


def _price_list() -> PriceList | MissingExtraError:
    """The installed prices, or what says how to install them: a missing list is no failure."""
    from packhorse.tokens.models.prices import PriceList

    try:
        return PriceList()
    except MissingExtraError as missing:
        return missing


def _today() -> date:
    from datetime import UTC, datetime

    # Prices change from day to day; they are shown and never become part of a packet.
    return datetime.now(UTC).date()
