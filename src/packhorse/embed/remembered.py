"""An embedder that keeps its vectors in a file between processes: a cache that may be deleted.

One SQLite file for all embedders. A row is found by the SHA-256 of the embedder's fingerprint and
the text, so that another model or another text never finds it; of a model that reads questions
otherwise than passages, also by which of them it was. Texts themselves are not in it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING

from packhorse.embed.questions import embed_questions
from packhorse.protocols import EmbedsQuestions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from packhorse.protocols import Embedder
    from packhorse.types.arrays import FloatArray

__all__ = ["VECTORS_FILE", "RememberedEmbedder"]

VECTORS_FILE = "vectors-1.sqlite"
"""The number is the layout's: another layout is another file."""

MAX_ROWS = 200_000
"""About 350 MB of 384 numbers each. The oldest rows go first."""

_SCHEMA = "create table if not exists vectors (key blob primary key, vector blob, seal integer)"
_KEYS_A_QUERY = 500
_PATIENCE_S = 5.0


class RememberedEmbedder:
    """Asks the file first and the embedder for the rest.

    Nothing is raised on account of the file: where it cannot be opened, read or written, vectors
    are made anew. A vector comes back bit for bit as it was made.
    """

    def __init__(self, embedder: Embedder, path: Path, *, max_rows: int = MAX_ROWS) -> None:
        self._embedder = embedder
        self._path = path
        self._max_rows = max_rows

    @property
    def fingerprint(self) -> str:
        """That of the embedder."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), as the embedder makes them; each new text is made once."""
        return self._rows(texts, self._embedder.fingerprint, self._embedder.embed)

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        """The same for questions, which have vectors of their own where the embedder makes them."""
        if not isinstance(self._embedder, EmbedsQuestions):
            return self.embed(texts)
        # A fingerprint is never behind this word: no passage has the key of a question.
        name = f"questions\0{self._embedder.fingerprint}"
        return self._rows(texts, name, partial(embed_questions, self._embedder))

    def _rows(
        self, texts: Sequence[str], name: str, make: Callable[[Sequence[str]], FloatArray]
    ) -> FloatArray:
        import numpy as np

        keys = [_key(name, text) for text in texts]
        found = self._recall(sorted(set(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = np.asarray(make(list(missing.values())), dtype="<f4")
            fresh = {key: row.tobytes() for key, row in zip(missing, made, strict=True)}
            self._keep(fresh)
            found |= fresh
        rows = [np.frombuffer(found[key], dtype="<f4") for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[start : start + _KEYS_A_QUERY]
                marks = ",".join("?" * len(some))
                query = f"select key, vector, seal from vectors where key in ({marks})"  # noqa: S608 - marks
                found |= {
                    key: vector
                    for key, vector, seal in connection.execute(query, some)
                    if isinstance(vector, bytes) and seal == _seal(key, vector)
                }
        return found

    def _keep(self, fresh: Mapping[bytes, bytes]) -> None:
        rows = [(key, vector, _seal(key, vector)) for key, vector in fresh.items()]
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection, connection:
            connection.executemany("insert or replace into vectors values (?, ?, ?)", rows)
            connection.execute(
                "delete from vectors where rowid <= (select max(rowid) from vectors) - ?",
                (self._max_rows,),
            )

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_PATIENCE_S)
        try:
            connection.execute("pragma journal_mode=wal")
            connection.execute("pragma synchronous=off")
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection


def _key(name: str, text: str) -> bytes:
    """Where the vector of a text is found, under everything else that decides it."""
    return hashlib.sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _seal(key: bytes, vector: bytes) -> int:
    """Fits one vector under one key; tells a row that was damaged."""
    return zlib.crc32(vector, zlib.crc32(key))
