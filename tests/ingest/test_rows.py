"""Pieces of long tables and code blocks can be read by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ingest.document import Document
from packhorse.ingest.html import html_document
from packhorse.ingest.markdown import markdown_document
from packhorse.ingest.plain_text import text_document
from packhorse.ingest.report import IngestReport
from packhorse.ingest.splitter import split_document
from packhorse.tokens.registry import counter_named

COUNTER = counter_named("o200k_base")
HEADER = "| Service | Internal port | External port |"
ROWS = [f"| service-{n} | {5000 + n} | {8000 + n} |" for n in range(120)]


def markdown(text: str) -> Document:
    return markdown_document("a.md", text, IngestReport())


def texts(document: Document, limit: int = 100) -> list[str]:
    chunks = list(split_document(document, chunk_tokens=limit, counter=COUNTER))
    assert all(COUNTER.count(chunk.text) <= limit for chunk in chunks)
    return [chunk.text for chunk in chunks]


def test_each_piece_of_a_table_has_its_header_row() -> None:
    table = "\n".join([HEADER, "|---------|---------------|----|", *ROWS])
    first, *others = texts(markdown(f"# Ports\n\nAll of them:\n\n{table}\n\nThat is all.\n"))
    assert first.startswith(f"# Ports\n\nAll of them:\n\n{HEADER}\n|-----")
    assert len(others) > 10
    for text in others:
        assert text.startswith(f"{HEADER}\n|---|---|---|\n| service-")
    rows = [line for text in (first, *others) for line in text.split("\n") if "service-" in line]
    assert rows == ROWS


def test_each_piece_of_an_html_table_has_its_header_row() -> None:
    cells = "".join(f"<tr><td>s-{n}</td><td>{n}</td></tr>" for n in range(90))
    page = f"<h1>Ports</h1><table><tr><th>Service</th><th>Port</th></tr>{cells}</table>"
    pieces = texts(html_document("a.html", page, IngestReport()))
    assert len(pieces) > 3
    assert all("| Service | Port |\n|" in text for text in pieces)


def test_each_piece_of_csv_has_its_header_and_whole_records() -> None:
    records = [f'item{n},"{n},50",in stock' for n in range(90)]
    text = "\n".join(["product,price,state", *records])
    pieces = texts(text_document("a.csv", text, IngestReport()))
    assert all(piece.startswith("product,price,state\n") for piece in pieces)
    assert [line for piece in pieces for line in piece.split("\n")[1:]] == records


def test_a_row_that_is_cut_says_so_in_the_cell_that_goes_on() -> None:
    words = " ".join(f"word{n}" for n in range(80))
    text = f"| Name | Note | Port |\n|---|---|---|\n| mill | {words} | 7 |\n"
    first, *others = texts(markdown(text))
    assert first.endswith(" ...")
    for piece in others:
        assert piece.startswith("| Name | Note | Port |\n|---|---|---|\n| mill | ...")
    assert others[-1].endswith("| 7 |")


def test_a_header_over_half_of_the_limit_is_not_repeated() -> None:
    wide = "| " + " | ".join(f"long column name {n}" for n in range(20)) + " |"
    rows = "\n".join("| " + " | ".join(f"v{n}" for n in range(20)) + " |" for _ in range(9))
    text = f"{wide}\n|{'---|' * 20}\n{rows}\n"
    pieces = texts(markdown(text), 120)
    assert sum("long column name 0 " in piece for piece in pieces) == 1
    assert sum("long column name 0 " in piece for piece in texts(markdown(text), 500)) > 1


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_record_is_cut_between_values_under_the_names_of_its_columns(separator: str) -> None:
    names = ["station", *(f"h{n:02}" for n in range(96))]
    rows = [[f"S{k}", *(f"{k}{n}.0{n}" for n in range(96))] for k in range(3)]
    text = "\n".join(separator.join(row) for row in (names, *rows))
    header, *pieces = texts(text_document("a.tsv", text, IngestReport()), 320)
    assert header == separator.join(names)
    said: list[list[str]] = []
    for piece in pieces:
        named, row = (line.split(separator) for line in piece.split("\n"))
        assert len(named) == len(row)
        assert all(
            value == dict(zip(names, rows[int(row[0][1:])], strict=True)).get(name, "...")
            for name, value in zip(named, row, strict=True)
        )
        said.append(row)
    assert len(said) == 6
    for first, second in zip(said[::2], said[1::2], strict=True):
        assert (first[-1], second[1]) == ("...", "...")
        assert [*first[:-1], *second[2:]] == rows[int(first[0][1:])]


def test_a_header_of_csv_is_cut_between_its_names() -> None:
    years = [str(year) for year in range(1960, 2020)]
    text = "\n".join([",".join(["country", *years]), ",".join(["Land", *years[::-1]])])
    pieces = texts(text_document("a.csv", text, IngestReport()), 128)
    assert len(pieces) > 3
    known = {"country", "Land", "...", *years}
    assert all(set(piece.split(",")) <= known for piece in pieces)
    assert pieces[1].startswith("country,...,")


def test_a_value_alone_over_the_limit_is_cut_at_its_words() -> None:
    words = " ".join(f"word{n}" for n in range(200))
    pieces = texts(text_document("a.csv", f"name,note,port\nmill,{words},7\n", IngestReport()))
    assert len(pieces) > 4
    for piece in pieces[2:-1]:
        assert piece.startswith("name,note,port\nmill,... word")
        assert piece.endswith(" ...")


def test_a_row_that_is_cut_without_its_header_is_called_by_its_first_cell() -> None:
    wide = "| " + " | ".join(f"long column name {n}" for n in range(20)) + " |"
    row = "| mill | " + " | ".join(f"value {n}" for n in range(60, 79)) + " |"
    pieces = texts(markdown(f"{wide}\n|{'---|' * 20}\n{row}\n"), 60)
    parts = [piece for piece in pieces if "mill" in piece]
    assert len(parts) > 1
    assert all(part.endswith(" ...") for part in parts[:-1])
    assert all(part.startswith("| mill | ... ") for part in parts[1:])


def test_the_dashes_under_a_wide_header_are_no_chunk() -> None:
    wide = "| " + " | ".join(f"hour {n}" for n in range(60)) + " |"
    rows = [f"| S{k} | " + " | ".join(f"{n}.{k}5" for n in range(59)) + " |" for k in range(3)]
    pieces = texts(markdown("\n".join(["# W", "", wide, f"|{'---|' * 60}", *rows])), 320)
    assert pieces == [f"# W\n\n{wide}", *rows]


def test_a_header_that_is_drawn_wider_than_a_chunk_does_not_stop_the_cutting() -> None:
    wide = f"| A{' ' * 2_000} | B |\n|{'-' * 4_000}|---|\n"
    rows = "".join(f"| v{n} | {n} |\n" for n in range(40))
    pieces = texts(markdown(f"# Title\n\nWords.\n\n{wide}{rows}"), 40)
    assert pieces[-1].startswith("| A | B |\n|---|---|\n| v")
    lines = [line for piece in pieces for line in piece.split("\n")]
    assert all(lines.count(row) == 1 for row in rows.split("\n")[1:-1])


def test_code_that_goes_on_is_closed_and_opened_again() -> None:
    body = "".join(f"def step_{n}(x):\n    return x + {n}\n" for n in range(60))
    text = f"# Client\n\nUse this:\n\n```python\n{body}```\n\nThat is all.\n"
    first, *others = texts(markdown(text))
    assert first.startswith("# Client\n\nUse this:\n\n```python\ndef step_0(x):\n")
    assert first.endswith("\n```")
    for piece in others:
        assert piece.startswith("```python\ndef step_")
        assert piece.count("```") == 2
    assert others[-1].endswith("```\n\nThat is all.")


def test_code_is_cut_at_a_blank_line_near_the_end_of_a_piece() -> None:
    part = "".join(f"call({n})\n" for n in range(7))
    text = f"```\n{(part + chr(10)) * 20}```\n"
    for piece in texts(markdown(text))[:-1]:
        assert piece.endswith("call(6)\n```")


@pytest.mark.parametrize("sentences", [12, 20, 26])
def test_a_heading_goes_with_the_table_under_it(sentences: int) -> None:
    table = "\n".join([HEADER, "|---|---|---|", *ROWS])
    text = f"# Guide\n\n{'Words of the text. ' * sentences}\n\n## Ports\n\n{table}\n"
    pieces = texts(markdown(text))
    assert any(f"## Ports\n\n{HEADER}\n|---|---|---|\n| service-0 |" in piece for piece in pieces)


WORDS = st.sampled_from(
    ["port", "mill river", "x", "漢字", "`code`", "", "a\\|b", "12.5", "w " * 40]
)


@given(
    st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=30),
    st.sampled_from(["a.md", "a.csv"]),
    st.integers(16, 64),
)
def test_any_table_is_cut_within_the_limit_under_its_header(
    rows: list[list[str]], source_id: str, limit: int
) -> None:
    if source_id == "a.md":
        lines = ["| A | B | C |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
        document, header = markdown("\n".join(lines)), "| A | B | C |"
    else:
        text = "\n".join(["A,B,C", *(",".join(row) for row in rows)])
        document, header = text_document(source_id, text, IngestReport()), "A,B,C"
    pieces = texts(document, limit)
    if COUNTER.count(f"{header}\n|---|---|---|\n") <= limit // 2:
        assert all(piece.startswith(header) for piece in pieces)


@pytest.mark.parametrize("source_id", ["a.csv", "a.txt", "a.md"])
def test_a_long_table_is_cut_in_time_that_grows_with_it(source_id: str) -> None:
    rows = "\n".join(f"| row {n} | {n} |" for n in range(6_000))
    load = markdown_document if source_id == "a.md" else text_document
    document = load(source_id, f"| name | n |\n|---|---|\n{rows}\n", IngestReport())
    assert len(texts(document, 320)) > 100
