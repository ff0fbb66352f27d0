"""Sources to chunks: records as they are, documents split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.ingest.report import IngestReport
from packhorse.ingest.walk import source_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from packhorse.ingest.walk import SourceFile
    from packhorse.protocols import TokenCounter
    from packhorse.types.chunk import Chunk

__all__ = ["CHUNKS_FILE", "RECORD_SUFFIXES", "file_chunks", "knowledge_files"]

CHUNKS_FILE = "chunks.jsonl"
"""A folder that holds it is a knowledge base of these records, whatever else lies there."""
RECORD_SUFFIXES = frozenset((".jsonl", ".ndjson"))
NO_RECORDS = "JSON lines that are no chunks (none of the first has a chunk_id)"


def knowledge_files(root: Path, report: IngestReport | None = None) -> Iterator[SourceFile]:
    """Yields the files that a source stands for: its chunks.jsonl alone, or all under it.

    Raises:
        InputError: `root` does not exist or cannot be listed.
    """
    records = root / CHUNKS_FILE
    yield from source_files(records if records.is_file() else root, report)


def file_chunks(
    file: SourceFile,
    *,
    chunk_tokens: int,
    counter: TokenCounter,
    skip_bad_lines: bool = False,
    report: IngestReport | None = None,
) -> Iterator[Chunk]:
    """Yields the chunks of one file: of records when it is JSON lines, else of its document.

    JSON lines that nobody named and that hold something else, such as a log, are reported and
    passed over.

    Chunk ids are unique in the file; two sources may still share one.

    Raises:
        ChunkError: a bad record, unless they are skipped.
        InputError: a file of records that cannot be read.
        MissingExtraError: the user named this PDF or Office file, and the extra `documents` is
            missing.
    """
    # Loaders are imported where files are read: opening a finished index reads none.
    if file.path.suffix.lower() in RECORD_SUFFIXES:
        from packhorse.ingest.records import read_chunks

        if not (file.named or file.path.name == CHUNKS_FILE or _holds_records(file, report)):
            return
        yield from read_chunks(file.path, skip_bad_lines=skip_bad_lines, report=report)
        return
    from packhorse.ingest.documents import load_document
    from packhorse.ingest.splitter import split_document

    document = load_document(file, report=report)
    if document is not None:
        yield from split_document(document, chunk_tokens=chunk_tokens, counter=counter)


def _holds_records(file: SourceFile, report: IngestReport | None) -> bool:
    """Whether JSON lines that came along in a folder are chunks; if not, the report says why."""
    from packhorse.ingest.lines import BinaryFileError
    from packhorse.ingest.records import holds_records

    report = report if report is not None else IngestReport()
    try:
        if holds_records(file.path):
            return True
        report.skipped_files.append((file.source_id, NO_RECORDS))
    except BinaryFileError as error:
        report.skipped_files.append((file.source_id, error.message))
    except InputError as error:
        report.lose(file.source_id, error.message)
    return False
