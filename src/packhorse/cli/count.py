"""`packhorse count`: tokens of files, of standard input, or of a chat request."""

from __future__ import annotations

import codecs
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCount

__all__ = ["count"]

SCHEMA_VERSION = "1"
STDIN = "-"
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse count report.md notes.txt --model gpt-4o",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--model", default="gpt-4o", show_default=True, help="Model that is counted for.")
@click.option("--tokenizer", help="Count with this vocabulary instead of the model's.")
@click.option(
    "--messages",
    type=click.Path(path_type=Path),
    help="A chat request as JSON, counted with its framing, tools and images; - is stdin.",
)
@click.option(
    "--models-file",
    type=click.Path(path_type=Path),
    help="Models of your own as YAML, laid over the built-in table.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the total alone.")
def count(
    *,
    files: tuple[str, ...],
    model: str,
    tokenizer: str | None,
    messages: Path | None,
    models_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Count the tokens of files, of standard input, or of a chat request.

    Without a file, or with -, standard input is counted. Files are UTF-8; text is data, so the
    spelling of a control token counts as the characters it is.
    """
    if messages is not None and files:
        raise ConfigError(
            "Give files or --messages, not both", hint="Count the request and the files apart"
        )
    spec = _spec(model, models_file)
    counter = _counter(spec, tokenizer)
    document = (
        _count_messages(messages, spec, counter)
        if messages is not None
        else _count_files(files or (STDIN,), counter)
    )
    if as_json:
        about = {"schema_version": SCHEMA_VERSION, "model": spec.name, "window": spec.window}
        shown = {**about, "tokenizer": _about(counter), **document}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2, sort_keys=True))
    elif quiet:
        click.echo(document["total_tokens"])
    else:
        _print(document, counter)


def _spec(model: str, models_file: Path | None) -> ModelSpec:
    from packhorse.tokens.models.table import built_in_models, load_models

    table = built_in_models() if models_file is None else load_models(models_file)
    return table.spec(model)


def _counter(spec: ModelSpec, tokenizer: str | None) -> TokenCounter:
    from packhorse.tokens.registry import counter_named, counter_of

    return counter_of(spec) if tokenizer is None else counter_named(tokenizer)


def _count_files(files: tuple[str, ...], counter: TokenCounter) -> dict[str, Any]:
    counts = counter.count_batch([_read(name) for name in files])
    return {
        "total_tokens": sum(counts),
        "exact": counter.exact,
        "files": [
            {"path": name, "tokens": tokens} for name, tokens in zip(files, counts, strict=True)
        ],
    }


def _count_messages(path: Path, spec: ModelSpec, counter: TokenCounter) -> dict[str, Any]:
    from packhorse.tokens.requests.count import count_request

    counted = count_request(_read_json(path), spec, counter)
    return {
        "total_tokens": counted.total_tokens,
        "exact": counted.exact,
        **counted.lines,
        "messages": [
            {"content": cost.content, "overhead": cost.overhead} for cost in counted.messages
        ],
        "estimated": list(_estimated(counted, counter)),
    }


def _estimated(counted: RequestCount, counter: TokenCounter) -> tuple[str, ...]:
    """Parts whose figures are upper estimates, the tokenizer among them."""
    return counted.estimated if counter.exact else ("tokenizer", *counted.estimated)


def _about(counter: TokenCounter) -> dict[str, Any]:
    return {
        "name": counter.name,
        "library": counter.library,
        "exact": counter.exact,
        "margin": counter.margin,
    }


def _print(document: Mapping[str, Any], counter: TokenCounter) -> None:
    """One line a file or ledger line, the total last, and what counted on stderr."""
    rows = [(entry["path"], entry["tokens"]) for entry in document.get("files", ())]
    if "messages" in document:
        from packhorse.types.ledger import FIXED_LINES

        rows = [(name, document[name]) for name in FIXED_LINES if document[name]]
    if len(rows) > 1:
        rows.append(("total", document["total_tokens"]))
    width = max((len(str(tokens)) for _, tokens in rows), default=1)
    for name, tokens in rows:
        click.echo(f"{tokens:>{width}}  {name}")
    certainty = "exact" if counter.exact else f"estimate, margin {counter.margin:.0%} included"
    click.echo(f"[INFO] Tokenizer: {counter.library} ({counter.name}), {certainty}", err=True)
    if document.get("estimated"):
        click.echo(f"[INFO] Upper estimates: {', '.join(document['estimated'])}", err=True)


def _shown(name: str) -> str:
    return "standard input" if name == STDIN else name


def _read(name: str) -> str:
    """The text of a file or of standard input, without the byte order mark.

    Raises:
        InputError: it cannot be read, or it is not UTF-8 text.
    """
    shown = _shown(name)
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        raise InputError(
            f"Cannot read {shown}: {error.strerror or error}",
            hint="Check the path and its permissions",
        ) from error
    if data.startswith(WIDE_MARKS):
        raise InputError(f"{shown} is UTF-16, not UTF-8", hint="Convert it to UTF-8 first")
    if b"\0" in data:
        raise InputError(
            f"{shown} is a binary file: it holds NUL bytes", hint="Count text files in UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shown} is not UTF-8 text: {error.reason} at byte {error.start}",
            hint="Convert it to UTF-8, or count a text file",
        ) from error


def _read_json(path: Path) -> Any:
    try:
        return json.loads(_read(str(path)))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"{_shown(str(path))} is not JSON: {reason}",
            hint="Give a list of messages, or a request body as the provider takes it",
        ) from error
