"""`packhorse diff`: what is not the same in two packets, and which input made it so."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.packet_file import read_packet
from packhorse.cli.source import open_source, source_options
from packhorse.errors import ConfigError, InputError
from packhorse.packet.files import PACKET_FILE

if TYPE_CHECKING:
    from packhorse.explain.diff.difference import Difference
    from packhorse.explain.diff.folders import FolderDifference
    from packhorse.protocols import KnowledgeBase

__all__ = ["diff"]

SCHEMA_VERSION = "1"

Kbs = tuple["KnowledgeBase | None", "KnowledgeBase | None"]


@click.command(
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse diff golden/ now/ --only selection --only checks",
)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option(
    "--only",
    multiple=True,
    metavar="SECTION",
    help="What counts, repeatable: selection, positions, text, checks, ... Default: everything.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="NAME",
    help="A section, or an input such as as_of, made_with or weights.trust, that does not count;"
    " repeatable.",
)
@click.option(
    "--kb",
    multiple=True,
    help="What they were packed from, once for both or A's and B's; only needed for packets of"
    " more than 256 candidates or of an earlier version.",
)
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code says it.")
def diff(
    *,
    a: Path,
    b: Path,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    kb: tuple[str, ...],
    embedder: str | None,
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Compare two packets, and say which input moved which chunk.

    A and B are each a context_packet.json or the folder it is in; or folders of many of them, which
    are compared by name. Shown are the inputs that changed, the chunks that entered, left, moved or
    were re-scored, and everything else that differs. Which input is behind a difference is found by
    selecting again with each of them. Exit code 0 means that nothing that counts differs, 1 that
    something does, 2 that there is no packet to compare.
    """
    if len(kb) > 2:  # noqa: PLR2004 - one for each packet
        raise ConfigError(
            "--kb is given more than twice", hint="Name A's, and B's if it is another"
        )
    with ExitStack() as stack:
        opened = [
            stack.enter_context(
                closing(
                    open_source(each, embedder=embedder, skip_bad_lines=skip_bad_lines, quiet=quiet)
                )
            )
            for each in kb
        ]
        kbs: Kbs = (opened[0], opened[-1]) if opened else (None, None)
        found = _compared(a, b, kbs, only, ignore)
    if as_json:
        document = {"schema_version": SCHEMA_VERSION, **found.to_dict()}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    elif not quiet:
        click.echo(str(found))
    return 0 if found.same else 1


def _compared(
    a: Path, b: Path, kbs: Kbs, only: tuple[str, ...], ignore: tuple[str, ...]
) -> Difference | FolderDifference:
    def pair(one: Path, two: Path) -> Difference:
        was, now = read_packet(one), read_packet(two)
        return was.diff(now, kbs[0], other_kb=kbs[1], only=only, ignore=ignore)

    if not (_holds_many(a) and _holds_many(b)):
        _refuse_mixed(a, b)
        return pair(a, b)
    from packhorse.explain.diff.folders import FolderDifference, Pair, packet_files

    files, others = packet_files(a), packet_files(b)
    for name, file in (*files.items(), *others.items()):
        if name not in files or name not in others:
            read_packet(file)  # what is no packet is an error, not a packet that is missing
    return FolderDifference(
        pairs=tuple(
            Pair(name=name, difference=pair(files[name], others[name]))
            for name in files
            if name in others
        ),
        only_in_a=tuple(name for name in files if name not in others),
        only_in_b=tuple(name for name in others if name not in files),
    )


def _refuse_mixed(a: Path, b: Path) -> None:
    """Refuses a packet beside a folder of packets.

    Raises:
        InputError: it is so.
    """
    from packhorse.explain.diff.folders import packet_files

    for many, one in ((a, b), (b, a)):
        if _holds_many(many) and one.exists() and not _holds_many(one):
            example = next(iter(packet_files(many).values()))
            raise InputError(
                f"{one} is one packet, and {many} is a folder of packets",
                hint=f"Compare one with one, for example with {example}, or two such folders",
            )


def _holds_many(path: Path) -> bool:
    return path.is_dir() and not (path / PACKET_FILE).exists()
