"""`packhorse fit`: a whole conversation into the window of a model."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.models_file import models_file_option
from packhorse.errors import BudgetExceededError, InputError
from packhorse.text.json_fault import json_fault
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.report import FittedMessages
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["fit"]

SCHEMA_VERSION = "1"
STDIN = "-"
DEFAULT_ANSWER = 4096
"""Tokens kept free for the answer where the request sets no limit of its own."""


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse fit request.json --model gpt-4o --max-tokens 8000 > fitted.json",
)
@click.argument("request", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--model", help="Whose tokens and rules count; default: the request's own.")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=0),
    help="Tokens of the whole request; default: the model's window less the answer.",
)
@click.option(
    "--policy",
    default="sliding",
    show_default=True,
    help="What stays besides instructions and the last question: sliding, blocks, relevant, or"
    " summary, which sums up the rest in one message.",
)
@click.option(
    "--summary-tokens",
    type=click.IntRange(min=0),
    help="Size of the message that sums up what is left out, with any policy.",
)
@click.option(
    "--earlier",
    type=click.Path(path_type=Path),
    help="What the run for the request before printed with --json: its summary goes on, and its"
    " tools change seldom.",
)
@click.option(
    "--summariser",
    help="URL of an OpenAI-compatible endpoint that writes the summary, its model after #; without"
    " one, sentences are quoted.",
)
@click.option(
    "--offload",
    type=click.Path(path_type=Path),
    help="Directory for old tool results, which go there before anything is left out.",
)
@click.option(
    "--examples",
    type=click.Path(path_type=Path),
    help="JSONL of examples (input, output, label, id); the best for the last question are shown.",
)
@click.option(
    "--examples-tokens",
    type=click.IntRange(min=0),
    help="Tokens of all examples; default: the cap of their section, 2000.",
)
@click.option(
    "--examples-form",
    default="turns",
    show_default=True,
    help="Examples as turns of the conversation, or as a block in the system text.",
)
@click.option(
    "--examples-order",
    default="similar_last",
    show_default=True,
    help="similar_last, similar_first or given.",
)
@click.option(
    "--max-tools", type=click.IntRange(min=0), help="How many tools the request may define."
)
@click.option(
    "--tool-tokens", type=click.IntRange(min=0), help="Tokens of all definitions of tools."
)
@click.option(
    "--pin-tool", "pin_tools", multiple=True, help="Name of a tool that stays; repeatable."
)
@click.option(
    "--pin", type=click.IntRange(min=0), multiple=True, help="Index of a message that stays."
)
@click.option(
    "--no-elide",
    is_flag=True,
    help="Leave out the latest tool call when its results are too large, instead of marking them.",
)
@click.option(
    "--memory",
    type=click.Path(path_type=Path),
    help="Notes from earlier conversations as JSONL; the best stand before the last question.",
)
@click.option(
    "--sections",
    type=click.Path(path_type=Path),
    help="Floors, caps, priorities and growth of parts of the window, as YAML.",
)
@click.option(
    "--as-of", help="Day that the age of notes is measured from; default: the newest note's."
)
@models_file_option
@click.option("--json", "as_json", is_flag=True, help="Print report and request as one document.")
@click.option("-q", "--quiet", is_flag=True, help="Print the fitted request alone.")
def fit(
    *,
    request: Path,
    model: str | None,
    max_tokens: int | None,
    earlier: Path | None,
    no_elide: bool,
    models_files: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Fit a conversation into the window of a model.

    REQUEST is a request body or a list of messages as OpenAI (chat or Responses), Anthropic or
    Gemini take it, as JSON; - reads standard input. The fitted request goes to standard output in
    the same shape, and what was left out to standard error. Instructions, pinned messages and the
    user's last word always stay; a tool call stays or goes with all its results. Exit code 1 says
    that more was done than was asked for: half tool calls were dropped, results replaced, a section
    has less than its floor, or a summary had no room or was not written by the endpoint that was
    named. So it is where the provider will refuse what was given: calls without an id, for one.
    """
    from packhorse.cli.count_request import MODEL
    from packhorse.tokens.models.table import model_table
    from packhorse.tokens.registry import counter_of
    from packhorse.tokens.requests.turns import model_in
    from packhorse.window.costs import Costs
    from packhorse.window.messages import fit_request
    from packhorse.window.requested import FitOptions

    body = _body(request)
    named = (model_in(body) or MODEL) if model is None else model
    spec = model_table(models_files).spec(named)
    limit = _limit(body, spec) if max_tokens is None else max_tokens
    costs = Costs(spec=spec, counter=counter_of(spec))
    before = {} if earlier is None else _earlier(earlier)
    options = FitOptions(
        elide=not no_elide,
        summary=before.get("summary"),
        previous_tools=(before.get("tools") or {}).get("kept", ()),
        **asked,
    )
    try:
        fitted = fit_request(body, costs, limit, options)
    except BudgetExceededError as error:
        raise (_beside_answer(error, body, spec) if max_tokens is None else error) from error
    result = fitted.request if isinstance(body, dict) else list(fitted.messages)
    if as_json:
        document = {**_document(fitted, spec), "request": result}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    else:
        click.echo(json.dumps(result, ensure_ascii=False, indent=2))
        if not quiet:
            _say(fitted, spec)
    return 1 if fitted.is_mended else 0


def _body(path: Path) -> Any:
    """The request in a file, or on standard input."""
    from packhorse.cli.count_request import read_bodies
    from packhorse.tokens.requests.values import kind_of

    shown = "standard input" if str(path) == STDIN else str(path)
    body = read_bodies(_read(path), shown, is_log=False)[0]
    if not isinstance(body, (dict, list)):
        raise InputError(
            f"{shown} holds {kind_of(body)}, not a request",
            hint="Give a list of messages, or a request body as the provider takes it",
        )
    return body


def _read(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == STDIN else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"Cannot read {path}: {error.strerror or error}", hint="Give a file with a request"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start})", hint="Save the request as UTF-8"
        ) from error


def _earlier(path: Path) -> Mapping[str, Any]:
    """The document of an earlier run."""
    text = _read(path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not JSON: {json_fault(error, text)}", hint="Give what --json printed"
        ) from error
    if not isinstance(document, dict) or "summary" not in document:
        raise InputError(f"{path} is not of an earlier run", hint="Give what --json printed")
    return document


def _limit(body: Any, spec: ModelSpec) -> int:
    """Tokens for the request: the window less the answer, and at most the limit of the input."""
    from packhorse.tokens.requests.reservation import read_reservation, window_of

    fields: Mapping[str, Any] = body if isinstance(body, dict) else {}
    answer = read_reservation(fields, spec).output or min(spec.max_output, DEFAULT_ANSWER)
    free = max(0, window_of(fields, spec) - answer)
    return free if spec.max_input is None else min(free, spec.max_input)


def _beside_answer(error: BudgetExceededError, body: Any, spec: ModelSpec) -> BudgetExceededError:
    """The same error with where its limit comes from, which nobody named."""
    from packhorse.tokens.requests.reservation import window_of

    window = window_of(body if isinstance(body, dict) else {}, spec)
    kept = window - error.available
    return BudgetExceededError(
        f"{error.message}. Of the window of {spec.name}, {window} tokens, {kept} are kept for the"
        " answer",
        needed=error.needed,
        available=error.available,
        parts=error.parts,
        hint="Lower the limit of the answer in the request, give --max-tokens, or shorten these"
        " messages",
    )


def _document(fitted: FittedMessages, spec: ModelSpec) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "model": spec.name,
        "total_tokens": fitted.tokens,
        "max_tokens": fitted.max_tokens,
        "exact": fitted.exact,
        "ledger": dict(fitted.ledger),
        "kept": sum(decision.kept for decision in fitted.decisions),
        "left_out": sum(not decision.kept for decision in fitted.decisions),
        "decisions": [asdict(decision) for decision in fitted.decisions],
        "elided": [result._asdict() for result in fitted.elided],
        "offloaded": [result._asdict() for result in fitted.offloaded],
        "summary": None if fitted.summary is None else fitted.summary.to_dict(),
        "examples": _chosen(fitted.examples),
        "tools": _chosen(fitted.tools),
        "report": fitted.report,
        **_sections(fitted),
    }


def _sections(fitted: FittedMessages) -> dict[str, Any]:
    """What each section got and what became of notes; nothing where none were asked for."""
    if fitted.beside is None:
        return {}
    names = ("section", "asked", "got", "reason")
    return {
        "sections": [dict(zip(names, each, strict=True)) for each in fitted.sections],
        "memory": [asdict(note) for note in fitted.notes],
    }


def _chosen(chosen: ChosenExamples | ChosenTools | None) -> dict[str, Any] | None:
    """Examples or tools: which are in, which not, and why."""
    if chosen is None:
        return None
    return {
        "kept": list(chosen.kept),
        "tokens": chosen.tokens,
        "max_tokens": chosen.max_tokens,
        "because": {name: why._asdict() for name, why in chosen.because.items()},
        "left_out": {name: why._asdict() for name, why in chosen.left_out.items()},
    }


def _say_chosen(kind: str, chosen: ChosenExamples | ChosenTools | None) -> None:
    if chosen is None:
        return
    for sign, some in (("IN", chosen.because), ("OUT", chosen.left_out)):
        for name, why in some.items():
            told = f"{kind} {name}: {why.code}" + (f" ({why.detail})" if why.detail else "")
            click.echo(f"[{sign}] {printable(told)}, {chosen.costs[name]} tokens", err=True)


def _say(fitted: FittedMessages, spec: ModelSpec) -> None:
    """What became of the messages, on standard error."""
    said = "exact" if fitted.exact else "an upper estimate"
    lines = ", ".join(f"{name}={tokens}" for name, tokens in fitted.ledger.items() if tokens)
    click.echo(f"[INFO] Token ledger for {printable(spec.name)}, {said}: {lines}", err=True)
    n_kept = sum(decision.kept for decision in fitted.decisions)
    n_more = len(fitted.messages) - n_kept
    put_in = f" and {n_more} put in" if n_more else ""
    click.echo(
        f"[FIT] {n_kept} of {len(fitted.decisions)} messages{put_in},"
        f" {fitted.tokens}/{fitted.max_tokens} tokens",
        err=True,
    )
    if fitted.report:
        level = "WARN" if fitted.is_mended else "INFO"
        click.echo(f"[{level}] {printable(fitted.report)}", err=True)
    for result in fitted.offloaded:
        click.echo(
            f"[OFFLOADED] message {result.place}: {result.tokens} tokens as {result.handle}",
            err=True,
        )
    if fitted.tools is not None and not fitted.tools.costs:
        click.echo("[INFO] The request defines no tools to choose from", err=True)
    _say_chosen("tool", fitted.tools)
    _say_chosen("example", fitted.examples)
    for decision in fitted.decisions:
        if not decision.kept:
            click.echo(
                f"[OUT] message {decision.index}: {printable(decision.reason_code)}"
                f" ({printable(decision.reason)}), {decision.tokens} tokens",
                err=True,
            )
    _say_sections(fitted)


def _say_sections(fitted: FittedMessages) -> None:
    for name, asked, got, why in fitted.sections:
        click.echo(f"[ROOM] {name}: asked {asked}, got {got} ({printable(why)})", err=True)
    for note in fitted.notes:
        level, said = ("NOTE", "in") if note.kept else ("OUT", note.reason_code)
        told = f"note {printable(note.note_id)}: {printable(said)} ({printable(note.reason)})"
        click.echo(f"[{level}] {told}, {note.tokens} tokens", err=True)
    if fitted.beside is not None:
        for section, piece, left_out in fitted.beside.left_out():
            if section != "memory":
                told = f"{piece}: {left_out.code} ({left_out.detail})"
                click.echo(f"[OUT] {printable(told)}", err=True)
