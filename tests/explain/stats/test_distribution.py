"""Spreads, against a sorted list."""

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from packhorse.explain.stats.distribution import Tally

VALUES = st.one_of(
    st.lists(st.integers(0, 1_000), min_size=1, max_size=60).map(lambda v: (False, v)),
    st.lists(st.integers(0, 10_000), min_size=1, max_size=60).map(
        lambda v: (True, [each / 10_000 for each in v])
    ),
)


def slow_quantile(values: list[float], percent: int) -> float:
    """The smallest value that at least this share does not exceed."""
    return next(
        value
        for value in sorted(values)
        if sum(each <= value for each in values) * 100 >= percent * len(values)
    )


@given(VALUES, st.randoms())
def test_a_spread_is_that_of_the_sorted_list_in_any_order(
    drawn: tuple[bool, list[float]], chance: random.Random
) -> None:
    is_share, values = drawn
    tallies = []
    for _ in range(2):
        tally = Tally(is_share=is_share)
        for value in values:
            tally.add(value)
        tallies.append(tally.distribution())
        values = chance.sample(values, len(values))
    found, again = tallies
    assert found is not None
    assert found == again
    assert (found.n, found.min, found.max) == (len(values), min(values), max(values))
    for percent, value in ((25, found.p25), (50, found.median), (75, found.p75), (95, found.p95)):
        assert value == slow_quantile(values, percent)
    assert math.isclose(found.mean, sum(values) / len(values), abs_tol=1e-6)
    assert sum(bar.count for bar in found.histogram) == len(values)
    for bar in found.histogram:
        is_last = bar is found.histogram[-1]
        inside = [v for v in values if v >= bar.low and (is_last or v < (bar.high or math.inf))]
        assert bar.count == len(inside)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=40))
def test_large_numbers_keep_three_digits_and_few_places(values: list[int]) -> None:
    tally = Tally(is_share=False)
    for value in values:
        tally.add(value)
    found = tally.distribution()
    assert found is not None
    assert math.isclose(found.max, max(values), rel_tol=0.005)
    assert math.isclose(found.median, slow_quantile([float(v) for v in values], 50), rel_tol=0.005)
    assert found.mean == round(sum(values) / len(values), 6)


def test_nothing_has_no_spread() -> None:
    assert Tally(is_share=True).distribution() is None
