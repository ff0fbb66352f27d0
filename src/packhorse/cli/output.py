"""Files that a long run leaves behind: tried before it begins, written whole at its end."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from packhorse.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_writable", "write_file"]


def check_writable(path: Path) -> None:
    """Refuses a file or folder that could not be made, before any work is done for it.

    Nothing stays behind: the nearest folder above it that exists is tried with a file that has no
    name.

    Raises:
        InputError: what stands in the way.
    """
    try:
        whole = path.absolute()
        above = next(each for each in (whole, *whole.parents) if each.exists())
        if above == whole and not whole.is_dir():
            above = whole.parent
        if not above.is_dir():
            raise InputError(
                f"Cannot write {path}: {above} is a file", hint="Name a place inside a folder"
            )
        with tempfile.TemporaryFile(dir=above):
            pass
    except OSError as error:
        raise _not_written(path, error) from error


def write_file(path: Path, text: str) -> None:
    """Writes a file whole or not at all; folders that are missing are made.

    Raises:
        InputError: it cannot be written.
    """
    from packhorse.kb.manifest import write_atomically

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot write {path}: {error.strerror or error}", hint="Name a place that can be written"
    )
