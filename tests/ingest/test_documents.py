"""Folders of documents: what is read, in which order, and what is said about the rest."""

import gzip
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.ingest.decode import NotTextError, decode, gunzip
from packhorse.ingest.documents import IngestReport, load_documents
from packhorse.ingest.walk import source_files


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def loaded(root: Path, **settings: Any) -> tuple[dict[str, str], IngestReport]:
    report = IngestReport()
    documents = load_documents(root, report=report, **settings)
    return {document.source_id: document.text for document in documents}, report


def test_files_come_in_one_order_with_posix_paths(tmp_path: Path) -> None:
    for name in ("b/z.txt", "a.txt", "b.txt", "b/a/deep.md", "README", "é.txt"):
        write(tmp_path, name, "text")
    texts, _ = loaded(tmp_path)
    assert list(texts) == ["README", "a.txt", "b/a/deep.md", "b/z.txt", "b.txt", "é.txt"]


def test_a_single_file_is_named_by_its_name_alone(tmp_path: Path) -> None:
    path = write(tmp_path, "sub/one.txt", "text")
    assert loaded(path)[0] == {"one.txt": "text"}


def test_hidden_files_are_left_out_silently_and_junk_folders_with_a_word(tmp_path: Path) -> None:
    for name in (".git/config", ".hidden.txt", "node_modules/x/README.md", "__pycache__/a.txt"):
        write(tmp_path, name, "text")
    write(tmp_path, "kb.yaml", "name: x")
    write(tmp_path, "sub/kb.yaml", "name: an example inside a document folder")
    texts, report = loaded(tmp_path)
    assert list(texts) == ["sub/kb.yaml"]
    assert [name for name, _ in report.skipped_files] == ["__pycache__", "node_modules"]


def test_a_junk_or_hidden_folder_is_read_when_it_is_the_root(tmp_path: Path) -> None:
    write(tmp_path, "node_modules/x/README.md", "text")
    assert list(loaded(tmp_path / "node_modules")[0]) == ["x/README.md"]


def test_symbolic_links_are_not_followed_so_loops_end(tmp_path: Path) -> None:
    write(tmp_path, "a/real.txt", "text")
    (tmp_path / "a/loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "again.txt").symlink_to(tmp_path / "a/real.txt")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    texts, report = loaded(tmp_path)
    assert list(texts) == ["a/real.txt"]
    assert report.skipped_files == [
        ("a/loop", "symbolic link, not followed"),
        ("again.txt", "symbolic link, not followed"),
        ("broken", "symbolic link, not followed"),
    ]


def test_a_root_that_is_a_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "real/a.txt", "text")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert list(loaded(tmp_path / "link")[0]) == ["a.txt"]


def test_a_pipe_is_reported_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    texts, report = loaded(tmp_path)
    assert texts == {}
    assert report.skipped_files == [("pipe.txt", "not a regular file")]


def test_an_unreadable_folder_and_file_are_reported_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "closed/a.txt", "text")
    write(tmp_path, "locked.txt", "text")
    write(tmp_path, "open.txt", "text")
    scandir, read_bytes = os.scandir, Path.read_bytes

    def closed_scandir(path: Any) -> Any:
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def locked_read(path: Path) -> bytes:
        if path.name == "locked.txt":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(os, "scandir", closed_scandir)
    monkeypatch.setattr(Path, "read_bytes", locked_read)
    texts, report = loaded(tmp_path)
    assert list(texts) == ["open.txt"]
    assert report.skipped_files == [
        ("closed", "cannot be listed: Permission denied"),
        ("locked.txt", "cannot be read: Permission denied"),
    ]
    with pytest.raises(InputError, match=r"Cannot list the folder .*Permission denied"):
        list(source_files(tmp_path / "closed"))


def test_a_missing_root_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No file or folder at"):
        list(load_documents(tmp_path / "none"))


def test_binary_data_and_code_files_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.png", b"\x89PNG\r\n\x1a\n\x00\x00")
    write(tmp_path, "b", bytes(range(1, 32)) * 10)
    write(tmp_path, "c.css", "p {}")
    write(tmp_path, "d.devhelp", '<?xml version="1.0"?><book/>')
    texts, report = loaded(tmp_path)
    assert texts == {}
    assert report.skipped_files == [
        ("a.png", "binary file: it holds NUL bytes"),
        ("b", "binary file: it is full of control characters"),
        ("c.css", "no document format (.css)"),
        ("d.devhelp", "no document format (XML)"),
    ]


def test_a_file_that_the_user_names_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    assert loaded(write(tmp_path, "data.json", '{"a": 1}'))[0] == {"data.json": '{"a": 1}'}


def test_a_file_over_the_limit_is_reported_packed_or_not(tmp_path: Path) -> None:
    write(tmp_path, "big.txt", "x" * 2000)
    write(tmp_path, "bomb.txt.gz", gzip.compress(b"x" * 5000))
    write(tmp_path, "small.txt.gz", gzip.compress(b"fits"))
    texts, report = loaded(tmp_path, max_file_bytes=1000)
    assert texts == {"small.txt.gz": "fits"}
    assert report.skipped_files == [
        ("big.txt", "2000 bytes, more than the limit of 1000"),
        ("bomb.txt.gz", "unpacks to more than 1000 bytes"),
    ]


def test_packed_text_is_read_by_the_format_inside(tmp_path: Path) -> None:
    write(tmp_path, "changelog.gz", gzip.compress(b"one") + gzip.compress(b" two"))
    write(tmp_path, "page.html.gz", gzip.compress(b"<h1>Head</h1><p>Body</p>"))
    write(tmp_path, "cut.gz", gzip.compress(b"text" * 100)[:-9])
    write(tmp_path, "false.gz", b"no gzip at all")
    texts, report = loaded(tmp_path)
    assert texts == {"changelog.gz": "one two", "page.html.gz": "# Head\n\nBody\n"}
    assert [name for name, _ in report.skipped_files] == ["cut.gz", "false.gz"]
    assert all("damaged gzip data" in reason for _, reason in report.skipped_files)


def test_a_gzip_bomb_costs_the_limit_and_no_more() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(NotTextError, match="unpacks to more than"):
        gunzip(bomb, 1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        ("café".encode(), "café", ""),
        ("\ufeffcafé".encode(), "café", ""),
        ("café".encode("utf-16"), "café", "read as UTF-16 by its mark"),
        ("café".encode("utf-32"), "café", "read as UTF-32 by its mark"),
        ("café “x”".encode("cp1252"), "café “x”", "not UTF-8: read as Windows-1252"),
        (b"caf\xe9 \x81", "café \x81", "not UTF-8: read as Latin-1"),
        (b"a\r\nb\rc", "a\nb\nc", ""),
        (b"", "", ""),
    ],
)
def test_encodings_are_read_and_guesses_are_noted(data: bytes, text: str, note: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.note) == (text, note)


@pytest.mark.parametrize(
    ("charset", "text"),
    [("koi8-r", "Правила возврата"), ("shift_jis", "税務署"), ("iso-8859-2", "Łódź")],
)
def test_a_page_is_read_by_the_charset_it_declares(charset: str, text: str) -> None:
    page = f'<meta charset="{charset}"><p>{text}</p>'.encode(charset)
    assert text in decode(page, html=True).text
    old = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">{text}'
    assert text in decode(old.encode(charset), html=True).text


@pytest.mark.parametrize("charset", ["no-such", "hex", "utf-8", "rot13"])
def test_a_charset_that_cannot_be_true_is_not_believed(charset: str) -> None:
    page = f'<meta charset="{charset}">caf'.encode() + b"\xe9"
    decoded = decode(page, html=True)
    assert decoded.text.endswith("café")
    assert decoded.note == "not UTF-8: read as Windows-1252"


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_are_text_or_refused(data: bytes, html: bool) -> None:
    try:
        text = decode(data, html=html).text
    except NotTextError:
        return
    assert "\r" not in text
    text.encode("utf-8")


def test_guesses_reach_the_report_with_the_path(tmp_path: Path) -> None:
    write(tmp_path, "sub/old.txt", "café".encode("cp1252"))
    texts, report = loaded(tmp_path)
    assert texts == {"sub/old.txt": "café"}
    assert report.notes == [("sub/old.txt", "not UTF-8: read as Windows-1252")]
    assert report.n_read == 1


def test_html_without_its_suffix_is_still_html(tmp_path: Path) -> None:
    write(tmp_path, "page", "<!DOCTYPE html>\n<html><body><p>Hello</p></body></html>")
    write(tmp_path, "about.txt", "In <html> the body comes second.")
    texts, _ = loaded(tmp_path)
    assert texts == {"about.txt": "In <html> the body comes second.", "page": "Hello\n"}


def test_what_a_packet_wrote_is_passed_over_and_the_rest_of_the_folder_is_read(
    tmp_path: Path,
) -> None:
    packet = ("context_packet.json", "context.txt", "explainability.csv", "messages.json")
    for name in packet:
        write(tmp_path, f"out/{name}", "text")
        write(tmp_path, name, "text")
    write(tmp_path, "guide.md", "text")
    write(tmp_path, "other/context.txt", "a document of that name alone")
    texts, report = loaded(tmp_path)
    assert list(texts) == ["guide.md", "other/context.txt"]
    assert report.skipped_files == [
        (".", "output of packhorse pack"),
        ("out", "output of packhorse pack"),
    ]
    assert report.lost_files == []


def test_files_whose_text_is_missed_are_told_from_what_is_no_document(tmp_path: Path) -> None:
    write(tmp_path, "cut.gz", gzip.compress(b"text" * 100)[:-9])
    write(tmp_path, "big.txt", "x" * 2000)
    write(tmp_path, "big.gz", gzip.compress(b"x" * 2000))
    write(tmp_path, "deep.html", "<div>" * 1000)
    write(tmp_path, "film.mp4", bytes(2000))
    write(tmp_path, "disk.gz", gzip.compress(bytes(2000)))
    write(tmp_path, "data.json", "1" * 2000)
    write(tmp_path, "a.png", b"\x89PNG\x00")
    _, report = loaded(tmp_path, max_file_bytes=1000)
    lost = [name for name, _ in report.lost_files]
    assert lost == ["big.gz", "big.txt", "cut.gz", "deep.html"]
    assert len(report.skipped_files) == 8


def test_a_root_that_is_no_file_and_no_folder_is_called_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    for path, kind in (
        (tmp_path / "pipe", "is a named pipe, no file or folder"),
        (Path(os.devnull), "is a character device, no file or folder"),
        (tmp_path / "broken", "is a symbolic link to nothing"),
    ):
        with pytest.raises(InputError, match=kind):
            list(source_files(path))
