"""`packhorse calibrate`: how far counts are from what a provider reported, and the correction."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.models_file import models_file_option
from packhorse.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from packhorse.usage.calibrate import UsageResult

__all__ = ["calibrate"]

SCHEMA_VERSION = "1"
MAX_LISTED = 5
EXIT_WARNING = 1
FORMATS = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-contents")


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse calibrate requests.jsonl --out calibration.yaml",
)
@click.argument("logs", nargs=-1, metavar="LOG...", type=click.Path(path_type=Path))
@click.option("--model", help="Count every request for this model, whatever the log names.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the corrections here, for --models-file of other commands.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Look at requests of this format alone.",
)
@click.option(
    "--cover",
    type=float,
    default=1.0,
    show_default=True,
    help="Share of requests that a correction must not leave counted too low, 0.5 to 1.",
)
@models_file_option
@click.option("--skip-bad-lines", is_flag=True, help="Go on without lines that cannot be used.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the table and warnings only.")
def calibrate(
    *,
    logs: tuple[Path, ...],
    model: str | None,
    out: Path | None,
    form: str | None,
    cover: float,
    models_files: tuple[Path, ...],
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare counts with the usage that a provider reported, and correct them.

    A line of LOG is {"timestamp", "request", "response": {"usage"}}, or has "usage" beside the
    "request". No text of a request is printed or written. A correction takes 10 different
    requests of a model whose tokenizer is exact, 30 of an estimated one, and 100 to lower counts.

    Exit code 0 means that every model got a correction or needs none; 1 that something was left
    out or some model got none; 2 that nothing could be compared, or nothing written to --out.
    """
    from packhorse.tokens.models.table import built_in_models, load_models
    from packhorse.usage.calibrate import Options
    from packhorse.usage.calibrate import calibrate as compare

    _check(logs, models_files, out, cover)
    table = load_models(*models_files) if models_files else built_in_models()
    options = Options(model=model, form=form, cover=cover, skip_bad_lines=skip_bad_lines)
    with _bar(logs, quiet=quiet or as_json) as advance:
        result = compare(logs, table, options, advance)
    corrections = {
        each.spec.name: each.calibration for each in result.models if each.calibration is not None
    }
    if out is not None and corrections:
        from packhorse.usage.overlay import write_overlay

        write_overlay(corrections, out)
    lines = list(_said(result, out if corrections else None))
    _print(result, lines, as_json=as_json, quiet=quiet)
    if out is not None and not corrections:
        raise InputError(
            f"Nothing was written to {out}: no model got a correction",
            hint="The reasons stand above; more requests, or --cover, may help",
        )
    return EXIT_WARNING if any(level == "WARN" for level, _ in lines) else 0


def _check(
    logs: tuple[Path, ...], models_files: tuple[Path, ...], out: Path | None, cover: float
) -> None:
    if not logs:
        raise ConfigError("No log to read", hint="Name files of one JSON object a line")
    if not 0.5 <= cover <= 1.0:  # noqa: PLR2004 - less than half is no cover
        raise ConfigError(f"--cover is {cover}, not between 0.5 and 1", hint="Write --cover 0.99")
    inputs = [(log, "the log") for log in logs]
    inputs += [(file, "the --models-file") for file in models_files]
    for path, role in inputs:
        if out is not None and out.exists() and path.exists() and out.samefile(path):
            raise ConfigError(f"--out {out} is {role} itself", hint="Name another file")
    for log in logs:
        if log.exists() and not log.is_file():
            raise InputError(
                f"{log} is not a file", hint="Give a regular file: a log is read twice"
            )


@contextmanager
def _bar(logs: tuple[Path, ...], *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar over the bytes of both readings, on a terminal; nothing at all elsewhere."""
    total = 2 * sum(log.stat().st_size for log in logs if log.exists())
    if quiet or not total or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label="Counting", file=sys.stderr) as bar:
        yield bar.update


def _print(
    result: UsageResult, lines: list[tuple[str, str]], *, as_json: bool, quiet: bool
) -> None:
    from packhorse.usage.rows import HEADER, difference_rows, table_lines, usage_document

    if as_json:
        document = {"schema_version": SCHEMA_VERSION, **usage_document(result)}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    else:
        for line in table_lines([HEADER, *difference_rows(result)]):
            click.echo(line)
    for level, text in lines:
        if level == "WARN" or not quiet:
            click.echo(f"[{level}] {text}", err=True)


def _said(result: UsageResult, written: Path | None) -> Iterator[tuple[str, str]]:
    """(level, text) lines: what was passed over, what was decided, what was written."""
    from packhorse.usage.rows import correction_lines

    log = result.log
    yield "INFO", "Differences are reported - counted, in tokens; above 0 the count is too low"
    for n, what in (
        (log.n_without_usage, "without a reported usage"),
        (log.n_elsewhere, "of which a part is with the provider, not in the log"),
        (result.n_other_forms, "of another format"),
    ):
        if n:
            yield "INFO", f"Passed over: {n:,} {'request' if n == 1 else 'requests'} {what}"
    for name, n in sorted(result.unknown.items()):
        yield "WARN", f"Unknown model {name}: {n:,} {'request' if n == 1 else 'requests'} left out"
    for bad in log.bad_lines[:MAX_LISTED]:
        yield "WARN", f"Left out: {bad.reason}, {bad.path} line {bad.line}"
    if log.n_bad > MAX_LISTED:
        yield "WARN", f"Left out: {log.n_bad - MAX_LISTED:,} bad lines more; --json lists them"
    for model in result.models:
        yield from correction_lines(model)
    if written is not None:
        yield "INFO", f"Corrections: {written}; use them with --models-file {written}"
