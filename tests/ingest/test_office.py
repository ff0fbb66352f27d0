"""PDF and Office files: read when the extra is there, a clear error when it is not."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from packhorse.errors import MissingExtraError
from packhorse.ingest import office
from packhorse.ingest.documents import IngestReport, load_documents

needs_kreuzberg = pytest.mark.skipif(
    find_spec("kreuzberg") is None,
    reason="PDF AND OFFICE ARE NOT TESTED: install the extra, pip install 'packhorse[documents]'",
)

DOCX_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
        "</Types>"
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Target="word/document.xml" Type='
        '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
        "</Relationships>"
    ),
    "word/document.xml": (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Refunds</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>The refund window is 30 days.</w:t></w:r></w:p></w:body></w:document>"
    ),
}


def write_docx(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, xml in DOCX_PARTS.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + xml)


def write_pdf(path: Path, text: str) -> None:
    drawing = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode()
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
            b"/Resources<</Font<</F1 5 0 R>>>>>>"
        ),
        b"<</Length %d>>stream\n%b\nendstream" % (len(drawing), drawing),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj%bendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)
    path.write_bytes(out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer)


@needs_kreuzberg
def test_a_pdf_and_a_word_file_are_read_and_leave_nothing_behind(tmp_path: Path) -> None:
    write_docx(tmp_path / "a.docx")
    write_pdf(tmp_path / "b.pdf", "The refund window is 30 days.")
    word, pdf = load_documents(tmp_path)
    assert (word.source_id, word.title) == ("a.docx", "Refunds")
    assert "The refund window is 30 days." in word.text
    assert pdf.text.strip() == "The refund window is 30 days."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.docx", "b.pdf"]


@needs_kreuzberg
def test_a_damaged_pdf_is_reported_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing of the kind")
    report = IngestReport()
    assert list(load_documents(tmp_path, report=report)) == []
    ((name, reason),) = report.skipped_files
    assert name == "bad.pdf"
    assert reason.startswith("cannot be read: ")
    assert "\n" not in reason


@pytest.fixture
def without_kreuzberg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "find_spec", lambda _: None)


@pytest.mark.usefixtures("without_kreuzberg")
def test_without_the_extra_a_named_file_is_an_error_that_says_what_to_install(
    tmp_path: Path,
) -> None:
    write_pdf(tmp_path / "a.pdf", "text")
    with pytest.raises(MissingExtraError, match=r"Reading a\.pdf needs the package") as caught:
        list(load_documents(tmp_path / "a.pdf"))
    assert caught.value.hint == "Install it with: pip install 'packhorse[documents]'"


@pytest.mark.usefixtures("without_kreuzberg")
def test_without_the_extra_a_folder_is_read_and_the_file_reported(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "text")
    (tmp_path / "b.txt").write_text("text", encoding="utf-8")
    report = IngestReport()
    assert [document.source_id for document in load_documents(tmp_path, report=report)] == ["b.txt"]
    ((name, reason),) = report.skipped_files
    assert name == "a.pdf"
    assert "packhorse[documents]" in reason
