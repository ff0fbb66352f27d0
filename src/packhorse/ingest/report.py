"""What was read, what was passed over and why."""

from dataclasses import dataclass, field

__all__ = ["IngestReport"]


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """Collects what readers found. Mutable: one report follows many files; lists keep their order.

    Paths are as the reader was given them; under a folder they are relative to it.
    """

    n_read: int = 0
    """Records and documents handed on."""
    bad_lines: list[tuple[str, int, str]] = field(default_factory=list)
    """(path, 1-based line, reason) of each record that was left out."""
    skipped_empty: list[str] = field(default_factory=list)
    """Chunk ids or source ids without any visible character: no text."""
    n_empty_records: int = 0
    """How many of `skipped_empty` are records; the others are documents, of which many are."""
    replaced_surrogates: list[str] = field(default_factory=list)
    """Chunk ids or source ids in which lone surrogates became U+FFFD."""
    skipped_files: list[tuple[str, str]] = field(default_factory=list)
    """(path, reason) of each file or folder that was not read."""
    lost_files: list[tuple[str, str]] = field(default_factory=list)
    """Those of `skipped_files` in which there may be text that the user would miss: unreadable,
    damaged, too large, or in need of a package."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """(path, what was assumed) of each file that was read under a guess."""

    def lose(self, path: str, reason: str) -> None:
        """Lists a file or folder whose text is missed."""
        self.skipped_files.append((path, reason))
        self.lost_files.append((path, reason))
