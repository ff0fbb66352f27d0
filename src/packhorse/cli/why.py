"""`packhorse why`: why a chunk is in or out, and what would change that."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.packet_file import read_packet
from packhorse.cli.source import open_source, source_options
from packhorse.text.printable import printable

__all__ = ["why"]

SCHEMA_VERSION = "1"


@click.command(
    context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse why out/p04 tax-kb-0151"
)
@click.argument("packet", type=click.Path(path_type=Path))
@click.argument("chunk_id")
@click.option(
    "--kb",
    help="What it was packed from; only needed for packets of more than 256 candidates or of an"
    " earlier version.",
)
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print the decision alone.")
def why(
    *,
    packet: Path,
    chunk_id: str,
    kb: str | None,
    embedder: str | None,
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say why a chunk is in or out, and what would change that.

    PACKET is a context_packet.json or the folder it is in. Shown are the sum behind the score,
    the rank at each stage, what stood in the way, and the smallest budget, relevance, trust, date
    and lambda at which the decision would be the other one. Each of these was found by selecting
    again with the change.
    """
    opened = read_packet(packet)
    with ExitStack() as stack:
        source = None
        if kb is not None:
            opened_kb = open_source(
                kb, embedder=embedder, skip_bad_lines=skip_bad_lines, quiet=quiet
            )
            source = stack.enter_context(closing(opened_kb))
        told = opened.explain(chunk_id, source)
    if as_json:
        document = {"schema_version": SCHEMA_VERSION, **asdict(told)}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif quiet:
        click.echo(printable(f"{told.chunk_id}: {told.decision}, {told.reason}"))
    else:
        click.echo(str(told))
