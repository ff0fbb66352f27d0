"""One generation of an index: a clean build of everything a search needs, never changed after."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from packhorse.errors import StoreError
from packhorse.kb.bm25 import Bm25Index, Bm25Writer
from packhorse.kb.damage import BUILD_AGAIN, damage_named
from packhorse.kb.dense import DenseIndex
from packhorse.kb.engine import SearchEngine
from packhorse.kb.forward import ForwardIndex, ForwardWriter
from packhorse.kb.ids import IdTable, IdWriter
from packhorse.kb.lock import LEASE
from packhorse.kb.manifest import StoredFile, flush_directory
from packhorse.kb.mentions import Mentions
from packhorse.kb.names import NameFiles, NameTable, NameWriter
from packhorse.kb.reading_order import ReadingOrder, ReadingOrderWriter
from packhorse.kb.searchable import searchable_text
from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from packhorse.kb.progress import Progress
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["Generation", "check_files", "write_generation"]

_BM25 = "bm25"
_HASH_BYTES = 32
_FILES = {
    "ids": "ids.text",
    "id_ends": "ids.ends",
    "hashes": "hashes.bin",
    "keys": "terms.keys",
    "counts": "terms.counts",
    "term_rows": "terms.rows",
    "vectors": "vectors.f32",
    "name_keys": "names.keys",
    "name_ends": "names.ends",
    "names_held": "names.held",
    "names_called": "names.called",
    **{name: f"order.{name}" for name in ReadingOrder.columns()},
}
_WORDS = ".words.part"
"""What names are counted in; removed before the generation is published."""


def write_generation(
    folder: Path,
    rows: Iterable[tuple[bytes, Chunk, bytes | None]],
    *,
    dimension: int,
    progress: Progress,
) -> tuple[dict[str, StoredFile], int]:
    """Builds a generation from (content hash, chunk, vector), in ascending order of chunk id.

    The folder appears under its name when it is complete. One row is held in memory at a time,
    besides the inverted index's own buffer of 64 MB, 32 bytes for each name of a chunk, and 24
    bytes a row for the reading order.

    Returns:
        the size and hash of each file, and the number of chunks without any searchable term.
    """
    building = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(building, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    building.mkdir()
    (building / LEASE).touch()
    inverted = Bm25Writer(building / _BM25)
    empty = 0
    with contextlib.ExitStack() as stack:
        files: dict[str, BinaryIO] = {
            name: stack.enter_context((building / file).open("wb")) for name, file in _FILES.items()
        }
        ids = IdWriter(files["ids"], files["id_ends"])
        words = stack.enter_context((building / _WORDS).open("w+b"))
        names = NameWriter(_name_files(files, words))
        order = ReadingOrderWriter()
        forward = ForwardWriter(files["keys"], files["counts"], files["term_rows"])
        for row, (content_hash, chunk, vector) in enumerate(rows):
            found = terms(searchable_text(chunk))
            empty += not found
            ids.add(chunk.chunk_id)
            order.add(chunk)
            files["hashes"].write(content_hash)
            forward.add(found)
            inverted.add(row, found)
            names.add(chunk)
            if dimension:
                files["vectors"].write(_checked(vector, dimension, chunk))
            progress.advance(1)
        inverted.finish()
        names.finish()
        reading_order = order.finish()
        for name in ReadingOrder.columns():
            files[name].write(getattr(reading_order, name).tobytes())
        for file in files.values():
            file.flush()
            os.fsync(file.fileno())
    (building / _WORDS).unlink()
    _open_to_others(building)
    written = _written(building)
    flush_directory(building)
    building.rename(folder)
    flush_directory(folder.parent)
    return written, empty


def _name_files(files: Mapping[str, BinaryIO], words: BinaryIO) -> NameFiles:
    return NameFiles(
        keys=files["name_keys"],
        ends=files["name_ends"],
        held=files["names_held"],
        called=files["names_called"],
        words=words,
    )


class Generation:
    """Reads a generation; its files are mapped, not loaded.

    Raises:
        StoreError: a file is missing or has another size than the manifest says.
    """

    def __init__(self, folder: Path, files: Mapping[str, StoredFile], dimension: int) -> None:
        _check_sizes(folder, files)
        self.ids = IdTable(_mapped(folder, "ids", "u1"), _mapped(folder, "id_ends", "<i8"))
        self._hashes = _mapped(folder, "hashes", "u1").reshape(-1, _HASH_BYTES)
        columns = ReadingOrder.columns()
        self.order = ReadingOrder(**{name: _mapped(folder, name, "<i4") for name in columns})
        self.vectors: FloatArray | None = None
        dense = None
        if dimension:
            self.vectors = _mapped(folder, "vectors", "<f4").reshape(-1, dimension)
            dense = DenseIndex(self.vectors)
        forward = ForwardIndex(
            _mapped(folder, "keys", "<u8"),
            _mapped(folder, "counts", "<u2"),
            _mapped(folder, "term_rows", "<i8").reshape(-1, 2),
        )
        lexical = Bm25Index.open(folder / _BM25, forward)
        self.engine = SearchEngine(self.ids, lexical, dense)
        self.names = NameTable(
            _mapped(folder, "name_keys", "<u8"),
            _mapped(folder, "name_ends", "<i8"),
            _mapped(folder, "names_held", "<u4"),
            _mapped(folder, "names_called", "<u8").reshape(-1, 2),
        )
        self.mentions = Mentions(self.ids, self.names, lexical)

    def content_hash(self, row: int) -> bytes:
        """Content hash of a row's chunk, 32 bytes."""
        digest: bytes = self._hashes[row].tobytes()
        return digest


def _mapped(folder: Path, name: str, dtype: str) -> Any:
    path = folder / _FILES[name]
    if not path.stat().st_size:  # an empty file cannot be mapped
        return np.zeros(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))


def check_files(folder: Path, files: Mapping[str, StoredFile]) -> None:
    """Reads every file of a generation and compares it with what was written.

    Raises:
        StoreError: the first file, by name, that is missing or has other bytes.
    """
    _check_sizes(folder, files)
    for name, file in sorted(files.items()):
        with damage_named(folder / name):
            found = _sha256(folder / name)
        if found != file.sha256:
            raise StoreError(
                f"{folder / name} is damaged: its bytes are not those that were written",
                hint=BUILD_AGAIN,
            )


def _check_sizes(folder: Path, files: Mapping[str, StoredFile]) -> None:
    found = {name: path.stat().st_size for name, path in _files_of(folder).items()}
    for name, file in sorted(files.items()):
        if name not in found:
            raise StoreError(f"{folder / name} is missing", hint=BUILD_AGAIN)
        if found[name] != file.bytes:
            raise StoreError(
                f"{folder / name} is damaged: {found[name]} bytes, {file.bytes} were written",
                hint=BUILD_AGAIN,
            )


def _written(folder: Path) -> dict[str, StoredFile]:
    return {
        name: StoredFile(bytes=path.stat().st_size, sha256=_sha256(path))
        for name, path in _files_of(folder).items()
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files_of(folder: Path) -> dict[str, Path]:
    """Every file below a folder, by its path from there, but for locks."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LEASE and not path.name.startswith(".tantivy-")
    }


def _open_to_others(folder: Path) -> None:
    """Gives every file the mode of an ordinary one: tantivy makes some for their owner alone."""
    mode = (folder / _FILES["ids"]).stat().st_mode
    for path in (folder / _BM25).iterdir():
        path.chmod(mode)


def _checked(vector: bytes | None, dimension: int, chunk: Chunk) -> bytes:
    if vector is None or len(vector) != 4 * dimension:
        size = 0 if vector is None else len(vector) // 4
        raise StoreError(
            f"Chunk {chunk.chunk_id!r} has a vector of {size} numbers, not {dimension}",
            hint=BUILD_AGAIN,
        )
    return vector
