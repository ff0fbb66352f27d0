"""records.sqlite, the system of record: chunks never change, membership is by generation."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhorse.errors import StoreError
from packhorse.kb.codec import decode_chunk

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["RECORDS", "Member", "RecordReader", "RecordWriter"]

RECORDS = "records.sqlite"

_SCHEMA = """
create table if not exists chunks (hash blob primary key, payload blob not null);
create table if not exists vectors (key blob primary key, vector blob not null);
create table if not exists members (
    generation integer not null,
    chunk_id text not null,
    hash blob not null,
    key blob not null,
    source_id text not null,
    origin text not null,
    primary key (generation, chunk_id)
) without rowid;
create index if not exists members_by_key on members (generation, key);
create index if not exists members_by_hash on members (hash);
"""
_HASHES_A_QUERY = 500

_REMEMBERED = 8192
"""Chunks kept in memory, oldest first out: some megabytes, so that all of a knowledge base of some
thousands is read once."""


class Member(NamedTuple):
    """One chunk of one generation."""

    chunk_id: str
    hash: bytes
    """Content hash of the chunk, 32 bytes."""
    key: bytes
    """Names the vector: hash of the embedder and of the searched text, 32 bytes."""
    source_id: str
    origin: str
    """The source argument that gave it, as an absolute path."""


class RecordReader:
    """Reads chunks by content hash. Safe from several threads."""

    def __init__(self, kb_dir: Path) -> None:
        path = self._path = kb_dir / RECORDS
        self._lock = threading.Lock()
        self._latest: dict[bytes, Chunk] = {}
        try:
            self._connection = _open_to_read(path)
        except sqlite3.Error as exc:
            raise StoreError(
                f"Cannot open {path}: {exc}", hint="Check its permissions, or build it again"
            ) from exc

    def chunks(self, hashes: Sequence[bytes]) -> dict[bytes, Chunk]:
        """The chunks that exist, by content hash. The latest are remembered: they never change."""
        with self._lock:
            found = {key: self._latest[key] for key in hashes if key in self._latest}
        read = self._read([key for key in hashes if key not in found])
        with self._lock:
            self._latest.update(read)
            while len(self._latest) > _REMEMBERED:
                del self._latest[next(iter(self._latest))]
        return found | read

    def _read(self, hashes: Sequence[bytes]) -> dict[bytes, Chunk]:
        found: dict[bytes, Chunk] = {}
        for start in range(0, len(hashes), _HASHES_A_QUERY):
            some = hashes[start : start + _HASHES_A_QUERY]
            marks = ",".join("?" * len(some))
            query = f"select hash, payload from chunks where hash in ({marks})"  # noqa: S608 - marks
            try:
                with self._lock:
                    rows = self._connection.execute(query, some).fetchall()
                found.update((key, decode_chunk(payload)) for key, payload in rows)
            except (sqlite3.Error, ValueError, TypeError, IndexError) as exc:
                raise StoreError(
                    f"{self._path} is damaged: {exc}",
                    hint="Build the index again, into a new directory",
                ) from exc
        return found

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


class RecordWriter:
    """Writes the system of record; one process at a time, under the writer's lock."""

    def __init__(self, kb_dir: Path) -> None:
        path = kb_dir / RECORDS
        try:
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            # Readers are never held up: they read the last commit while this one is made.
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=normal")
            self._connection.executescript(_SCHEMA)
        except sqlite3.Error as exc:
            raise StoreError(
                f"Cannot write {path}: {exc}", hint="Check its permissions, or use a new directory"
            ) from exc

    def forget_unpublished(self, generation: int) -> None:
        """Drops membership newer than the published generation: what a killed run left."""
        self._connection.execute("delete from members where generation > ?", (generation,))

    def stage(self, generation: int, batch: Iterable[tuple[Member, bytes]]) -> list[Member]:
        """Adds chunks to a generation, in one commit.

        Returns:
            those whose chunk id the generation had already, with another content; not added.
        """
        clashes: list[Member] = []
        connection = self._connection
        connection.execute("begin")
        for member, payload in batch:
            connection.execute("insert or ignore into chunks values (?, ?)", (member.hash, payload))
            added = connection.execute(
                "insert or ignore into members values (?, ?, ?, ?, ?, ?)", (generation, *member)
            )
            if not added.rowcount:
                there = self.member(generation, member.chunk_id)
                if there is not None and there.hash != member.hash:
                    clashes.append(there)
        connection.execute("commit")
        return clashes

    def carry_over(self, old: int, new: int, origins: Sequence[str]) -> None:
        """Takes the chunks of all other origins into a new generation, where no id stands yet."""
        marks = ",".join("?" * len(origins))
        query = (
            "insert or ignore into members select ?, chunk_id, hash, key, source_id, origin"  # noqa: S608 - marks
            f" from members where generation = ? and origin not in ({marks})"
        )
        self._connection.execute(query, (new, old, *origins))

    def moved(self, old: int, new: int) -> Iterator[tuple[Member, str]]:
        """Chunks whose id came from another origin before, and then had another content."""
        yield from (
            (Member(*row[:5]), row[5])
            for row in self._connection.execute(
                "select o.chunk_id, o.hash, o.key, o.source_id, o.origin, n.origin"
                " from members n join members o on o.chunk_id = n.chunk_id and o.generation = ?"
                " where n.generation = ? and o.origin <> n.origin and o.hash <> n.hash"
                " order by n.chunk_id",
                (old, new),
            )
        )

    def member(self, generation: int, chunk_id: str) -> Member | None:
        """One chunk's membership."""
        row = self._connection.execute(
            "select chunk_id, hash, key, source_id, origin from members"
            " where generation = ? and chunk_id = ?",
            (generation, chunk_id),
        ).fetchone()
        return Member(*row) if row else None

    def difference(self, old: int, new: int) -> dict[str, int]:
        """How many chunks are `added`, `changed`, `removed` and `unchanged` between two."""
        count = self._count
        both = "from members n join members o on o.chunk_id = n.chunk_id and o.generation = ?"
        before = count("from members where generation = ?", old)
        after = count("from members where generation = ?", new)
        kept = count(f"{both} where n.generation = ?", old, new)
        same = count(f"{both} where n.generation = ? and o.hash = n.hash", old, new)
        return {
            "added": after - kept,
            "changed": kept - same,
            "removed": before - kept,
            "unchanged": same,
        }

    def same_origins(self, old: int, new: int) -> bool:
        """Whether every chunk of the new generation comes from where the old one had it from."""
        return not self._count(
            "from members n join members o on o.chunk_id = n.chunk_id and o.generation = ?"
            " where n.generation = ? and o.origin <> n.origin",
            old,
            new,
        )

    def without_vector(
        self, generation: int, after: bytes, limit: int
    ) -> list[tuple[bytes, Chunk]]:
        """The next (key, chunk) that need a vector, by key; `after` is the last key seen."""
        rows = self._connection.execute(
            "select m.key, c.payload from members m join chunks c on c.hash = m.hash"
            " where m.generation = ? and m.key > ?"
            " and not exists (select 1 from vectors v where v.key = m.key)"
            " group by m.key order by m.key limit ?",
            (generation, after, limit),
        ).fetchall()
        return [(key, decode_chunk(payload)) for key, payload in rows]

    def count_without_vector(self, generation: int) -> int:
        """How many vectors are still to be made."""
        return self._count(
            "from (select distinct key from members m where generation = ? and not exists"
            " (select 1 from vectors v where v.key = m.key))",
            generation,
        )

    def add_vectors(self, vectors: Iterable[tuple[bytes, bytes]]) -> None:
        """Keeps vectors by key, in one commit."""
        self._connection.execute("begin")
        self._connection.executemany("insert or ignore into vectors values (?, ?)", vectors)
        self._connection.execute("commit")

    def rows(self, generation: int) -> Iterator[tuple[bytes, Chunk, bytes | None]]:
        """(content hash, chunk, vector) of a generation, in ascending order of chunk id."""
        rows = self._connection.execute(
            "select m.hash, c.payload, v.vector from members m join chunks c on c.hash = m.hash"
            " left join vectors v on v.key = m.key where m.generation = ? order by m.chunk_id",
            (generation,),
        )
        for content_hash, payload, vector in rows:
            yield content_hash, decode_chunk(payload), vector

    def origins(self, generation: int) -> list[str]:
        """Where the chunks of a generation came from, sorted."""
        rows = self._connection.execute(
            "select distinct origin from members where generation = ? order by origin",
            (generation,),
        )
        return [origin for (origin,) in rows]

    def hashes(self, generation: int) -> Iterator[str]:
        """Content hashes of a generation, sorted, as hex digits."""
        for (content_hash,) in self._connection.execute(
            "select hash from members where generation = ? order by hash", (generation,)
        ):
            yield content_hash.hex()

    def counts(self, generation: int) -> tuple[int, int]:
        """(chunks, sources) of a generation."""
        chunks = self._count("from members where generation = ?", generation)
        sources = self._count(
            "from (select distinct source_id from members where generation = ?)", generation
        )
        return chunks, sources

    def keep_only(self, generations: Sequence[int]) -> None:
        """Drops membership, chunks and vectors that no kept generation refers to."""
        marks = ",".join("?" * len(generations))
        connection = self._connection
        connection.execute("begin")
        gone = connection.execute(
            f"delete from members where generation not in ({marks})",  # noqa: S608 - marks
            generations,
        ).rowcount
        if gone:
            connection.execute("delete from chunks where hash not in (select hash from members)")
            connection.execute("delete from vectors where key not in (select key from members)")
        connection.execute("commit")

    def flush(self) -> None:
        """Brings every commit into the main file, and that to the disk."""
        self._connection.execute("pragma wal_checkpoint(full)")

    def close(self) -> None:
        """Closes the file; what was not committed is gone."""
        self._connection.close()

    def _count(self, what: str, *values: object) -> int:
        query = f"select count(*) {what}"
        return int(self._connection.execute(query, values).fetchone()[0])


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Read-only; on a medium that takes no lock files, as a file that nobody writes."""
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(
        f"{uri}?mode=ro", uri=True, check_same_thread=False, timeout=60, isolation_level=None
    )
    try:
        connection.execute("select 1 from chunks limit 1").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        connection = sqlite3.connect(
            f"{uri}?mode=ro&immutable=1", uri=True, check_same_thread=False, isolation_level=None
        )
        connection.execute("select 1 from chunks limit 1").fetchone()
    return connection
