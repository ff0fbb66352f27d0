"""`packhorse route`: which model of a list a question goes to, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.models_file import models_file_option
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.window.routing import Route, Weighed

__all__ = ["route"]

SCHEMA_VERSION = "1"
HEADER = ("MODEL", "TIER", "WINDOW", "INPUT", "OUTPUT", "PRICE", "")
UNPRICED = (
    "No price is known, so this is the lowest tier that fits, not the cheapest: give each model a"
    " `price` in the list, or pip install 'packhorse[prices]'"
)
RIGHT = ("WINDOW", "INPUT", "OUTPUT", "PRICE")


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog='Example: packhorse route --query "Who wrote it?" --models mine.yaml'
    " --evidence-tokens 2800",
)
@click.option("--query", help="The question, as plain text.")
@click.option("--query-file", type=click.Path(path_type=Path), help="Read the question from here.")
@click.option(
    "--models",
    "among",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Your models as YAML: name, tier and perhaps price of each; default: three of OpenAI's.",
)
@click.option(
    "--messages",
    type=click.Path(path_type=Path),
    help="Earlier messages or a whole request, as JSON; the question is added at its end.",
)
@click.option(
    "--evidence-tokens",
    type=click.IntRange(min=0),
    default=0,
    help="Tokens of evidence that will be added; default 0.",
)
@click.option(
    "--output-tokens",
    type=click.IntRange(min=1),
    help="Kept free for the answer; default: the request's limit, else by the complexity.",
)
@click.option("--quality", metavar="TIER", help="The tier needed; default: by the complexity.")
@click.option("--max-usd", type=click.FloatRange(min=0), help="Most that the request may cost.")
@click.option("--as-of", help="Day whose prices and retirements count; default: today.")
@models_file_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the model's name alone.")
def route(
    *,
    query: str | None,
    query_file: Path | None,
    among: Path | None,
    messages: Path | None,
    models_files: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Choose the cheapest model whose window, quality tier and price fit, and show the sums.

    The tier that a question needs follows from what can be seen in it: comparisons, choices,
    clauses, relations. Input is counted by each model's own tokenizer; no model is asked. Exit
    code 2 says that no model fits, with the nearest and what would make it fit.
    """
    from packhorse.cli.count_request import read_bodies
    from packhorse.cli.pack import read_query, read_text
    from packhorse.window.route import route as choose

    body = (
        () if messages is None else read_bodies(read_text(messages), str(messages), is_log=False)[0]
    )
    found = choose(
        read_query(query, query_file), among, messages=body, models=models_files, **given
    )
    if not found.is_priced:
        click.echo(f"[WARN] {UNPRICED}", err=True)
    if as_json:
        document = {"schema_version": SCHEMA_VERSION, **_document(found)}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif quiet:
        click.echo(printable(found.model))
    else:
        for line in _said(found):
            click.echo(line)


def _document(found: Route) -> dict[str, Any]:
    chosen = asdict(found.chosen)
    return {
        **asdict(found),
        "chosen": _plain(chosen),
        "others": [_plain(asdict(each)) for each in found.others],
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the measure that only orders misses."""
    misses = [{key: miss[key] for key in ("code", "said", "remedy")} for miss in row["misses"]]
    return {**row, "misses": misses}


def _said(found: Route) -> list[str]:
    """The complexity with its reasons, the table of all models, and the sum of the choice."""
    told = found.complexity
    lines = [f"Complexity {told.score:.2f}, {told.level}; tier needed: {found.needed_tier}"]
    lines += [f"  +{cue.points:.2f}  {cue.said}" for cue in told.cues]
    lines.append("")
    best = "cheapest that fits" if found.is_priced else "lowest tier that fits"
    lines += _table([HEADER, _row(found.chosen, best), *(_row(each) for each in found.others)])
    lines += ["", f"[ROUTE] {printable(found.model)}: {_sum(found.chosen, found.evidence_tokens)}"]
    if found.is_priced:
        lines.append(f"[INFO] Prices of {found.day}: {printable(found.chosen.price_source)}")
    estimated = [
        each.model
        for each in (found.chosen, *found.others)
        if each.input_tokens is not None and not each.exact
    ]
    if estimated:
        lines.append(f"[INFO] Input is an upper estimate: {printable(', '.join(estimated))}")
    return lines


def _row(weighed: Weighed, best: str = "") -> tuple[str, ...]:
    return (
        printable(weighed.model),
        printable(weighed.tier),
        f"{weighed.window:,}",
        "?" if weighed.input_tokens is None else f"{weighed.input_tokens:,}",
        f"{weighed.output_tokens:,}" if weighed.output_tokens else "?",
        "?" if weighed.usd is None else f"${weighed.usd:,.6f}",
        printable("; ".join(weighed.why_not)) or best,
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return [
        "  ".join(
            cell.rjust(width) if name in RIGHT else cell.ljust(width)
            for name, cell, width in zip(HEADER, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _sum(chosen: Weighed, evidence: int) -> str:
    tokens = chosen.input_tokens or 0
    shown = f"{tokens:,} in" + (f" ({evidence:,} of it evidence)" if evidence else "")
    if chosen.usd is None:
        return (
            f"{shown} + {chosen.output_tokens:,} out, price not known;"
            f" {chosen.needs:,} of {chosen.window:,} tokens of the window"
        )
    return (
        f"{shown} x ${chosen.input_price:g} + {chosen.output_tokens:,} out x"
        f" ${chosen.output_price:g} a million = ${chosen.usd:,.6f};"
        f" {chosen.needs:,} of {chosen.window:,} tokens of the window"
    )
