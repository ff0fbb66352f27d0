"""`packhorse why`: why a chunk is in or out, and what would change that."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.packet_file import read_packet
from packhorse.cli.source import open_source, source_options
from packhorse.explain.beside import piece_explained
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

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

    PACKET is a context_packet.json or the folder it is in; in the place of a chunk's id may stand
    the id of a note or an example, or the name of a tool or a section. Shown are the sum behind the
    score, the rank at each stage, what stood in the way, and the smallest budget, relevance, trust,
    date and lambda at which the decision would be the other one. Each of these was found by
    selecting again with the change.
    """
    opened = read_packet(packet)
    piece = None if is_candidate(opened, chunk_id) else piece_explained(opened.document, chunk_id)
    if piece is not None:
        if as_json:
            shown = {"schema_version": SCHEMA_VERSION, **asdict(piece)}
            click.echo(json.dumps(shown, ensure_ascii=False, indent=2, sort_keys=True))
        else:
            click.echo(printable(str(piece).partition("\n")[0]) if quiet else printed(str(piece)))
        return
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


def is_candidate(packet: Packet, name: str) -> bool:
    """Whether a chunk has that id: chunks come first."""
    entries = (*packet.document["packed_chunks"], *packet.document["excluded_chunks"])
    return any(entry["chunk_id"] == name for entry in entries)


def printed(text: str) -> str:
    """Lines of a text, each safe on a terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))
