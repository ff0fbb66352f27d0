"""The content of a model's files, for its fingerprint."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["digest_of"]

_READ_AT_ONCE = 1024 * 1024
_WEIGHTS = ("{}_data", "{}.data")
"""Where exporters put what does not fit into an .onnx file, which ends at two gigabytes."""


def digest_of(path: Path) -> str:
    """SHA-256 of a file, and of the weights beside it that belong to it; 64 hex digits.

    A file is read once in a process, as long as its size and date stay. A model of 100 MB takes
    about a tenth of a second.

    Args:
        path: absolute.

    Raises:
        OSError: it cannot be read.
    """
    return _digest(tuple((each, *_state(each)) for each in _parts(path)))


def _parts(path: Path) -> Iterator[Path]:
    yield path
    for pattern in _WEIGHTS:
        weights = path.with_name(pattern.format(path.name))
        if weights.is_file():
            yield weights


def _state(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=32)
def _digest(parts: tuple[tuple[Path, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _, _ in parts:
        with path.open("rb") as file:
            while some := file.read(_READ_AT_ONCE):
                digest.update(some)
    return digest.hexdigest()
