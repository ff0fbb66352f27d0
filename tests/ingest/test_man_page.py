"""Manual pages: the title, headings at the margin, and what is none."""

from pathlib import Path

from packhorse.ingest.documents import load_documents
from packhorse.ingest.man_page import is_man_page
from packhorse.ingest.splitter import split_document
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_of

PAGE = """
SYSTEMD.TIME(7)                  systemd.time                  SYSTEMD.TIME(7)

NAME
       systemd.time - Time and date specifi\u2010
       cations

PARSING TIME SPANS
   Units
       The following units are understood: usec, msec, seconds.

       See ls(1).

SEE ALSO
       systemd(1)

systemd 252                                                  SYSTEMD.TIME(7)
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "time.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_title_and_headings_are_those_of_the_page(tmp_path: Path) -> None:
    (document,) = load_documents(written(tmp_path, PAGE))
    assert document.title == "SYSTEMD.TIME(7)"
    assert [(each.level, each.title) for each in document.headings] == [
        (1, "SYSTEMD.TIME(7)"),
        (2, "NAME"),
        (2, "PARSING TIME SPANS"),
        (3, "Units"),
        (2, "SEE ALSO"),
    ]
    assert all(
        " ".join(document.text[each.start : each.end].split()).startswith(each.title)
        for each in document.headings
    )
    assert "Time and date specifications" in document.text


def test_chunks_stand_under_their_headings_and_none_is_a_title_alone(tmp_path: Path) -> None:
    page = PAGE.replace("usec,", "usec, " + "as many as there are, " * 20)
    (document,) = load_documents(written(tmp_path, page))
    counter = counter_of(model_spec("gpt-4o"))
    chunks = list(split_document(document, chunk_tokens=64, counter=counter))
    assert "specifications" in chunks[0].text
    assert {chunk.header.partition(" / ")[0] for chunk in chunks[1:]} == {"SYSTEMD.TIME(7)"}
    assert "units" in {chunk.section_id for chunk in chunks}


def test_other_texts_are_no_manual_pages() -> None:
    assert is_man_page("GIT-STASH(1)      Git Manual      GIT-STASH(1)\n")
    assert is_man_page("\n\nCA.PL(1SSL)   OpenSSL   CA.PL(1SSL)")
    assert not is_man_page("f(1) and then f(2)\n")
    assert not is_man_page("LS(1) is a manual page.\n")
    assert not is_man_page("")
