"""explainability.csv: fixed columns, one row a candidate, no cell that runs."""

from __future__ import annotations

import csv
import io
import math

import pytest
from hypothesis import given

from packhorse.packet.csv import explainability_csv
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from packhorse.types.decision import InclusionCode
from tests.packet.assemblies import assembly, chunk, with_parts
from tests.strategies import chunk_lists


def rows_of(packet: Packet) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(explainability_csv(packet), newline="")))


def test_the_fixed_columns_come_first_and_lines_end_with_crlf() -> None:
    sheet = explainability_csv(Packet.of(assembly()))
    lines = sheet.split("\r\n")
    assert lines[0] == (
        "chunk_id,action,reason,score,tokens,position,source,reason_code,relevance,trust,"
        "freshness,coverage,deduplication,rank,relevance_lexical,relevance_dense,relevance_named,"
        "relevance_mention,relevance_length,relevance_alike,relevance_clipped,named_as,"
        "followed_from,followed_name"
    )
    assert lines[-1] == ""
    assert "\n" not in "".join(lines)


@given(chunk_lists())
def test_there_is_one_row_for_each_candidate(chunks: list[Chunk]) -> None:
    packet = Packet.of(assembly(chunks))
    rows = rows_of(packet)
    assert sorted(row["chunk_id"].removeprefix("'") for row in rows) == sorted(
        each.chunk_id.removeprefix("'") for each in chunks
    )
    assert [row["position"] for row in rows if row["action"] == "included"] == [
        str(n + 1) for n in range(len(packet.packed_chunks))
    ]
    assert all(row["position"] == "" for row in rows if row["action"] == "excluded")


def test_numbers_stay_numbers_and_unknown_ones_are_empty() -> None:
    chunks = [chunk("a"), chunk("b")]
    packed, unscored = rows_of(Packet.of(assembly(chunks, scores=[0.5, math.nan])))
    assert (packed["score"], packed["relevance"], packed["rank"]) == ("0.425000", "0.500000", "1")
    assert (unscored["score"], unscored["relevance"], unscored["rank"]) == ("", "", "")
    assert unscored["reason_code"] == "unscored"


def test_a_negative_score_is_not_defused() -> None:
    (row,) = rows_of(Packet.of(assembly([chunk("a")], scores=[-1.0])))
    assert row["score"] == "-0.325000"


@pytest.mark.parametrize(
    "cell",
    [
        "=SUM(A1:A9)",
        "+1+1",
        "-2+3",
        "@cmd|' /C calc'!A0",
        "\t=1+1",
        "\r=1+1",
        "\n=1",
        "\uff1d1+1",
        '=HYPERLINK("http://evil.test","x")',
    ],
)
def test_a_cell_that_a_spreadsheet_would_run_is_defused(cell: str) -> None:
    found = [chunk(cell, source=cell)]
    (row,) = rows_of(Packet.of(assembly(found, reserved=[(0, InclusionCode.PINNED)])))
    assert (row["chunk_id"], row["source"]) == (f"'{cell}", f"'{cell}")
    assert row["reason"] == "pinned by the caller"


def test_quotes_commas_and_line_ends_stay_inside_of_their_cell() -> None:
    (row,) = rows_of(Packet.of(assembly([chunk('a,"b"\r\nc', source="d;e")])))
    assert (row["chunk_id"], row["source"]) == ('a,"b"\r\nc', "d;e")


def test_what_relevance_is_made_of_comes_last_and_does_not_run() -> None:
    made = with_parts(assembly([chunk("a"), chunk("b")]), named="=1+1", mention=("a", "@sum"))
    first, second = rows_of(Packet.of(made))
    assert (first["relevance_lexical"], first["relevance_clipped"]) == ("0.700000", "-0.100000")
    assert (second["relevance_mention"], second["relevance_clipped"]) == ("0.200000", "0.000000")
    assert (first["relevance_alike"], second["relevance_alike"]) == ("0.000000", "-0.050000")
    assert (first["named_as"], first["followed_from"]) == ("'=1+1", "")
    assert (second["followed_from"], second["followed_name"]) == ("a", "'@sum")
    plain = rows_of(Packet.of(assembly([chunk("a")])))[0]
    assert plain["relevance_lexical"] == plain["relevance_clipped"] == ""
