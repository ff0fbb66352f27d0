"""Markdown and reStructuredText: headings, front matter, titles."""

from datetime import UTC, datetime

import pytest
from hypothesis import given

from packhorse.ingest.document import Document
from packhorse.ingest.markdown import markdown_document, markdown_headings
from packhorse.ingest.plain_text import rst_document, rst_headings
from packhorse.ingest.report import IngestReport
from tests.strategies import texts


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in markdown_headings(text)]


def load(text: str) -> tuple[Document, IngestReport]:
    report = IngestReport()
    return markdown_document("a.md", text, report), report


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n###### Six", [(1, "One"), (2, "Two"), (6, "Six")]),
        ("####### Seven\n#hashtag\n    # code", []),
        ("# `code` and **bold** [link](x) <b>tag</b>", [(1, "code and bold link tag")]),
        ("# 1\\. snake_case_name _em_", [(1, "1. snake_case_name em")]),
        ("Title\n=====\n\nPart\n---", [(1, "Title"), (2, "Part")]),
        ("text\n\n---\n\nmore", []),
        ("- item\n---\n\n| a |\n|---|\n\n> q\n---", []),
        ("```\n# no\n```\n# yes\n~~~~\n# no\n~~~\n# no\n~~~~", [(1, "yes")]),
        ("```\n# never closed", []),
        ("#\n# \n#  #", []),
    ],
)
def test_headings_are_found_as_readers_see_them(text: str, expected: list[tuple[int, str]]) -> None:
    assert titles(text) == expected


@given(texts())
def test_offsets_of_headings_point_at_their_lines(text: str) -> None:
    for headings in (markdown_headings(text), rst_headings(text)):
        last = 0
        for heading in headings:
            assert last <= heading.start < heading.end <= len(text)
            assert heading.start == 0 or text[heading.start - 1] == "\n"
            assert (
                heading.end == len(text) or text[heading.end] == "\n" or text[heading.end].isspace()
            )
            last = heading.end


def test_front_matter_gives_title_and_time_and_is_no_text() -> None:
    document, report = load(
        "---\ntitle:  Refund   policy\ndate: 2020-01-01\nlastmod: 2024-05-06\n---\n\n# Other\nBody"
    )
    assert document.title == "Refund policy"
    assert document.timestamp == datetime(2024, 5, 6, tzinfo=UTC)
    assert document.text == "# Other\nBody"
    assert report.notes == []


@pytest.mark.parametrize(
    "text",
    [
        "---\n- a\n- b\n---\nBody",
        "---\nnot closed\n\nBody",
        "----\na: b\n----\n",
        "text\n---\na: b",
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text: str) -> None:
    document, _ = load(text)
    assert document.text == text


def test_broken_front_matter_stays_text_and_is_noted() -> None:
    text = "---\ntitle: [unclosed\n---\nBody"
    document, report = load(text)
    assert document.text == text
    assert report.notes[0][0] == "a.md"
    assert "front matter is not YAML" in report.notes[0][1]


def test_a_time_that_is_none_is_noted_and_left_out() -> None:
    document, report = load("---\ndate: soon\n---\nBody")
    assert document.timestamp is None
    assert report.notes == [
        ("a.md", "front matter date was ignored: 'soon' is not an ISO 8601 date or date-time")
    ]


def test_yaml_in_front_matter_cannot_run_anything() -> None:
    document, report = load("---\ntitle: !!python/object/apply:os.getcwd []\n---\nBody")
    assert "apply:os.getcwd" in document.text
    assert "front matter is not YAML" in report.notes[0][1]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Only\n## Sub\n## Sub", "Only"),
        ("## Low only", "Low only"),
        ("# One\n# Two", ""),
        ("## Low\n# High", ""),
        ("no heading", ""),
    ],
)
def test_the_title_is_the_heading_over_all_others(text: str, title: str) -> None:
    assert load(text)[0].title == title


def test_the_heading_path_holds_what_is_in_force() -> None:
    document, _ = load("intro\n# A\n## B\ntext\n### C\n## D\nend\n# E\n")

    def path(mark: str) -> list[str]:
        return [heading.title for heading in document.heading_path(document.text.index(mark))]

    assert path("intro") == []
    assert path("text") == ["A", "B"]
    assert path("### C") == ["A", "B", "C"]
    assert path("end") == ["A", "D"]
    assert path("# E") == ["E"]


def test_rst_headings_take_levels_by_order_of_style() -> None:
    text = (
        "=====\nTitle\n=====\n\nPart ``code``\n=============\n\nText\n\nSub :ref:`x <y>`\n"
        "----------------\n\nNext\n====\n\nNo heading\n---\n\n:field:\n"
    )
    assert [(h.level, h.title) for h in rst_headings(text)] == [
        (1, "Title"),
        (2, "Part code"),
        (3, "Sub x"),
        (2, "Next"),
    ]
    document = rst_document("a.rst", text, IngestReport())
    assert (document.title, document.text) == ("Title", text)


def test_rst_tables_and_rules_are_no_headings() -> None:
    table = "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n"
    text = table + "\n----\n\n    code\n    ----\n"
    assert rst_headings(text) == ()
