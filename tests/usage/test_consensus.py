"""The rule that most observations obey is found, whatever strays there are."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.usage.consensus import Line, Point, common_slope, fit_line, fit_slope
from packhorse.usage.envelope import MAX_RISE, allowed_over, fit_envelope, reserve_for

SMALL = st.integers(-12, 12)
POINTS = st.lists(st.tuples(st.integers(0, 6), SMALL), max_size=25)


def n_on(points: Sequence[Point], line: Line) -> int:
    return sum(line.at(n) == tokens for n, tokens in points)


def seen_off_base(points: Sequence[Point], line: Line) -> int:
    places = Counter(n for n, tokens in points if line.at(n) == tokens)
    return sum(places.values()) - max(places.values(), default=0)


def slow_fit(points: Sequence[Point]) -> Line:
    """Every slope and intercept that could be, one after the other."""
    best = Line(intercept=0, slope=0)
    best_rank = (-1, 0, 0, 0)
    for slope in range(-24, 25):
        lines = [
            Line(intercept=intercept, slope=slope)
            for intercept in {tokens - slope * n for n, tokens in points}
        ]
        if not lines:
            continue
        line = max(lines, key=lambda each: (n_on(points, each), each.intercept))
        if slope and seen_off_base(points, line) < 3:
            continue
        rank = (n_on(points, line), -abs(slope), slope, line.intercept)
        if rank > best_rank:
            best, best_rank = line, rank
    return best


@given(POINTS)
def test_the_line_is_the_one_that_trying_every_line_finds(points: list[Point]) -> None:
    assert fit_line(points) == slow_fit(points)


@given(
    st.integers(-40, 40),
    st.integers(-9, 9),
    st.lists(st.integers(1, 9), min_size=12, max_size=40),
    st.lists(st.tuples(st.integers(1, 9), st.integers(-500, 500)), max_size=4),
    st.randoms(use_true_random=False),
)
def test_a_hidden_line_is_found_among_strays(
    intercept: int, slope: int, places: list[int], strays: list[Point], order: object
) -> None:
    places = [*places, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    points = [(n, intercept + slope * n) for n in places] + strays
    shuffled = list(points)
    order.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
    assert fit_line(shuffled) == Line(intercept=intercept, slope=slope)


def test_one_stray_bends_nothing() -> None:
    assert fit_line([(2, 5)] * 20 + [(3, 9)]) == Line(intercept=5, slope=0)
    assert fit_line([(2, 5)] * 20 + [(3, 9)] * 3) == Line(intercept=-3, slope=4)


def test_groups_share_a_slope_and_keep_their_own_intercepts() -> None:
    groups = {
        "a": {(1, 10): 3, (2, 12): 3},
        "b": {(1, 50): 3, (5, 58): 3, (6, 0): 5},
    }
    assert common_slope(groups) == 2


def test_a_slope_through_the_origin_ignores_what_is_no_multiple() -> None:
    assert fit_slope([(1, 7), (2, 14), (3, 20), (0, 5)]) == 7
    assert fit_slope([]) == 0
    assert fit_slope([(0, 4)]) == 0


def slow_envelope(points: Sequence[Point], cover: float) -> int:
    """The least waste of any covering line, by trying all of them."""
    costs = [
        sum(intercept + slope * n for n, _ in points)
        for slope in range(MAX_RISE + 1)
        for intercept in range(41)
        if sum(intercept + slope * n < tokens for n, tokens in points)
        <= allowed_over(len(points), cover)
    ]
    return min(costs)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-30, 40)), min_size=1, max_size=12),
    st.sampled_from([1.0, 0.9, 0.75, 0.5]),
)
def test_the_envelope_covers_enough_and_wastes_least(points: list[Point], cover: float) -> None:
    line = fit_envelope(points, cover=cover)
    under = sum(line.at(n) < tokens for n, tokens in points)
    assert under <= allowed_over(len(points), cover)
    assert sum(line.at(n) for n, _ in points) == slow_envelope(points, cover)
    assert line.intercept >= 0
    assert line.slope >= 0


def test_nothing_to_cover_is_no_line() -> None:
    assert fit_envelope([]) == Line(intercept=0, slope=0)
    assert reserve_for(Counter(), 1.0) == 0


@pytest.mark.parametrize(
    ("total", "cover", "allowed"), [(100, 0.99, 1), (100, 1.0, 0), (99, 0.99, 0), (1000, 0.995, 5)]
)
def test_a_share_is_counted_without_floating_point_luck(
    total: int, cover: float, allowed: int
) -> None:
    assert allowed_over(total, cover) == allowed
