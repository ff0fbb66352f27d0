"""`packhorse pack`: the main job."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.models_file import models_file_option
from packhorse.cli.settings import print_settings
from packhorse.cli.source import open_source, source_options
from packhorse.cli.transcript import transcript
from packhorse.errors import ConfigError, InputError
from packhorse.text.json_fault import json_fault
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.packet.packet import Packet

__all__ = ["pack"]

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")

ORDERS = ("sandwich", "edges", "relevance", "reverse", "chronological", "source")


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog='Example: packhorse pack --query "How do I reset it?" --kb docs/ --budget 2800',
)
@click.option("--query", help="The question, as plain text.")
@click.option("--query-file", type=click.Path(path_type=Path), help="Read the question from here.")
@click.option("--kb", required=True, help="Folder, .jsonl file, documents or index to pack from.")
@click.option("--budget", help="Cap of the evidence section in tokens; default: all available.")
@click.option("--model", help="Target model (default gpt-4o).")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where the packet goes; default out, or nowhere with --json.",
)
@click.option("--profile", type=click.Path(path_type=Path), help="Settings as YAML.")
@click.option("--as-of", help="Day that freshness is measured from; default: the profile's, today.")
@click.option("--strategy", help="How the budget is spent: ranked, density, optimal or submodular.")
@click.option("--order", help=f"Reading order: {', '.join(ORDERS)}.")
@click.option("--format", "format_", help="Rendering: xml, markdown or plain.")
@click.option(
    "--lambda",
    "lambda_",
    type=float,
    help="MMR trade-off from 1.0 (pure score) to 0.0 (pure diversity); 1.0 built in.",
)
@click.option("--candidates", type=int, help="How many chunks are fetched to choose from.")
@click.option("--top-k", help="How many may compete after reranking: a number or auto.")
@click.option("--pin", multiple=True, metavar="CHUNK_ID", help="A chunk that must be in.")
@click.option("--attach", multiple=True, metavar="FILE", help="A file that must be in, whole.")
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    help="Earlier messages or a request body as JSON, any provider's: text, calls and results.",
)
@click.option("--require-topic", multiple=True, metavar="T", help="A topic that must be covered.")
@models_file_option
@click.option(
    "--closing-notice/--no-closing-notice",
    default=None,
    help="Whether the evidence ends by saying what did not fit; default: the profile's, no.",
)
@click.option(
    "--rewrite-query/--no-rewrite-query",
    default=None,
    help="Whether words of the --history are searched with; default: the profile's, yes.",
)
@click.option(
    "--reranker",
    metavar="SPEC",
    help="Cross-encoder that judges the best candidates: PATH.onnx, http(s)://HOST#MODEL,"
    " tei+http(s)://HOST or none.",
)
@click.option(
    "--memory", type=click.Path(path_type=Path), help="Notes from earlier conversations, as JSONL."
)
@click.option(
    "--examples",
    type=click.Path(path_type=Path),
    help="JSONL of examples (input, output, label, id); the best for the question are shown.",
)
@click.option(
    "--tools",
    type=click.Path(path_type=Path),
    help="Definitions of tools, as a JSON list or a request that has them.",
)
@click.option("--max-tools", help="How many tools the request may define.")
@click.option("--tool-tokens", help="Tokens of all definitions of tools.")
@click.option(
    "--pin-tool", "pin_tools", multiple=True, metavar="NAME", help="A tool that stays; repeatable."
)
@click.option(
    "--sections",
    type=click.Path(path_type=Path),
    help="Floors, caps, priorities and growth of parts of the window, as YAML.",
)
@click.option(
    "--adaptive/--no-adaptive",
    default=None,
    help="Whether a simple question gets less of the budget; default: the profile's, no.",
)
@click.option(
    "--expand", help="What competes beside what is found: none, its neighbours or its section."
)
@click.option("--counting", help="Who counts: offline, or the model's provider.")
@source_options
@click.option("--report", is_flag=True, help="Write report.html as well, beside the packet.")
@click.option("--show-config", is_flag=True, help="Print the effective settings and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print the packet as JSON on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
def pack(
    *,
    as_json: bool,
    quiet: bool,
    show_config: bool,
    out: Path | None,
    report: bool,
    **flags: Any,
) -> int:
    """Pack evidence for a question into a token budget, and say why.

    Writes context_packet.json, explainability.csv, context.txt and messages.json. Exit code 0
    means that every check passed, 1 that a check warns, 2 that there is no packet.
    """
    if out is not None and not out.name:
        raise ConfigError("--out names no folder", hint="Name one, for example --out out")
    if flags["top_k"] != "auto":
        flags["top_k"] = whole_number("top-k", flags["top_k"], example="12 or auto")
    if show_config:
        return print_settings(flags, as_json=as_json)
    folder = out if out is not None or as_json else Path("out")
    if report and folder is None:
        raise ConfigError(
            "--report has no place to go", hint="With --json, name a folder: --out out"
        )
    packet, page = make_packet(flags, quiet=quiet, with_page=report)
    if folder is not None:
        from packhorse.packet.files import REPORT, has_report_of_another, write_packet

        write_packet(packet, folder, page)
        if has_report_of_another(packet, folder):
            text = f"{folder / REPORT} shows an earlier packet; for this one: packhorse report"
            click.echo(f"[WARN] {printable(text)} {printable(shlex.quote(str(folder)))}", err=True)
    if as_json:
        click.echo(packet.to_json())
    for level, text in transcript(packet, folder, has_report=report):
        if not quiet or level in {"WARN", "HINT"}:
            click.echo(f"[{level}] {printable(text)}", err=as_json)
    return 1 if packet.status == "warning" else 0


def make_packet(
    flags: dict[str, Any], *, quiet: bool, with_page: bool
) -> tuple[Packet, str | None]:
    """Calls the Python interface with the flags under their keyword names.

    Returns:
        the packet, and its report where one is asked for.
    """
    from packhorse.api import pack as pack_evidence
    from packhorse.tokens.models.table import model_table

    table = model_table(flags["models_files"])
    if flags["model"] is not None:
        table.spec(flags["model"])  # a misspelled model is refused before anything is indexed
    query = read_query(flags["query"], flags["query_file"])
    budget = whole_number("budget", flags["budget"])
    history = read_history(flags["history"])
    kb = open_source(
        flags["kb"],
        embedder=flags["embedder"],
        skip_bad_lines=flags["skip_bad_lines"],
        quiet=quiet,
    )
    try:
        packet = pack_evidence(
            query,
            kb,
            model=flags["model"],
            budget=budget,
            profile=flags["profile"],
            as_of=flags["as_of"],
            strategy=flags["strategy"],
            order=flags["order"],
            format=flags["format_"],
            candidates=flags["candidates"],
            top_k=flags["top_k"],
            lambda_=flags["lambda_"],
            pin=flags["pin"],
            attach=flags["attach"],
            history=history,
            require_topics=flags["require_topic"],
            counting=flags["counting"],
            closing_notice=flags["closing_notice"],
            rewrite_query=flags["rewrite_query"],
            adaptive=flags["adaptive"],
            reranker=flags["reranker"],
            **companions(flags),
            sections=flags["sections"],
            expand=flags["expand"],
            models=flags["models_files"],
        )
        return packet, packet.to_html(kb) if with_page else None
    finally:
        kb.close()


def companions(flags: Mapping[str, Any]) -> dict[str, Any]:
    """What competes with turns and evidence, under the keywords of the Python interface."""
    return {
        "memory": flags["memory"],
        "examples": flags["examples"],
        "tools": flags["tools"],
        "max_tools": whole_number("max-tools", flags["max_tools"], example="8"),
        "tool_tokens": whole_number("tool-tokens", flags["tool_tokens"], example="1000"),
        "pin_tools": flags["pin_tools"],
    }


def whole_number(name: str, value: str | None, *, example: str = "2800") -> int | None:
    """A flag as a number; click would round or accept less than we want to say about it.

    Raises:
        ConfigError: it is not a whole number.
    """
    if value is None:
        return None
    if not WHOLE.fullmatch(value):
        raise ConfigError(
            f"--{name} is {value!r}, not a whole number", hint=f"Write it as --{name} {example}"
        )
    return int(value)


def read_query(text: str | None, path: Path | None) -> str:
    """The question from exactly one of the two flags.

    Raises:
        InputError: both or none are given, or the file cannot be read as UTF-8.
    """
    if (text is None) == (path is None):
        raise InputError(
            "Give the question with either --query or --query-file",
            hint='For example: --query "How do I reset it?"',
        )
    return read_text(path) if path is not None else str(text)


def read_text(path: Path) -> str:
    """A text file, its byte order mark removed."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"Cannot read {path}: {error.strerror}", hint="Check the path and its permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte {error.start})", hint="Save the file as UTF-8"
        ) from error


def read_history(path: Path | None) -> list[dict[str, Any]] | dict[str, Any] | None:
    """Earlier messages from a JSON file.

    Raises:
        InputError: the file is not JSON, or null.
    """
    if path is None:
        return None
    text = read_text(path)
    try:
        data: list[dict[str, Any]] | dict[str, Any] | None = json.loads(text)
    # ValueError: no JSON, or a number of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not JSON: {json_fault(error, text)}",
            hint="A history is a JSON list of messages",
        ) from error
    if data is None:
        raise InputError(f"{path} holds null", hint="A history is a JSON list of messages")
    return data
