"""Documents of a file or a folder: text, Markdown, reStructuredText, HTML, PDF and Office."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from packhorse.errors import MissingExtraError
from packhorse.ingest.decode import HEAD_BYTES, LostTextError, NotTextError, decode, gunzip
from packhorse.ingest.document import Document
from packhorse.ingest.html import html_document
from packhorse.ingest.markdown import markdown_document
from packhorse.ingest.office import OFFICE_SUFFIXES, office_document
from packhorse.ingest.plain_text import rst_document, text_document
from packhorse.ingest.report import IngestReport
from packhorse.ingest.visible import has_visible_text
from packhorse.ingest.walk import SourceFile, source_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "FORMATS",
    "MAX_FILE_BYTES",
    "Document",
    "IngestReport",
    "load_document",
    "load_documents",
]

Loader = Callable[[str, str, IngestReport], Document]

FORMATS: Mapping[str, Loader] = {
    ".md": markdown_document,
    ".markdown": markdown_document,
    ".mdx": markdown_document,
    ".html": html_document,
    ".htm": html_document,
    ".xhtml": html_document,
    ".rst": rst_document,
}
"""Suffix -> loader; any other file that proves to be text is read as plain text."""

NO_DOCUMENTS = frozenset(
    (
        ".json", ".jsonl", ".ndjson", ".js", ".mjs", ".cjs", ".css", ".map", ".svg", ".inv",
        ".lock", ".ps", ".eps", ".po", ".pot", ".ipynb", ".sqlite", ".db", ".parquet", ".xml",
        ".sum",
    )
)  # fmt: skip
"""Text by content, but data or code that nobody asks questions about; records are read apart."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A larger file, packed or unpacked, is reported and not read."""

HTML_OPENERS = ("<!doctype html", "<html", "<?xml")


def load_documents(
    root: Path, *, report: IngestReport | None = None, max_file_bytes: int = MAX_FILE_BYTES
) -> Iterator[Document]:
    """Yields the documents under `root`, a file or a folder, in the order of their paths.

    Files that are binary, unreadable, too large, damaged or of no document format are listed in
    `report`; so are those without any text. One file is held at a time.

    Raises:
        InputError: `root` does not exist or cannot be listed.
        MissingExtraError: `root` itself is a PDF or Office file and the extra `documents` is
            missing; inside a folder such files are reported.
    """
    report = report if report is not None else IngestReport()
    for file in source_files(root, report):
        document = load_document(file, report=report, max_file_bytes=max_file_bytes)
        if document is not None:
            yield document


def load_document(
    file: SourceFile,
    *,
    report: IngestReport | None = None,
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Document | None:
    """The document of one file, or None with the reason in `report`.

    Raises:
        MissingExtraError: the user named this PDF or Office file, and the extra `documents` is
            missing; inside a folder such files are reported.
    """
    report = report if report is not None else IngestReport()
    before = len(report.skipped_files)
    document = None
    try:
        document = _read(file, report, max_file_bytes)
    except LostTextError as exc:
        report.lose(file.source_id, str(exc))
    except NotTextError as exc:
        report.skipped_files.append((file.source_id, str(exc)))
    except MissingExtraError as exc:
        if file.named:
            raise
        report.lose(file.source_id, f"{exc.message}. {exc.hint}")
    except OSError as exc:
        report.lose(file.source_id, f"cannot be read: {exc.strerror or exc}")
    if document is None or len(report.skipped_files) > before:
        return None
    if not has_visible_text(document.text):
        report.skipped_empty.append(file.source_id)
        return None
    report.n_read += 1
    return document


def _read(file: SourceFile, report: IngestReport, max_bytes: int) -> Document | None:
    packed = file.path.suffix.lower() == ".gz"
    inner = file.path.with_suffix("") if packed else file.path
    suffix = inner.suffix.lower()
    if suffix in NO_DOCUMENTS and not file.named:
        raise NotTextError(f"no document format ({suffix})")
    office = suffix in OFFICE_SUFFIXES and not packed
    size = file.path.stat().st_size
    if size > max_bytes:
        if not (packed or office):
            _refuse_binary(file.path)
        raise LostTextError(f"{size} bytes, more than the limit of {max_bytes}")
    if office:
        return office_document(file.source_id, file.path, report)
    data = file.path.read_bytes()
    if packed:
        data = gunzip(data, max_bytes)
    loader = FORMATS.get(suffix, text_document)
    decoded = decode(data, html=loader is html_document)
    if decoded.note:
        report.notes.append((file.source_id, decoded.note))
    if loader is text_document and not file.named:
        loader = _by_content(decoded.text)
    return loader(file.source_id, decoded.text, report)


def _refuse_binary(path: Path) -> None:
    """Raises NotTextError for a film or a disk image, which is not missed for its size."""
    with path.open("rb") as file:
        decode(file.read(HEAD_BYTES))


def _by_content(text: str) -> Loader:
    """HTML without its suffix is still HTML; all other text is read as it is."""
    opening = text[:1000].lstrip().lower()
    if opening.startswith(HTML_OPENERS) and "<html" in opening:
        return html_document
    if opening.startswith("<?xml"):
        raise NotTextError("no document format (XML)")
    return text_document
