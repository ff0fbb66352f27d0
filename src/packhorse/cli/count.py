"""`packhorse count`: tokens of files, of standard input, or of a chat request."""

from __future__ import annotations

import codecs
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli import count_request as requests
from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.count_request import MODEL, model_document
from packhorse.cli.counting import Ways
from packhorse.cli.models_file import models_file_option
from packhorse.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.cli.count_request import Counted
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.models.table import ModelTable

__all__ = ["count"]

SCHEMA_VERSION = "1"
STDIN = "-"
JSON_LINES = (".jsonl", ".ndjson")
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse count report.md notes.txt --model gpt-4o",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--model",
    help=f"Model that is counted for; default: the one that each request names, else {MODEL}.",
)
@click.option(
    "--tokenizer",
    help="Count with this vocabulary instead of the model's: its name, or a file or folder.",
)
@click.option(
    "--messages",
    type=click.Path(path_type=Path),
    help="A chat request as JSON, counted with its framing, tools and images; - is stdin."
    " A .jsonl file holds one request a line.",
)
@click.option("-v", "--per-message", is_flag=True, help="With --messages: one line a message too.")
@click.option("--prices", is_flag=True, help="With --messages: what the request costs in money.")
@models_file_option
@click.option(
    "--endpoint",
    metavar="URL",
    help="Count with the llama.cpp or vLLM server at this address; #NAME behind it names a model.",
)
@click.option("--offline", is_flag=True, help="Never ask a provider, whatever keys are set.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the total alone.")
def count(
    *,
    files: tuple[str, ...],
    model: str | None,
    tokenizer: str | None,
    messages: Path | None,
    per_message: bool,
    prices: bool,
    models_files: tuple[Path, ...],
    endpoint: str | None,
    offline: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Count the tokens of files, of standard input, or of a chat request.

    Without a file, or with -, standard input is counted. Files are UTF-8, without the byte order
    mark; text is data, so the spelling of a control token counts as the characters it is.
    Exit code 1 says that there is a warning, for example a request that does not fit.
    """
    _check(files, messages, prices=prices, per_message=per_message)
    ways = Ways(tokenizer=tokenizer, endpoint=endpoint, offline=offline)
    if messages is not None:
        return _count_messages(
            messages,
            model,
            models_files,
            ways,
            as_json=as_json,
            quiet=quiet,
            per_message=per_message,
            prices=prices,
        )
    spec = _table(models_files).spec(MODEL if model is None else model)
    who = ways.who(spec, is_named=model is not None)
    counter = who.counter
    document = _count_files(files or (STDIN,), counter)
    if as_json:
        _print_json({**model_document(spec, counter), **document})
    elif quiet:
        click.echo(document["total_tokens"])
    else:
        _print(document, counter)
        _say_advice(who.advice)
    return 0


def _check(
    files: tuple[str, ...], messages: Path | None, *, prices: bool, per_message: bool
) -> None:
    """Refuses arguments that cannot be meant together."""
    if messages is not None and files:
        raise ConfigError(
            "Give files or --messages, not both", hint="Count the request and the files apart"
        )
    if files.count(STDIN) > 1:
        raise ConfigError(
            "Standard input (-) is given more than once, and can be read once",
            hint="Leave the others out",
        )
    if prices and messages is None:
        raise ConfigError(
            "--prices needs --messages: the price is that of a request",
            hint="Leave --prices out, or give the request with --messages FILE",
        )
    if per_message and (messages is None or _is_log(messages)):
        raise ConfigError(
            "-v shows the messages of one request",
            hint="Give one with --messages FILE; for a log, --json lists all messages",
        )


def _count_messages(
    path: Path,
    model: str | None,
    models_files: tuple[Path, ...],
    ways: Ways,
    *,
    as_json: bool,
    quiet: bool,
    per_message: bool,
    prices: bool,
) -> int:
    """A request, or each of a log; returns 1 when there is something to know about them."""
    is_log, shown = _is_log(path), _shown(str(path))
    bodies = requests.read_bodies(_read(str(path)), shown, is_log=is_log)
    table = _table(models_files)
    counted = requests.count_bodies(bodies, shown if is_log else "", table, ways, model)
    total = sum(each.count.total_tokens for each in counted)
    price = requests.price_of(counted) if prices else None
    if as_json:
        documents = [requests.request_document(each) for each in counted]
        exact = all(each.count.exact for each in counted)
        log = {"total_tokens": total, "exact": exact, "requests": documents}
        document = log if is_log else documents[0]
        _print_json({**document, **({"price": price} if price else {})})
    elif quiet:
        click.echo(total)
    else:
        if is_log:
            requests.print_requests(counted)
        else:
            requests.print_request(counted[0], per_message=per_message)
        _say_who_counted(counted)
        if price:
            requests.print_price(price)
    return 1 if requests.has_warnings(counted) else 0


def _say_who_counted(counted: Sequence[Counted]) -> None:
    """Once for each model: what counted, and what would count better."""
    by_model: dict[str, list[Counted]] = {}
    for each in counted:
        by_model.setdefault(each.spec.name, []).append(each)
    for same in by_model.values():
        first = same[0]
        is_estimate = not all(each.count.exact for each in same)
        _say_counter(first.spec, first.who.counter, is_estimate=is_estimate)
    n_unnamed = sum(not each.is_named for each in counted)
    if n_unnamed:
        where = "" if n_unnamed == len(counted) else f" in {n_unnamed} of {len(counted)} requests"
        click.echo(f"[INFO] No model is named{where}: counted for {MODEL}", err=True)
    for advice in dict.fromkeys(each.who.advice for each in counted):
        _say_advice(advice)


def _is_log(path: Path) -> bool:
    return path.suffix.lower() in JSON_LINES


def _table(models_files: tuple[Path, ...]) -> ModelTable:
    from packhorse.tokens.models.table import load_models

    return load_models(*models_files)


def _count_files(files: tuple[str, ...], counter: TokenCounter) -> dict[str, Any]:
    counts = counter.count_batch([_read(name) for name in files])
    return {
        "total_tokens": sum(counts),
        "exact": counter.exact,
        "files": [
            {"path": name, "tokens": tokens} for name, tokens in zip(files, counts, strict=True)
        ],
    }


def _print_json(document: Mapping[str, Any]) -> None:
    shown = {"schema_version": SCHEMA_VERSION, **document}
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2, sort_keys=True))


def _print(document: Mapping[str, Any], counter: TokenCounter) -> None:
    """One line a file, the total last, and what counted on stderr."""
    rows = [(entry["path"], entry["tokens"]) for entry in document["files"]]
    if len(rows) > 1:
        rows.append(("total", document["total_tokens"]))
    width = max((len(str(tokens)) for _, tokens in rows), default=1)
    for name, tokens in rows:
        click.echo(f"{tokens:>{width}}  {name}")
    _say_counter(None, counter)


def _say_counter(
    spec: ModelSpec | None, counter: TokenCounter, *, is_estimate: bool = False
) -> None:
    """Says what counted, and how far its counts hold; `is_estimate` is about a whole request."""
    certainty = "exact"
    if not counter.exact and not counter.margin:
        certainty = "not exact for this model"
    elif not counter.exact:
        certainty = f"estimate, margin {counter.margin:.0%} included"
    elif is_estimate:
        certainty = "exact for texts; the whole request is an upper estimate"
    model = f" for {spec.name}" if spec is not None else ""
    click.echo(
        f"[INFO] Tokenizer: {counter.library} ({counter.name}){model}, {certainty}", err=True
    )


def _say_advice(advice: str) -> None:
    if advice:
        click.echo(f"[INFO] {advice}", err=True)


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
