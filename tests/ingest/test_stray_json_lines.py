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


@pytest.mark.parametrize(
    ("data", "kind", "lost"),
    [
        (bytes(range(256)) * 4, "binary file", False),
        (b"\0\1" * 500, "binary file", False),
        (b"A\0" + bytes([0xD8, 0x00, 0x00, 0xD8]) * 100, "binary file", False),
        ('{"a": "caf\u00e9 \u6771\u4eac"}'.encode("utf-16-le"), "UTF-16 text without a mark", True),
        ('{"a": 1}'.encode("utf-16-be"), "UTF-16 text without a mark", True),
        ('{"a": 1}'.encode("utf-32-le"), "UTF-32 text without a mark", True),
    ],
)
def test_only_what_reads_as_text_is_called_text_of_another_encoding(
    tmp_path: Path, data: bytes, kind: str, lost: bool
) -> None:
    (tmp_path / "bin.jsonl").write_bytes(data)
    report = IngestReport()
    assert ids_in(tmp_path, report) == []
    assert kind in report.skipped_files[0][1]
    assert bool(report.lost_files) is lost
