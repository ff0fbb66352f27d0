"""BM25 is exact: every result equals a slow sum over all rows, ties and cuts included."""

import io
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.kb.bm25 import (
    FIELD_NORMS,
    MAX_QUERY_TERMS,
    Bm25Index,
    Bm25Writer,
    EveryRow,
    TantivyRows,
    as_indexed,
)
from packhorse.kb.engine import SearchEngine
from packhorse.kb.forward import ForwardIndex, ForwardWriter

WORDS = st.sampled_from(["a", "b", "c", "d", "e", "ab", "税務", "c++", "x.y", "don't"])


def forward_of(rows: Sequence[Sequence[str]]) -> ForwardIndex:
    keys, counts, ends = io.BytesIO(), io.BytesIO(), io.BytesIO()
    forward = ForwardWriter(keys, counts, ends)
    for terms in rows:
        forward.add(terms)
    return ForwardIndex(
        np.frombuffer(keys.getvalue(), dtype="<u8"),
        np.frombuffer(counts.getvalue(), dtype="<u2"),
        np.frombuffer(ends.getvalue(), dtype="<i8").reshape(-1, 2),
    )


def index_of(rows: Sequence[Sequence[str]]) -> Bm25Index:
    inverted = Bm25Writer(None)
    for row, terms in enumerate(rows):
        inverted.add(row, terms)
    return Bm25Index(TantivyRows(inverted.finish(), len(rows)), forward_of(rows))


def scan_of(rows: Sequence[Sequence[str]]) -> Bm25Index:
    forward = forward_of(rows)
    return Bm25Index(EveryRow(forward), forward)


BOTH = pytest.mark.parametrize("made", [index_of, scan_of], ids=["inverted", "scanned"])
Made = Callable[[Sequence[Sequence[str]]], Bm25Index]


def slow_bm25(rows: Sequence[Sequence[str]], query: Sequence[str]) -> dict[int, float]:
    """Every row that shares a term with the query, scored from the definition."""
    n = len(rows)
    average = sum(map(len, rows)) / n
    scores = {}
    for row, terms in enumerate(rows):
        counted = Counter(terms)
        length = max(norm for norm in FIELD_NORMS.tolist() if norm <= len(terms))
        score = 0.0
        for term in sorted(set(query)):
            df = sum(term in other for other in rows)
            idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
            tf = counted[term]
            score += idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / average))
        if counted.keys() & set(query):
            scores[row] = score
    return scores


@BOTH
@given(
    rows=st.lists(st.lists(WORDS, max_size=60), min_size=1, max_size=25).filter(any),
    query=st.lists(WORDS, min_size=1, max_size=6),
    limit=st.integers(1, 30),
)
def test_search_equals_a_sum_over_all_rows(
    made: Made, rows: list[list[str]], query: list[str], limit: int
) -> None:
    found = made(rows).search(query, limit)
    expected = slow_bm25(rows, query)
    best = sorted(expected, key=lambda row: (-round(expected[row], 6), row))[:limit]
    got = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    assert set(best) <= set(got)
    for row, score in got.items():
        assert math.isclose(score, expected[row], rel_tol=1e-12, abs_tol=1e-12)
        assert score <= found.ideal + 1e-12


@BOTH
def test_a_cut_inside_a_run_of_ties_keeps_the_lowest_rows(made: Made) -> None:
    rows = [["same", "words"]] * 500
    found = made(rows).search(["same"], 3)
    assert sorted(found.rows.tolist())[:3] == [0, 1, 2]


def test_lengths_are_those_that_one_byte_can_say() -> None:
    lengths = np.array([0, 1, 40, 41, 42, 43, 57, 10_000])
    assert as_indexed(lengths).tolist() == [0, 1, 40, 40, 42, 42, 56, 9_240]


def test_norms_agree_with_what_tantivy_explains() -> None:
    import json

    from tantivy import Query

    rows = [["x"] * n for n in (3, 41, 57, 100, 1_000, 10_000)]
    writer = Bm25Writer(None)
    for row, terms in enumerate(rows):
        writer.add(row, terms)
    index = writer.finish()
    searcher = index.searcher()
    query = Query.term_query(index.schema, "terms", "x", "freq")
    explained = {}
    for _, address in searcher.search(query, limit=10).hits:
        text = query.explain(searcher, address).to_json()
        row = searcher.fast_field_values("row", [address])[0]
        explained[row] = _length_in(json.loads(text))
    assert [explained[row] for row in range(len(rows))] == as_indexed(
        np.array([len(terms) for terms in rows])
    ).tolist()


def _length_in(explanation: dict[str, object]) -> float | None:
    if "dl" in str(explanation["description"]) and "length of field" in str(
        explanation["description"]
    ):
        return float(str(explanation["value"]))
    details = explanation.get("details") or []
    assert isinstance(details, list)
    found = (_length_in(detail) for detail in details)
    return next((length for length in found if length is not None), None)


@BOTH
def test_where_nothing_is_wanted_is_nothing_found(made: Made) -> None:
    assert made([["a"]]).search(["a"], 0).rows.tolist() == []


@BOTH
def test_a_query_of_a_hundred_thousand_terms_is_cut_to_its_rarest(made: Made) -> None:
    rows = [["common"], ["common", "rare"]]
    query = [f"absent{n}" for n in range(100_000)]
    found = made(rows).search([*query, "rare", "common"], 5)
    assert len(found.rows) == 0
    assert found.ideal > 0
    mostly = made(rows).search([*query[: MAX_QUERY_TERMS - 2], "rare", "common"], 5)
    assert sorted(mostly.rows.tolist()) == [0, 1]


@BOTH
def test_terms_of_a_query_count_once_however_often_they_are_said(made: Made) -> None:
    index = made([["a", "b"], ["b"]])
    once, often = index.search(["a", "b"], 5), index.search(["b", "a", "a", "a"], 5)
    assert once.scores.tolist() == often.scores.tolist()


def test_engine_over_no_rows_says_that_it_is_empty() -> None:
    assert SearchEngine([], index_of([]), None).search("x", None, 5).note == "empty_knowledge_base"
