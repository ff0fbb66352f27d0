"""Locks between processes: one writer an index, and readers that keep their generation alive.

The operating system drops these locks when a process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from pathlib import Path

from packhorse.errors import StoreError

__all__ = ["LEASE", "WRITER_LOCK", "Lease", "WriterLock"]

LEASE = "lease"
"""File of a generation that its readers lock."""
WRITER_LOCK = ".writer.lock"
"""File of an index that its writer locks; it stays."""


class WriterLock:
    """Held by the one process that may write an index.

    Args:
        kb_dir: the index directory.
        wait: wait for another writer to finish instead of raising.

    Raises:
        StoreError: another process holds it, or nothing can be written there.
    """

    def __init__(self, kb_dir: Path, *, wait: bool = False) -> None:
        try:
            self._handle = os.open(kb_dir / WRITER_LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as exc:
            raise StoreError(
                f"Cannot write into {kb_dir}: {exc.strerror}",
                hint="Check its permissions, or name another directory",
            ) from exc
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as exc:
            os.close(self._handle)
            raise StoreError(
                f"Another process is indexing into {kb_dir}",
                hint="Wait until it has finished, then run the command again",
            ) from exc

    def release(self) -> None:
        """Lets the next writer in."""
        os.close(self._handle)


class Lease:
    """A shared lock on a generation: as long as a reader holds one, no writer removes it.

    A lease that nobody refers to any more is given back, so that a reader who forgets to close
    does not keep old generations for ever.
    """

    def __init__(self, handle: int) -> None:
        self._close = weakref.finalize(self, os.close, handle)

    @classmethod
    def shared(cls, folder: Path) -> Lease | None:
        """For a reader; None when the generation is gone, so that the reader looks again."""
        return cls._take(folder, fcntl.LOCK_SH)

    @classmethod
    def exclusive(cls, folder: Path) -> Lease | None:
        """For the writer that removes a generation; None when a reader still holds it."""
        return cls._take(folder, fcntl.LOCK_EX)

    @classmethod
    def _take(cls, folder: Path, kind: int) -> Lease | None:
        path = folder / LEASE
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise StoreError(
                f"Cannot read {path}: {exc.strerror}", hint="Check its permissions"
            ) from exc
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            # The file may have been removed between opening and locking it.
            if path.stat().st_ino == os.fstat(handle).st_ino:
                return cls(handle)
        except OSError:
            pass
        os.close(handle)
        return None

    def release(self) -> None:
        """Gives the lock back; again, does nothing."""
        self._close()
