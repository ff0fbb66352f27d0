"""Tables and code blocks are found, and nothing else."""

import pytest

from packhorse.ingest.blocks import Block, blocks_of, cells_of
from packhorse.ingest.document import Document


def blocks(text: str, source_id: str = "a.md") -> list[Block]:
    markdown = source_id.endswith(".md")
    return list(blocks_of(Document(source_id=source_id, text=text, markdown=markdown)))


def test_a_table_is_its_header_and_the_rows_under_it() -> None:
    text = "Words.\n\n|  A | B\\|b  |\n|:---|---:|\n| 1 | 2 |\n| 3 | 4 |\n\nMore | words.\n"
    (table,) = blocks(text)
    assert table.kind == "table"
    assert table.opening == "| A | B\\|b |\n|---|---|\n"
    assert [text[start:end] for start, end in table.rows] == ["| 1 | 2 |", "| 3 | 4 |"]
    assert text[table.start :].startswith("|  A")
    assert text[: table.end].endswith("| 4 |")


def test_a_table_needs_no_pipes_at_its_ends() -> None:
    (table,) = blocks("a | b\n--- | ---\n1 | 2\n")
    assert table.opening == "| a | b |\n|---|---|\n"


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n",
        "| a | b |\n|---|---|---|\n| 1 | 2 |\n",
        "a b\n|---|---|\n| 1 | 2 |\n",
        "|---|---|\n| 1 | 2 |\n",
        "Title\n-----\n| 1 | 2 |\n",
        "```python\nx = 1\n",
        "```\n```\n",
        "```python`\nx\n```\n",
    ],
)
def test_what_is_no_whole_table_or_code_block_is_none(text: str) -> None:
    assert blocks(text) == []


def test_a_code_block_keeps_its_fence_and_what_looks_like_a_table_in_it() -> None:
    text = "- item\n\n  ~~~~sh  -x\n  a | b\n  --- | ---\n  1 | 2\n  ~~~\n  ~~~~~\n"
    (code,) = blocks(text)
    assert (code.kind, code.opening, code.closing) == ("code", "  ~~~~sh  -x\n", "  ~~~~")
    assert text[code.rows[-1][0] : code.rows[-1][1]] == "  ~~~\n  ~~~~~"


def test_what_begins_many_tables_and_is_none_takes_time_that_grows_with_it() -> None:
    # Read to the end of the text for each, this takes minutes.
    assert blocks("a | b\n- | -\nx\n" * 20_000) == []
    (table,) = blocks('name,size\nscreen,5" wide\n' + "item,some words\n" * 60_000, "a.csv")
    assert len(table.rows) == 60_001


def test_a_first_record_that_cannot_be_read_is_no_header() -> None:
    (table,) = blocks(f"a,{'x' * 140_000}\n1,2\n", "a.csv")
    assert table.opening == ""


def test_plain_text_has_tables_and_no_fences() -> None:
    text = "```\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert [block.kind for block in blocks(text, "a.txt")] == ["table"]


@pytest.mark.parametrize(
    ("first", "opening"),
    [
        ("name,price", "name,price\n"),
        ("name;price eur;2024 q1", "name;price eur;2024 q1\n"),
        ("country,2023,2024", "country,2023,2024\n"),
        ("Oslo,12.5", ""),
        ("Oslo,$12", ""),
        ("name,name", ""),
        ("name,", ""),
    ],
)
def test_the_first_record_of_csv_is_the_header_where_it_names_columns(
    first: str, opening: str
) -> None:
    (table,) = blocks(f"{first}\nBergen,13\n", "a.csv")
    assert (table.kind, table.opening) == ("csv", opening)


def test_a_record_of_csv_may_hold_line_ends_between_quotes() -> None:
    text = 'name,note\n"a","one\ntwo"\n\nb,three\n'
    (table,) = blocks(text, "b.CSV")
    assert [text[start:end] for start, end in table.rows] == ['"a","one\ntwo"', "b,three"]
    (broken,) = blocks('name,note\na,"one\nb,two\n', "a.csv")
    assert len(broken.rows) == 2


@pytest.mark.parametrize(
    ("above", "opening"),
    [
        ("# exported by a tool\n", "name,city\n"),
        ("#one\n# it's the \"second\n\n", "name,city\n"),
        ("# made, by hand\n", "name,city\n"),
        ("##version=4\n#key,place\n", "#key,place\n"),
    ],
)
def test_comment_lines_before_the_header_are_no_records(above: str, opening: str) -> None:
    text = f"{above}name,city\nAnn,Oslo\n"
    (table,) = blocks(text, "a.csv")
    assert table.opening == opening
    assert text[table.start :].startswith(opening)


@pytest.mark.parametrize("text", ["# only\n", "# a,b\n# c,d\n", "#a,b\n"])
def test_comment_lines_alone_are_no_table(text: str) -> None:
    assert blocks(text, "a.csv") == []


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "a,b\n"])
def test_csv_of_one_column_or_row_is_text(text: str) -> None:
    assert blocks(text, "a.csv") == []


def test_cells_are_told_apart_by_bare_pipes() -> None:
    assert cells_of("| a | b\\|c |  |") == ["a", "b\\|c", ""]
    assert cells_of("a|b") == ["a", "b"]
