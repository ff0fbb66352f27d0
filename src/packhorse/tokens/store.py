"""Counts kept in a file between processes. A cache: whatever is wrong with it, counting goes on.

One SQLite file for all tokenizers. A row is found by the SHA-256 of the tokenizer's fingerprint and
the text, so that another vocabulary or another text never finds it, and is believed only when its
seal fits the key and the number. Texts themselves are not in it.

Several processes may read and write at once. One that is killed loses at most its last batch: the
file is never flushed to the disk on purpose, because what is lost is counted again.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COUNTS_FILE", "CountStore", "content_key"]

COUNTS_FILE = "counts-1.sqlite"
"""The number is the layout's: another layout is another file."""
MAX_ROWS = 500_000
"""About 60 MB. The oldest rows go first."""

_SCHEMA = "create table if not exists counts (key blob primary key, tokens integer, seal integer)"
_KEYS_A_QUERY = 500
_PATIENCE_S = 0.25
"""How long to wait for another process; counting again takes less."""


def content_key(fingerprint: str, text: str) -> bytes:
    """Names the count of a text by one tokenizer: 32 bytes."""
    name = f"{fingerprint}\0".encode()
    return hashlib.sha256(name + text.encode("utf-8", "surrogatepass")).digest()


class CountStore:
    """Reads and writes the file of counts. Safe from several threads, processes and after a fork.

    Opened on first use. Nothing is raised: where the file cannot be opened, read or written, counts
    are not found and not kept. A file that is no database is replaced.
    """

    def __init__(self, path: Path, *, max_rows: int = MAX_ROWS) -> None:
        self.path = path
        self._max_rows = max_rows
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._inherited: list[sqlite3.Connection] = []

    def recall(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """The counts that are known, by key."""
        found: dict[bytes, int] = {}
        with self._lock:
            try:
                for start in range(0, len(keys), _KEYS_A_QUERY):
                    some = keys[start : start + _KEYS_A_QUERY]
                    marks = ",".join("?" * len(some))
                    query = f"select key, tokens, seal from counts where key in ({marks})"  # noqa: S608 - marks
                    rows = self._opened().execute(query, some).fetchall()
                    found.update((key, n) for key, n, seal in rows if seal == _seal(key, n))
            except (sqlite3.Error, OSError, ValueError, TypeError) as error:
                self._gave_up(error)
        return found

    def keep(self, counts: Mapping[bytes, int]) -> None:
        """Keeps counts by key; a damaged row under a key is replaced."""
        rows = [(key, tokens, _seal(key, tokens)) for key, tokens in counts.items()]
        with self._lock:
            try:
                connection = self._opened()
                with connection:
                    connection.execute("begin immediate")
                    connection.executemany("insert or replace into counts values (?, ?, ?)", rows)
                    connection.execute(
                        "delete from counts where rowid <= (select max(rowid) from counts) - ?",
                        (self._max_rows,),
                    )
            except (sqlite3.Error, OSError) as error:
                self._gave_up(error)

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        if self._connection is not None:
            # A connection must not be used, nor closed, on the other side of a fork.
            self._inherited.append(self._connection)
            self._connection = None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("pragma journal_mode=wal")
            connection.execute("pragma synchronous=off")
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        self._connection, self._pid = connection, os.getpid()
        return connection

    def _gave_up(self, error: Exception) -> None:
        """Busy, full and forbidden pass; a file that is no database, or another, is removed."""
        passes = isinstance(error, sqlite3.OperationalError) and "no such" not in str(error)
        if passes or not isinstance(error, sqlite3.Error):
            return
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        for suffix in ("", "-wal", "-shm"):
            beside = self.path.with_name(self.path.name + suffix)
            try:
                beside.unlink(missing_ok=True)
            except OSError:  # not ours to remove: it goes on finding nothing
                return


def _seal(key: bytes, tokens: object) -> int:
    """Fits one number under one key; tells a row that was damaged."""
    return zlib.crc32(b"%d" % tokens, zlib.crc32(key)) if type(tokens) is int else -1
