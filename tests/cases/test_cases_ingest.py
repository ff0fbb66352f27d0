"""Cases from practice about files: marks, line ends, times, bad lines, empty documents."""

import codecs
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from packhorse.errors import ChunkError, InputError
from packhorse.ingest.documents import load_documents
from packhorse.ingest.records import IngestReport, read_chunks
from packhorse.ingest.timestamps import parse_timestamp


def line(chunk_id: str, text: str) -> str:
    return json.dumps({"chunk_id": chunk_id, "source_id": "s", "text": text}, ensure_ascii=False)


def test_case_34_byte_order_mark_is_taken_off_the_start_and_kept_inside(tmp_path: Path) -> None:
    records = tmp_path / "kb.jsonl"
    records.write_bytes(
        codecs.BOM_UTF8 + "\n".join((line("a", "first"), line("b", "in\ufeffner"))).encode()
    )
    first, second = read_chunks(records)
    assert first.chunk_id == "a"
    assert second.text == "in\ufeffner"


def test_case_34_byte_order_mark_of_plain_text_and_front_matter_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(codecs.BOM_UTF8 + "text \ufeff inside".encode())
    (tmp_path / "b.md").write_bytes(codecs.BOM_UTF8 + b"---\ntitle: Named\n---\nBody")
    plain, marked = load_documents(tmp_path)
    assert plain.text == "text \ufeff inside"
    assert (marked.title, marked.text) == ("Named", "Body")


def test_case_34_utf_16_records_are_refused_with_a_clear_message(tmp_path: Path) -> None:
    records = tmp_path / "kb.jsonl"
    records.write_bytes(line("a", "first").encode("utf-16"))
    with pytest.raises(InputError, match="is UTF-16 text, not UTF-8"):
        list(read_chunks(records))


def test_case_35_line_endings_do_not_change_text_or_content_hash(tmp_path: Path) -> None:
    text = "# Title\n\nFirst line\nsecond line\n\n    code\n"
    hashes = []
    for newline in ("\n", "\r\n", "\r"):
        folder = tmp_path / repr(newline).strip("'").replace("\\", "")
        folder.mkdir()
        (folder / "a.md").write_bytes(text.replace("\n", newline).encode())
        (document,) = load_documents(folder)
        assert document.text == text
        records = folder / "kb.jsonl"
        records.write_text(line("a", text.replace("\n", newline)) + "\n", encoding="utf-8")
        (chunk,) = read_chunks(records)
        assert chunk.text == text
        hashes.append(chunk.content_hash())
    assert len(set(hashes)) == 1


def test_case_36_naive_and_aware_times_are_one_instant() -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    dates = (
        "2026-05-02T00:00:00Z",
        "2026-05-02",
        "2026-05-02T02:00:00+02:00",
        1777680000,
        "2026-05-02T00:00:00",
    )
    assert {(now - parse_timestamp(value)).days for value in dates} == {30}
    assert len({parse_timestamp(value) for value in dates}) == 1


CASE_42 = ("{one}", "", '{"chunk_id":"2","text":', "{three}", "   ")


def case_42_file(folder: Path) -> Path:
    path = folder / "kb.jsonl"
    lines = (text.format(one=line("1", "a"), three=line("3", "c")) if text[:2] in ("{o", "{t")
             else text for text in CASE_42)  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_case_42_malformed_line_is_passed_over_and_reported(tmp_path: Path) -> None:
    path = case_42_file(tmp_path)
    report = IngestReport()
    kept = list(read_chunks(path, skip_bad_lines=True, report=report))
    assert [chunk.chunk_id for chunk in kept] == ["1", "3"]
    assert report.n_read == 2
    ((bad_path, number, reason),) = report.bad_lines
    assert (bad_path, number) == (str(path), 3)
    assert "not valid JSON" in reason


def test_case_42_malformed_line_refuses_the_file_when_strict(tmp_path: Path) -> None:
    with pytest.raises(ChunkError) as caught:
        list(read_chunks(case_42_file(tmp_path)))
    assert caught.value.line == 3
    assert "--skip-bad-lines" in caught.value.hint


def test_case_43_empty_documents_are_skipped_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "kb.jsonl"
    texts = {"a": "", "b": " \n ", "c": "\u200b", "d": "real"}
    path.write_text("\n".join(line(key, text) for key, text in texts.items()), encoding="utf-8")
    report = IngestReport()
    assert [chunk.chunk_id for chunk in read_chunks(path, report=report)] == ["d"]
    assert report.skipped_empty == ["a", "b", "c"]
    assert report.bad_lines == []


def test_case_43_empty_files_are_skipped_and_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "b.md").write_text("---\ntitle: Nothing\n---\n \u200b\n", encoding="utf-8")
    (tmp_path / "c.html").write_text("<p>&nbsp;</p><script>x</script>", encoding="utf-8")
    (tmp_path / "d.txt").write_text("real", encoding="utf-8")
    report = IngestReport()
    assert [document.source_id for document in load_documents(tmp_path, report=report)] == ["d.txt"]
    assert report.skipped_empty == ["a.txt", "b.md", "c.html"]
