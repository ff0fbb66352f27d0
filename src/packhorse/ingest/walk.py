"""Which files of a folder are looked at, in one fixed order."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.report import IngestReport
from packhorse.text.wellformed import well_formed

__all__ = ["SourceFile", "source_files"]

JUNK_FOLDERS = frozenset(("node_modules", "__pycache__", "__MACOSX", "_sources"))
"""Left out inside a folder and reported; `_sources` repeats the pages of a site as markup."""
POLICY_FILES = frozenset(("kb.yaml", "kb.yml"))
"""What the operator says about the folder: no document of it."""


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
    read twice; hidden files and folders are passed over silently.

    Raises:
        InputError: `root` does not exist or cannot be listed.
    """
    report = report if report is not None else IngestReport()
    if root.is_file():
        yield SourceFile(path=root, source_id=well_formed(root.name), named=True)
        return
    if not root.is_dir():
        raise InputError(f"No file or folder at {root}", hint="Check the path")
    try:
        entries = _listed(root)
    except OSError as exc:
        raise InputError(
            f"Cannot list the folder {root}: {exc.strerror}", hint="Check its permissions"
        ) from exc
    pending = [(entry, "") for entry in reversed(entries)]
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
                    inner = _listed(entry)
                    pending.extend((child, name + "/") for child in reversed(inner))
                continue
        except OSError as exc:
            report.skipped_files.append((name, f"cannot be listed: {exc.strerror}"))
            continue
        if stat.S_ISREG(mode):
            yield SourceFile(path=Path(entry.path), source_id=name)
        else:
            kind = "symbolic link, not followed" if stat.S_ISLNK(mode) else "not a regular file"
            report.skipped_files.append((name, kind))


def _listed(folder: "Path | os.DirEntry[str]") -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)
