"""Dense search is exact: it equals a slow sort of float64 cosines."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhorse.embed.unit import unit_rows
from packhorse.kb.dense import DenseIndex

CELLS = st.lists(st.integers(-3, 3), min_size=4, max_size=4)


@given(st.lists(CELLS, min_size=1, max_size=40), CELLS, st.integers(1, 50))
def test_search_equals_sorting_all_cosines(
    rows: list[list[int]], direction: list[int], limit: int
) -> None:
    vectors = unit_rows(np.array(rows, dtype=np.float64))
    found, scores = DenseIndex(vectors).search(np.array(direction, dtype=np.float32), limit)
    if not any(direction):
        assert len(found) == 0
        return
    query = np.array(direction) / np.sqrt(sum(cell * cell for cell in direction))
    exact = {
        row: float(vectors[row].astype(np.float64) @ query)
        for row in range(len(rows))
        if any(rows[row])
    }
    got = dict(zip(found.tolist(), scores.tolist(), strict=True))
    best = sorted(exact, key=lambda row: (-round(exact[row], 6), row))[:limit]
    # Rows of zeros may stand in the first pass, before rows that point away; they are not given.
    assert set(got) <= set(exact)
    assert [row for row in best if exact[row] > 0] == [
        row for row in sorted(got, key=lambda row: (-round(got[row], 6), row)) if exact[row] > 0
    ][: len([row for row in best if exact[row] > 0])]
    for row, score in got.items():
        assert abs(score - exact[row]) < 1e-12


def test_rows_of_zeros_take_no_place_from_rows_that_point_away() -> None:
    vectors = np.array([[0, 0], [0, 0], [-1, 0], [0, 0]], dtype=np.float32)
    rows, scores = DenseIndex(vectors).search(np.array([1.0, 0.0], dtype=np.float32), 1)
    assert rows.tolist() == [2]
    assert scores.tolist() == [-1.0]


def test_a_direction_that_is_not_finite_finds_nothing() -> None:
    rows, _ = DenseIndex(np.eye(2, dtype=np.float32)).search(np.array([np.nan, 1.0]), 2)
    assert rows.tolist() == []


def test_no_rows_and_no_limit_find_nothing() -> None:
    direction = np.array([1.0, 0.0], dtype=np.float32)
    assert DenseIndex(np.zeros((0, 2), dtype=np.float32)).search(direction, 3)[0].tolist() == []
    assert DenseIndex(np.eye(2, dtype=np.float32)).search(direction, 0)[0].tolist() == []
