"""Which files of a folder are looked at, in one fixed order."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.report import IngestReport
from packhorse.kb.lock import WRITER_LOCK
from packhorse.kb.manifest import MANIFEST
from packhorse.kb.records import RECORDS
from packhorse.text.wellformed import well_formed

__all__ = ["SourceFile", "source_files"]

JUNK_FOLDERS = frozenset(("node_modules", "__pycache__", "__MACOSX", "_sources"))
"""Left out inside a folder and reported; `_sources` repeats the pages of a site as markup."""
POLICY_FILES = frozenset(("kb.yaml", "kb.yml"))
"""What the operator says about the folder: no document of it."""
PACKET_MARKS = frozenset(("context_packet.json", "context.txt", "explainability.csv"))
"""A folder that holds all of them is one that a packet was written to."""
PACKET_FILES = PACKET_MARKS | {"messages.json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file to read, and the name that its chunks carry."""

    path: Path
    source_id: str
    """POSIX path relative to the root; the file's name when the root is a file."""
    named: bool = False
    """Whether the user named this very file, so that it is read whatever its suffix says."""


def source_files(root: Path, report: IngestReport | None = None) -> Iterator[SourceFile]:
    """Yields the regular files under `root`, sorted by path name by name, or `root` itself.

    Symbolic links inside the folder are not followed, so that no loop is entered and no file is
    read twice; hidden files and folders are passed over silently. What Packhorse itself has made,
    the files of a packet and whole indexes, is passed over and reported.

    Raises:
        InputError: `root` does not exist, is no file or folder, cannot be listed or is an index.
    """
    report = report if report is not None else IngestReport()
    if root.is_file():
        yield SourceFile(path=root, source_id=well_formed(root.name), named=True)
        return
    pending = [(entry, "") for entry in reversed(_root_entries(root, report))]
    while pending:
        entry, parent = pending.pop()
        name = parent + well_formed(entry.name)
        if entry.name.startswith(".") or (not parent and entry.name in POLICY_FILES):
            continue
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                if entry.name in JUNK_FOLDERS:
                    report.skipped_files.append((name, "folder that holds no documents as a rule"))
                else:
                    inner = _documents_among(_listed(entry), name, report)
                    pending.extend((child, name + "/") for child in reversed(inner))
                continue
        except OSError as exc:
            report.lose(name, f"cannot be listed: {exc.strerror}")
            continue
        if stat.S_ISREG(mode):
            yield SourceFile(path=Path(entry.path), source_id=name)
        else:
            kind = "symbolic link, not followed" if stat.S_ISLNK(mode) else "not a regular file"
            report.skipped_files.append((name, kind))


def _root_entries(root: Path, report: IngestReport) -> list[os.DirEntry[str]]:
    if not root.is_dir():
        raise InputError(_no_source(root), hint="Check the path")
    try:
        entries = _listed(root)
    except OSError as exc:
        raise InputError(
            f"Cannot list the folder {root}: {exc.strerror}", hint="Check its permissions"
        ) from exc
    if _is_index(entries):
        raise InputError(
            f"{root} is an index, not a source", hint="Name what the index was made from"
        )
    return _documents_among(entries, ".", report)


def _no_source(path: Path) -> str:
    """What a path leads to that is no regular file and no folder."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            mode = path.stat().st_mode
    except FileNotFoundError:
        link = "a symbolic link to nothing" if path.is_symlink() else ""
        return f"{path} is {link}" if link else f"No file or folder at {path}"
    except OSError as exc:
        return f"Cannot look at {path}: {exc.strerror or exc}"
    kinds = {
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a character device",
        stat.S_IFBLK: "a block device",
    }
    return f"{path} is {kinds.get(stat.S_IFMT(mode), 'something else')}, no file or folder"


def _documents_among(
    entries: list[os.DirEntry[str]], name: str, report: IngestReport
) -> list[os.DirEntry[str]]:
    """The entries of a folder that Packhorse has not made itself."""
    if _is_index(entries):
        report.skipped_files.append((name, "index made by packhorse index"))
        return []
    if {entry.name for entry in entries} >= PACKET_MARKS:
        report.skipped_files.append((name, "output of packhorse pack"))
        return [entry for entry in entries if entry.name not in PACKET_FILES]
    return entries


def _is_index(entries: list[os.DirEntry[str]]) -> bool:
    """Whether a folder holds an index, finished or not."""
    names = {entry.name for entry in entries}
    return RECORDS in names and not names.isdisjoint((MANIFEST, WRITER_LOCK))


def _listed(folder: "Path | os.DirEntry[str]") -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)
