"""Cells that span rows and headers of many rows are said in each row and column that they cover."""

import pytest

from packhorse.ingest.html import html_document
from packhorse.ingest.report import IngestReport


def table_of(markup: str) -> str:
    text = html_document("a.html", f"<h1>T</h1>{markup}", IngestReport()).text
    return text.removeprefix("# T\n\n").rstrip("\n")


HEAD = (
    "<tr><th rowspan=2>country<br>code</th><th colspan=2>figures</th></tr>"
    "<tr><th>population</th><th>area</th></tr>"
)
BODY = "<tr><td>NO</td><td>5</td><td>3</td></tr>"


@pytest.mark.parametrize(
    "markup",
    [f"<thead>{HEAD}</thead><tbody>{BODY}</tbody>", HEAD + BODY, f"<thead>{HEAD}</thead>{BODY}"],
)
def test_header_rows_become_one_that_names_each_column(markup: str) -> None:
    assert table_of(f"<table>{markup}</table>") == (
        "| country code | figures population | figures area |\n| --- | --- | --- |\n| NO | 5 | 3 |"
    )


def test_a_title_over_the_whole_table_stands_before_it_and_one_inside_stays() -> None:
    rows = (
        "<tr><th colspan=2>In millions</th></tr><tr><th>a</th><th>b</th></tr>"
        "<tr><th colspan=2>North</th></tr><tr><td>1</td><td>2</td></tr>"
    )
    assert table_of(f"<table>{rows}</table>") == (
        "In millions\n\n| a | b |\n| --- | --- |\n| North | |\n| 1 | 2 |"
    )


def test_a_value_stands_in_each_row_that_it_spans() -> None:
    rows = (
        "<tr><th>group</th><th>name</th><th>note</th></tr>"
        "<tr><td rowspan=3>G <b>0</b></td><td>m0</td><td rowspan=0>a|b*</td></tr>"
        "<tr><td>m1</td></tr><tr></tr><tr><td rowspan=1>G1</td><td>m2</td></tr>"
    )
    lines = table_of(f"<table>{rows}</table>").split("\n")
    assert lines[2:] == [
        "| G **0** | m0 | a\\|b* |",
        "| G 0 | m1 | a\\|b* |",
        "| G1 | m2 | a\\|b* |",
    ]


def test_what_would_grow_without_end_is_left_out() -> None:
    long = "word " * 40
    rows = f"<tr><td>a</td><td>b</td></tr><tr><td rowspan=2>{long}</td><td>1</td></tr>"
    said = table_of(f"<table>{rows}<tr><td>2</td></tr></table>")
    assert said.endswith("|  | 2 |")
    wide = f"<tr><td rowspan=9>a</td><td colspan=5000>b</td></tr>{'<tr><td>c</td></tr>' * 8}"
    assert table_of(f"<table>{wide}</table>").count("a") == 1
    many = "<tr>" + f"<td rowspan=60000>{'x' * 80}</td>" * 200 + "</tr>"
    filled = table_of(f"<table>{many}{'<tr><td>y</td></tr>' * 200}</table>")
    assert filled.count("x") <= 21 * 80 * 200 + 21 * 200


def test_tables_inside_a_cell_stay_in_it() -> None:
    inner = "<table><tr><td rowspan=2>k</td><td>1</td></tr><tr><td>2</td></tr></table>"
    said = table_of(f"<table><tr><td>{inner}</td><td>q</td></tr><tr><td>f</td></tr></table>")
    assert said.count("k") == 2
    assert "q" in said
