"""`packhorse stats`: what many packets say together, and what to do about it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.progress import TerminalProgress
from packhorse.errors import InputError
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.explain.stats.packet_log import ReadReport
    from packhorse.explain.stats.told import PacketStats

__all__ = ["stats"]

SCHEMA_VERSION = "1"
SHOWN = 5
"""Places without a packet that are printed; --json lists a hundred."""


@click.command(context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse stats out/ log.jsonl")
@click.argument("packets", nargs=-1, metavar="PACKET...", type=click.Path(path_type=Path))
@click.option("--skip-bad", is_flag=True, help="Go on without what is no packet, and count it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings alone.")
def stats(*, packets: tuple[Path, ...], skip_bad: bool, as_json: bool, quiet: bool) -> int:
    """Say what many packets have in common, and what to do about it.

    PACKET is a context_packet.json, a folder that is searched for such files, or a log with a
    packet a line (.jsonl). Shown are how full budgets are, what was skipped for its size, why
    candidates are out, and two signatures of failure: budgets that are nearly always exhausted,
    and best-ranked candidates that are too long. Exit code 0 means that nothing stands out, 1 that
    something does or that not everything was read, 2 that there is no packet.
    """
    if not packets:
        raise InputError(
            "No packet given", hint="Name packets, folders or logs, for example: out/ log.jsonl"
        )
    report, told = collected(packets, skip_bad=skip_bad, quiet=quiet)
    if as_json:
        not_read = {
            "count": report.n_not_read,
            "listed": [asdict(each) for each in report.not_read],
        }
        document = {"schema_version": SCHEMA_VERSION, "not_read": not_read, **told.to_dict()}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif not quiet:
        click.echo(str(told))
    elif told.findings:
        click.echo("\n".join(told.advice()))
    say_not_read(report)
    return 1 if told.findings or report.n_not_read else 0


def collected(
    paths: tuple[Path, ...], *, skip_bad: bool, quiet: bool
) -> tuple[ReadReport, PacketStats]:
    """Reads all packets, showing how far it is.

    Raises:
        InputError: something is no packet and is not to be skipped, or there is none at all.
    """
    from packhorse.explain.stats.packet_log import ReadReport, found_files, read_packets
    from packhorse.explain.stats.stats import Collector
    from packhorse.explain.stats.told import told

    report, collector = ReadReport(), Collector()
    files = found_files(paths)
    with TerminalProgress(quiet=quiet) as progress:
        progress.stage("packets", sum(file.size_bytes for file in files))
        for packet, n_bytes in read_packets(files, report, skip_bad=skip_bad):
            collector.add(packet.document)
            progress.advance(n_bytes)
    if not report.n_packets:
        first = report.not_read[0] if report.not_read else None
        why = "" if first is None else f": {first.reason}, {first.path}"
        raise InputError(
            f"There is no packet to count{why}",
            hint="Give what packhorse pack wrote: context_packet.json, its folder, or a log",
        )
    return report, told(collector)


def say_not_read(report: ReadReport) -> None:
    """Names what was no packet, on stderr."""
    if not report.n_not_read:
        return
    plural = "place holds" if report.n_not_read == 1 else "places hold"
    click.echo(f"[WARN] {report.n_not_read:,} {plural} no packet that can be used", err=True)
    for each in report.not_read[:SHOWN]:
        where = each.path if each.line is None else f"{each.path} line {each.line}"
        click.echo(f"[WARN] {printable(where)}: {printable(each.reason)}", err=True)
    if report.n_not_read > SHOWN:
        click.echo(f"[INFO] {report.n_not_read - SHOWN:,} more; --json lists them", err=True)
