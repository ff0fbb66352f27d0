"""Reads a packet that a command is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.packet.files import PACKET_FILE

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet

__all__ = ["read_packet"]


def read_packet(path: Path) -> Packet:
    """The packet in a file, or in a folder that `packhorse pack --out` wrote.

    Raises:
        InputError: there is none, it cannot be read, or it does not agree with itself.
    """
    from packhorse.packet.packet import Packet

    file = path / PACKET_FILE if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"Cannot read {file}: {error.strerror or error}",
            hint=f"Give a {PACKET_FILE}, or the folder that packhorse pack wrote",
        ) from error
    try:
        return Packet.from_json(data)
    except InputError as error:
        raise InputError(f"{error.message}, {file}", hint=error.hint) from error
