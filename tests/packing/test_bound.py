"""The fractional bound is never below the best selection, and tight when that is fractional."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.packing.bound import MILLIONTHS, fractional_millionths


def bound(rows: list[tuple[float, int]], capacity: int) -> float:
    values = np.array([round(value * MILLIONTHS) for value, _ in rows], dtype=np.int64)
    tokens = np.array([cost for _, cost in rows], dtype=np.int64)
    return fractional_millionths(values, tokens, capacity) / MILLIONTHS


def best_selection(rows: list[tuple[float, int]], capacity: int) -> float:
    places = range(len(rows))
    selections = chain.from_iterable(combinations(places, size) for size in range(len(rows) + 1))
    return max(
        sum(rows[place][0] for place in selection)
        for selection in selections
        if sum(rows[place][1] for place in selection) <= capacity
    )


def test_the_chunk_that_does_not_fit_counts_in_part() -> None:
    assert bound([(1.0, 10), (0.6, 20)], 20) == pytest.approx(1.3)


def test_everything_fits() -> None:
    assert bound([(1.0, 10), (0.6, 20)], 30) == pytest.approx(1.6)


def test_rows_without_tokens_are_free() -> None:
    assert bound([(0.4, 0), (0.5, 3)], 0) == pytest.approx(0.4)


def test_rows_that_cannot_fit_and_worthless_rows_do_not_count() -> None:
    assert bound([(9.0, 31), (-1.0, 1), (0.0, 0)], 30) == 0.0


def test_no_rows_are_worth_nothing() -> None:
    assert bound([], 100) == 0.0


@given(
    rows=st.lists(st.tuples(st.integers(0, 50).map(float), st.integers(0, 30)), max_size=9),
    capacity=st.integers(0, 90),
)
def test_bound_is_at_least_the_best_selection(rows: list[tuple[float, int]], capacity: int) -> None:
    assert bound(rows, capacity) >= best_selection(rows, capacity) - 1e-9
