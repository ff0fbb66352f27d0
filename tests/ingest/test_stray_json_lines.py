"""JSON lines inside a folder of documents that are no chunks."""

from pathlib import Path

import pytest

from packhorse.errors import ChunkError
from packhorse.ingest.chunks import NO_RECORDS, file_chunks, knowledge_files
from packhorse.ingest.report import IngestReport
from packhorse.tokens.registry import counter_named

RECORD = '{"chunk_id": "a", "source_id": "s", "text": "The refund window is 30 days."}\n'


def ids_in(root: Path, report: IngestReport) -> list[str]:
    counter = counter_named("o200k_base")
    return [
        chunk.chunk_id
        for file in knowledge_files(root, report)
        for chunk in file_chunks(file, chunk_tokens=100, counter=counter, report=report)
    ]


@pytest.mark.parametrize(
    "content", ['{"level": "info", "msg": "started"}\n' * 3, "not json\n", "[1, 2]\n", ""]
)
def test_a_log_beside_documents_is_reported_and_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / "events.jsonl").write_text(content, encoding="utf-8")
    (tmp_path / "guide.md").write_text("# Guide\n\nPress the button.\n", encoding="utf-8")
    report = IngestReport()
    assert ids_in(tmp_path, report) == ["guide.md#0000"]
    assert report.skipped_files == [("events.jsonl", NO_RECORDS)]


def test_text_in_another_encoding_is_reported_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_bytes('{"a": 1}\n'.encode("utf-16"))
    report = IngestReport()
    assert ids_in(tmp_path, report) == []
    assert "UTF-16" in report.skipped_files[0][1]


def test_records_beside_documents_are_read_and_bad_ones_are_errors(tmp_path: Path) -> None:
    (tmp_path / "more.jsonl").write_text(RECORD, encoding="utf-8")
    assert ids_in(tmp_path, IngestReport()) == ["a"]
    (tmp_path / "more.jsonl").write_text(f"{{broken\n{RECORD}", encoding="utf-8")
    with pytest.raises(ChunkError):
        ids_in(tmp_path, IngestReport())


def test_a_file_that_was_named_is_read_as_records_whatever_it_holds(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text('{"level": "info"}\n', encoding="utf-8")
    with pytest.raises(ChunkError):
        ids_in(log, IngestReport())
