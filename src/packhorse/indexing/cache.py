"""Where the indexes of sources that nobody indexed are kept, and when they are still good."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.ingest.chunks import knowledge_files
from packhorse.kb.manifest import FORMAT_VERSION, write_atomically
from packhorse.text.analysis import ANALYSIS_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_entry", "cache_root", "read_source_record", "signature", "write_source_record"]

HASHED_WHOLE_BYTES = 16 * 1024 * 1024
"""Up to this size the content of a source decides; beyond it, the size and dates of its files."""

_SOURCE_RECORD = "source.json"
_READ_AT_ONCE = 1024 * 1024


def cache_root(cache_dir: Path | None = None) -> Path:
    """The cache directory: as given, else `$XDG_CACHE_HOME/packhorse`, else `~/.cache/packhorse`.

    Where that cannot be written, a directory of the user's own below the temporary one.
    """
    if cache_dir is not None:
        return cache_dir
    base = os.environ.get("XDG_CACHE_HOME")
    root = (Path(base) if base else Path.home() / ".cache") / "packhorse"
    return root if _usable(root) else _temporary_root()


def cache_entry(root: Path, source: Path, *, embedder: str, splitter: str, lenient: bool) -> Path:
    """The index directory of a source: named after it and everything that decides its content."""
    decides = [str(source.resolve()), embedder, splitter, str(lenient)]
    decides += [ANALYSIS_VERSION, str(FORMAT_VERSION)]
    digest = hashlib.sha256("\0".join(decides).encode("utf-8", "surrogateescape")).hexdigest()
    return root / "kb" / digest[:24]


def signature(source: Path) -> str:
    """Changes whenever the files of a source change.

    Small sources are hashed whole, so that a date says nothing. For large ones it is the names,
    sizes, dates of modification and change, and file numbers.

    Raises:
        InputError: the source does not exist or cannot be listed.
    """
    stats = []
    for file in knowledge_files(source):
        try:
            stats.append((file, file.path.stat()))
        except OSError:  # gone since it was listed; the reader will say so
            continue
    whole = sum(stat.st_size for _, stat in stats) <= HASHED_WHOLE_BYTES
    digest = hashlib.sha256()
    for file, stat in stats:
        digest.update(f"{file.source_id}\0{stat.st_size}\0".encode())
        if whole:
            digest.update(_content(file.path))
        else:
            digest.update(f"{stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}\0".encode())
    return digest.hexdigest()


def read_source_record(entry: Path) -> Mapping[str, object]:
    """What was noted about the source when it was indexed; empty when nothing usable is there."""
    try:
        data = json.loads((entry / _SOURCE_RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def write_source_record(entry: Path, record: Mapping[str, object]) -> None:
    """Notes the signature that was indexed, and what was passed over."""
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False)
    write_atomically(entry / _SOURCE_RECORD, f"{text}\n".encode())


def _content(path: Path) -> bytes:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while part := file.read(_READ_AT_ONCE):
                digest.update(part)
    except OSError:  # unreadable: the report of the reader names it
        return b""
    return digest.digest()


def _usable(root: Path) -> bool:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(root, os.W_OK | os.X_OK)


def _temporary_root() -> Path:
    """Below the temporary directory, and refused when it belongs to somebody else."""
    root = Path(tempfile.gettempdir()) / f"packhorse-{os.getuid()}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        if root.stat().st_uid == os.getuid():
            return root
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="packhorse-"))
