"""Writes a packet's files: all of them complete, or none of them replaced."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.packet.canonical import pretty_json
from packhorse.packet.csv import explainability_csv

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

__all__ = ["PACKET_FILE", "PACKET_FILES", "REPORT", "replace_all", "write_packet"]

PACKET_FILE = "context_packet.json"
"""Name of the packet itself."""

PACKET_FILES = (PACKET_FILE, "explainability.csv", "context.txt", "messages.json")
"""Names of the files that are the packet, in the order in which they are told."""

REPORT = "report.html"
"""Name of the report beside a packet."""


def write_packet(
    packet: Packet, out_dir: str | Path, report: str | None = None
) -> tuple[Path, ...]:
    """Writes context_packet.json, explainability.csv, context.txt and messages.json.

    With `report`, a page, report.html as well. Each is written beside its place and flushed; only
    then are they renamed. When anything fails, or the user interrupts, files of an earlier run are
    as they were.

    Raises:
        InputError: the directory cannot be made or written to.
    """
    folder = Path(out_dir)
    texts = (
        packet.to_json(),
        explainability_csv(packet),
        packet.text,
        pretty_json(packet.request()),
    )
    contents = dict(zip(PACKET_FILES, texts, strict=True))
    if report is not None:
        contents[REPORT] = report
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_all(folder, {name: text.encode("utf-8") for name, text in contents.items()})
    except OSError as error:
        raise InputError(
            f"Cannot write the packet to {folder}: {error.strerror or error}",
            hint="Give --out a directory that can be written to",
        ) from error
    return tuple(folder / name for name in contents)


def has_report_of_another(packet: Packet, out_dir: str | Path) -> bool:
    """Whether a folder has a report that can be read and does not name this packet's hash."""
    try:
        page = (Path(out_dir) / REPORT).read_bytes()
    except OSError:
        return False
    return str(packet.document["packet_hash"]).encode("ascii") not in page


def replace_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Replaces files as one step, as far as a file system allows it.

    Raises:
        OSError: one of them cannot be written; then none is replaced.
    """
    mark = f"{os.getpid()}.tmp"
    new = {folder / name: folder / f".{name}.new.{mark}" for name in contents}
    old = {place: folder / f".{place.name}.old.{mark}" for place in new}
    done: list[Path] = []
    try:
        for place, beside in new.items():
            _write(beside, contents[place.name])
        for place, beside in new.items():
            with contextlib.suppress(FileNotFoundError):
                shutil.copy2(place, old[place])
            done.append(place)
            beside.replace(place)
    except BaseException:
        for place in done:
            _restore(place, old[place])
        raise
    finally:
        for path in (*new.values(), *old.values()):
            path.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _restore(place: Path, old: Path) -> None:
    """Puts the file of an earlier run back, or takes away what had none."""
    if old.exists():
        old.replace(place)
    else:
        place.unlink(missing_ok=True)
