"""`packhorse report`: a packet as one HTML file."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from pathlib import Path

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.packet_file import read_packet
from packhorse.cli.source import open_source, source_options
from packhorse.errors import InputError
from packhorse.packet.files import PACKET_FILES, REPORT
from packhorse.text.printable import printable

__all__ = ["report"]

SCHEMA_VERSION = "1"


@click.command(
    context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse report out/p04 -o report.html"
)
@click.argument("packet", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write; default: report.html beside the packet.",
)
@click.option("--kb", help="What it was packed from: shows the texts of excluded passages, too.")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def report(
    *,
    packet: Path,
    output: Path | None,
    kb: str | None,
    embedder: str | None,
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a packet's report: one HTML file that loads nothing and works from disk.

    PACKET is a context_packet.json or the folder it is in. The page says whether the right
    passage was retrieved, ranked, fitted and well placed, and what to change; it shows the token
    window, the context as it reads, everything that is out and why, and the checks.
    """
    opened = read_packet(packet)
    folder = packet if packet.is_dir() else packet.parent
    place = output or folder / REPORT
    refuse_place(place, packet)
    with ExitStack() as stack:
        source = None
        if kb is not None:
            opened_kb = open_source(
                kb, embedder=embedder, skip_bad_lines=skip_bad_lines, quiet=quiet
            )
            source = stack.enter_context(closing(opened_kb))
        page = opened.to_html(source).encode("utf-8")
    write_page(page, place)
    if as_json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "packet": opened.trace_id,
            "report": str(place),
            "size_bytes": len(page),
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif not quiet:
        click.echo(f"[INFO] Report: {printable(str(place))}")
    if kb is None and opened.excluded_chunks and not quiet:
        click.echo(
            "[INFO] Texts of excluded passages are not in it; add --kb to show them", err=as_json
        )


def refuse_place(place: Path, packet: Path) -> None:
    """Keeps a page from taking the place of a packet, and from going to a folder misspelled.

    Raises:
        InputError: `place` is the packet, is named as one of a packet's files, or is in a folder
            that is not there.
    """
    # Case is ignored: on some file systems both spellings are one file.
    is_packet = place.name.lower() in PACKET_FILES
    if is_packet or (place.is_file() and packet.is_file() and place.samefile(packet)):
        raise InputError(
            f"{place} is a file of a packet, which the report would take the place of",
            hint="Give -o another name, for example -o report.html",
        )
    if not place.parent.is_dir():
        raise InputError(
            f"Cannot write {place}: there is no folder {place.parent}",
            hint="Make the folder first, or give -o a file in one that is there",
        )


def write_page(page: bytes, place: Path) -> None:
    """Writes the file whole, or leaves what was there.

    Raises:
        InputError: it cannot be written.
    """
    from packhorse.packet.files import replace_all

    try:
        if place.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        replace_all(place.parent, {place.name: page})
    except OSError as error:
        raise InputError(
            f"Cannot write {place}: {error.strerror or error}",
            hint="Give -o a file that can be written, for example -o report.html",
        ) from error
