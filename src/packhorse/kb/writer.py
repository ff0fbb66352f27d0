"""Writes an index directory: only what changed is computed, and readers never see half of it.

A run (1) stages chunks in the system of record, (2) makes the vectors that are missing, (3) builds
a new generation beside the live one, (4) publishes it by renaming its manifest into place, and
(5) removes generations that nobody reads any more. Killed at any moment it leaves the old
generation live; what (1) and (2) have kept is used by the next run.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from packhorse.errors import FingerprintError, InputError, StoreError
from packhorse.kb.codec import encode_chunk
from packhorse.kb.damage import is_panic
from packhorse.kb.generation import write_generation
from packhorse.kb.lock import Lease, WriterLock
from packhorse.kb.manifest import (
    Fingerprint,
    Manifest,
    generation_folder,
    is_index,
    read_manifest,
    write_manifest,
)
from packhorse.kb.progress import Progress, Silent
from packhorse.kb.records import Member, RecordWriter
from packhorse.kb.searchable import searchable_text
from packhorse.kb.snapshot import snapshot_of
from packhorse.text.analysis import ANALYSIS_VERSION

if TYPE_CHECKING:
    from packhorse.protocols import Embedder
    from packhorse.types.chunk import Chunk

__all__ = ["IndexChange", "IndexWriter"]

_STAGED_AT_ONCE = 500
_EMBEDDED_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChange:
    """What a run did to an index, in chunks."""

    added: int
    changed: int
    removed: int
    unchanged: int
    embedded: int
    """Vectors that had to be made."""
    manifest: Manifest
    """The generation that is live now; the old one when nothing changed."""


class IndexWriter:
    """Changes one index directory. Use as a context manager; `commit` publishes, nothing else does.

    Args:
        kb_dir: the directory; made when it does not exist.
        embedder: makes the vectors; None for an index without vectors.
        embedder_name: what the registry calls it; kept, so that a reader can load it.
        splitter: how documents were cut; part of the fingerprint.
        progress: is told about the stages.
        wait: wait for another writer instead of raising.

    Raises:
        FingerprintError: the index was built with another embedder, splitter or analysis.
        StoreError: another process is writing, or the directory cannot be used.
    """

    def __init__(
        self,
        kb_dir: Path,
        *,
        embedder: Embedder | None,
        embedder_name: str = "none",
        splitter: str = "",
        progress: Progress | None = None,
        wait: bool = False,
    ) -> None:
        self._dir = kb_dir
        self._embedder = embedder
        self._fingerprint = Fingerprint(
            embedder=embedder.fingerprint if embedder else None,
            embedder_name=embedder_name if embedder else "none",
            analysis=ANALYSIS_VERSION,
            splitter=splitter,
        )
        self._progress = progress or Silent()
        self._origins: list[str] = []
        _make_directory(kb_dir)
        self._lock = WriterLock(kb_dir, wait=wait)
        try:
            self._live = read_manifest(kb_dir) if is_index(kb_dir) else None
            if self._live is not None:
                check_fingerprint(kb_dir, self._live.fingerprint, self._fingerprint)
            self._old = self._live.generation if self._live else 0
            self._new = self._old + 1
            self._records = RecordWriter(kb_dir)
            self._records.forget_unpublished(self._old)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the lock back; what was not committed stays out of the index."""
        self._records.close()
        self._lock.release()

    def stage(self, origin: str, chunks: Iterable[Chunk]) -> None:
        """Says that `chunks` are all that `origin` holds now.

        Chunks of other origins stay.

        Raises:
            InputError: two sources of this run give different chunks one id.
            StoreError: the index cannot be written; the disk may be full.
        """
        self._origins.append(origin)
        stream = iter(chunks)
        while batch := list(islice(stream, _STAGED_AT_ONCE)):
            try:
                clashes = self._records.stage(self._new, self._members(origin, batch))
            except sqlite3.Error as exc:
                raise self._unwritable(exc) from exc
            if clashes:
                raise _clash(clashes[0], origin)
            self._progress.advance(len(batch))

    def commit(self) -> IndexChange:
        """Computes what is missing and publishes the staged chunks as a new generation.

        Raises:
            InputError: a chunk id belongs to a source that still exists and is not of this run.
            StoreError: the index cannot be written; the disk may be full.
        """
        try:
            return self._publish()
        # tantivy reports everything, a full disk included, as a ValueError.
        except (OSError, sqlite3.Error, ValueError) as exc:
            raise self._unwritable(exc) from exc
        except BaseException as exc:
            if not is_panic(exc):
                raise
            raise self._unwritable(exc) from exc

    def known_origins(self) -> list[str]:
        """Where the chunks of the live generation came from, sorted."""
        return self._records.origins(self._old)

    def _publish(self) -> IndexChange:
        records, old, new = self._records, self._old, self._new
        self._refuse_clashes()
        records.carry_over(old, new, self._origins)
        change = records.difference(old, new)
        if self._live is not None and self._is_unchanged(change):
            records.forget_unpublished(old)
            if self._live.fingerprint != self._fingerprint:
                # The same embedder under another name: where its file or its server is now.
                self._live = replace(self._live, fingerprint=self._fingerprint)
                write_manifest(self._dir, self._live)
            return IndexChange(**change, embedded=0, manifest=self._live)
        embedded, dimension = self._embed()
        chunks, sources = records.counts(new)
        self._progress.stage("index", chunks)
        files, empty = write_generation(
            generation_folder(self._dir, new),
            records.rows(new),
            dimension=dimension,
            progress=self._progress,
        )
        manifest = Manifest(
            generation=new,
            snapshot=snapshot_of(records.hashes(new)),
            fingerprint=self._fingerprint,
            chunks=chunks,
            sources=sources,
            chunks_without_terms=empty,
            dimension=dimension,
            files=files,
        )
        records.flush()
        write_manifest(self._dir, manifest)
        self._remove_old()
        return IndexChange(**change, embedded=embedded, manifest=manifest)

    def _unwritable(self, exc: BaseException) -> StoreError:
        return StoreError(
            f"Cannot write the index in {self._dir}: {exc}",
            hint="Check its permissions and the space left, then run the command again",
        )

    def _refuse_clashes(self) -> None:
        """An id belongs to one source; a source that has moved takes its chunks along."""
        for before, origin in self._records.moved(self._old, self._new):
            if before.origin not in self._origins and Path(before.origin).exists():
                raise _clash(before, origin)

    def _members(self, origin: str, batch: Iterable[Chunk]) -> Iterator[tuple[Member, bytes]]:
        made_by = (self._fingerprint.embedder or "").encode()
        for chunk in batch:
            text = searchable_text(chunk).encode("utf-8", "surrogatepass")
            member = Member(
                chunk_id=chunk.chunk_id,
                hash=bytes.fromhex(chunk.content_hash()),
                key=hashlib.sha256(made_by + b"\0" + text).digest(),
                source_id=chunk.source_id,
                origin=origin,
            )
            yield member, encode_chunk(chunk)

    def _is_unchanged(self, change: Mapping[str, int]) -> bool:
        moved = change["added"] + change["changed"] + change["removed"]
        return not moved and self._records.same_origins(self._old, self._new)

    def _embed(self) -> tuple[int, int]:
        """Makes missing vectors, kept batch by batch; how many, and how long a vector is."""
        if self._embedder is None:
            return 0, 0
        self._progress.stage("embed", self._records.count_without_vector(self._new))
        made, last = 0, b""
        while batch := self._records.without_vector(self._new, last, _EMBEDDED_AT_ONCE):
            vectors = self._embedder.embed([searchable_text(chunk) for _, chunk in batch])
            self._records.add_vectors(
                (key, vector.astype("<f4").tobytes())
                for (key, _), vector in zip(batch, vectors, strict=True)
            )
            made, last = made + len(batch), batch[-1][0]
            self._progress.advance(len(batch))
        return made, self._embedder.dimension

    def _remove_old(self) -> None:
        """Removes all generations but this one, the one before, and those that are being read."""
        kept = [self._old, self._new]
        for folder in sorted(self._dir.glob("gen-*")):
            number = int(folder.name.removeprefix("gen-"))
            if number in kept:
                continue
            lease = Lease.exclusive(folder)
            if lease is None:
                kept.append(number)
                continue
            shutil.rmtree(folder, ignore_errors=True)
            lease.release()
        self._records.keep_only(sorted(kept))


def _clash(before: Member, origin: str) -> InputError:
    return InputError(
        f"Chunk id {before.chunk_id!r} is in {before.origin}"
        f" and, with another content, in {origin}",
        hint="Index the folder above both, or index them into directories of their own",
    )


def check_fingerprint(where: Path, built: Fingerprint, asked: Fingerprint) -> None:
    """Compares what built an index with what would now add to it.

    Raises:
        FingerprintError: they differ; both are named.
    """
    for name in ("embedder", "analysis", "splitter"):
        before, now = getattr(built, name), getattr(asked, name)
        if before != now:
            raise FingerprintError(
                f"{where} was built with {name} {before or 'none'!r}, not {now or 'none'!r}",
                built_with=str(before or "none"),
                asked_for=str(now or "none"),
                hint="Use the settings it was built with, or index into a new directory",
            )


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreError(
            f"Cannot use {path} as an index directory: {exc.strerror or exc}",
            hint="Name a directory that can be written",
        ) from exc
