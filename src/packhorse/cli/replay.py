"""`packhorse replay`: makes a packet again and compares, byte for byte."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.packet_file import read_packet
from packhorse.cli.source import open_source, source_options

__all__ = ["replay"]

SCHEMA_VERSION = "1"


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse replay out/p04 --kb fixtures/tax_kb",
)
@click.argument("packet", type=click.Path(path_type=Path))
@click.option("--kb", required=True, help="What the packet was packed from, as it is now.")
@click.option(
    "--models-file",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The models of your own that it was packed with.",
)
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code says it.")
def replay(
    *,
    packet: Path,
    kb: str,
    models_file: tuple[Path, ...],
    embedder: str | None,
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Make a packet again from what it records, and compare, byte for byte.

    PACKET is a context_packet.json or the folder it is in. Exit code 0 means the same bytes, 1
    that they differ or that it cannot be made any more: then the first difference is shown, and
    what is not as it was (chunks that changed, vanished or are new, the operator's policy,
    settings, versions), 2 that there is no packet, or no knowledge base.
    """
    opened = read_packet(packet)
    source = open_source(kb, embedder=embedder, skip_bad_lines=skip_bad_lines, quiet=quiet)
    with closing(source):
        told = opened.replay(source, models_file)
    if as_json:
        document = {"schema_version": SCHEMA_VERSION, **told.to_dict()}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif not quiet:
        click.echo(str(told))
    return 0 if told.same else 1
