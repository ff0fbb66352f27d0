"""manifest.json: the one file that says which generation of an index is live."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import get_ident

from packhorse.errors import StoreError

__all__ = [
    "FORMAT_VERSION",
    "MANIFEST",
    "Fingerprint",
    "Manifest",
    "StoredFile",
    "generation_folder",
    "is_index",
    "read_manifest",
    "write_atomically",
    "write_manifest",
]

FORMAT_VERSION = 5
"""Of an index directory; another one is refused. Another layout raises it, and so do other names of
chunks (`text.names`, `text.opening`, `text.name_words`, `text.addresses`): an index keeps a table
of them."""

MANIFEST = "manifest.json"
_HINT = "Build the index again with `packhorse index`, into a new directory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Everything besides the chunks that decides what a search finds."""

    embedder: str | None
    """The embedder's own fingerprint; None for an index without vectors."""
    embedder_name: str
    """What the registry calls it, for example `minilm`."""
    analysis: str
    """Version of the search terms."""
    splitter: str
    """How documents were cut, for example `chunk_tokens=320`; records are never cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a generation, as it was written."""

    bytes: int
    """Compared whenever the index is opened."""
    sha256: str
    """64 hex digits; compared by `packhorse index --verify`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One published generation."""

    generation: int
    snapshot: str
    """Content hash of the chunks."""
    fingerprint: Fingerprint
    chunks: int
    sources: int
    chunks_without_terms: int
    dimension: int
    """Length of a vector; 0 without vectors."""
    files: Mapping[str, StoredFile] = field(default_factory=dict)
    """Each file of the generation by its path in it, to notice a damaged copy."""
    format: int = FORMAT_VERSION


def generation_folder(kb_dir: Path, generation: int) -> Path:
    """Where a generation lives."""
    return kb_dir / f"gen-{generation:06d}"


def is_index(path: Path) -> bool:
    """Whether a directory holds a published index."""
    return (path / MANIFEST).is_file()


def read_manifest(kb_dir: Path) -> Manifest:
    """The live manifest.

    Raises:
        StoreError: there is none, it cannot be read, or it is of another format.
    """
    path = kb_dir / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise StoreError(
            f"No finished index in {kb_dir}", hint=f"Make one: packhorse index SOURCE --kb {kb_dir}"
        ) from exc
    except (OSError, ValueError) as exc:
        raise StoreError(f"Cannot read {path}: {exc}", hint=_HINT) from exc
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT_VERSION:
        raise StoreError(
            f"{kb_dir} has index format {found}; this version reads {FORMAT_VERSION}", hint=_HINT
        )
    try:
        files = {name: StoredFile(**file) for name, file in data["files"].items()}
        fingerprint = Fingerprint(**data["fingerprint"])
        return Manifest(**{**data, "fingerprint": fingerprint, "files": files})
    except (AttributeError, KeyError, TypeError) as exc:
        raise StoreError(f"{path} is damaged: {exc}", hint=_HINT) from exc


def write_manifest(kb_dir: Path, manifest: Manifest) -> None:
    """Publishes a generation: readers see the old manifest or this one, nothing between."""
    text = json.dumps(asdict(manifest), indent=2, sort_keys=True, ensure_ascii=False)
    write_atomically(kb_dir / MANIFEST, f"{text}\n".encode())


def write_atomically(path: Path, data: bytes) -> None:
    """Writes beside, flushes to disk, renames over, and flushes the directory.

    Two that write at once each have a file of their own; the last one to rename stays.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    flush_directory(path.parent)


def flush_directory(path: Path) -> None:
    """Makes renames inside a directory survive a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
