"""Maximal marginal relevance on bare vectors, against the textbook."""

import math
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import ConfigError, InputError
from packhorse.rerank.mmr import mmr

Vector = list[float]


def cos(a: Vector, b: Vector) -> float:
    lengths = math.hypot(*a) * math.hypot(*b)
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return round(dot / lengths, 6) if lengths else 0.0


def textbook(vectors: list[Vector], query: Vector, k: int, lambda_: float) -> list[int]:
    """The definition, comparing with every chosen vector at every step."""
    left, chosen = list(range(len(vectors))), list[int]()
    while left and len(chosen) < k:

        def value(place: int) -> float:
            similar = max((cos(vectors[place], vectors[c]) for c in chosen), default=0.0)
            return round(lambda_ * cos(vectors[place], query) - (1 - lambda_) * similar, 6)

        best = max(left, key=lambda place: (value(place), -place))
        chosen.append(best)
        left.remove(best)
    return chosen


cells = st.integers(-3, 3).map(float)


@given(
    vectors=st.lists(st.lists(cells, min_size=3, max_size=3), max_size=9),
    query=st.lists(cells, min_size=3, max_size=3),
    k=st.integers(0, 10),
    lambda_=st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)),
)
def test_mmr_is_the_textbook_and_leaves_its_input_alone(
    vectors: list[Vector], query: Vector, k: int, lambda_: float
) -> None:
    before = deepcopy(vectors)
    found = mmr(vectors, query, k, lambda_)
    assert vectors == before
    assert len(found) == len(set(found)) == min(k, len(vectors))
    # Integer cells make exact ties common; six decimals must decide them the same way.
    expected = textbook(vectors, query, k, lambda_)
    assert found == expected or _only_differs_by_rounding(vectors, query, found, expected, lambda_)


def _only_differs_by_rounding(
    vectors: list[Vector], query: Vector, found: list[int], expected: list[int], lambda_: float
) -> bool:
    """Whether the first difference is between values that differ by one millionth at most."""
    at = next(
        place for place, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1]
    )

    def value(place: int) -> float:
        similar = max((cos(vectors[place], vectors[c]) for c in found[:at]), default=0.0)
        return lambda_ * cos(vectors[place], query) - (1 - lambda_) * similar

    return abs(value(found[at]) - value(expected[at])) <= 1.5e-6


def test_lambda_defaults_to_0_7() -> None:
    vectors = [[1.0, 0.0], [0.98, 0.2], [0.7, 0.7]]
    assert mmr(vectors, [1.0, 0.0], 3) == mmr(vectors, [1.0, 0.0], 3, lambda_=0.7)


def test_more_asked_than_there_are_gives_all() -> None:
    assert mmr([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], 9) == [1, 0]


def test_no_vectors_give_nothing() -> None:
    assert mmr([], [1.0, 0.0], 3) == []


def test_arrays_do_as_well_as_lists() -> None:
    found = mmr(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0, 1.0]), 1)
    assert found == [1]
    assert type(found[0]) is int


def test_length_of_a_vector_does_not_count() -> None:
    assert mmr([[9.0, 9.0], [0.1, 0.0]], [5.0, 0.0], 2, lambda_=1.0) == [1, 0]


@pytest.mark.parametrize("lambda_", [-0.1, 1.1, math.nan, math.inf])
def test_lambda_outside_0_to_1_is_refused(lambda_: float) -> None:
    with pytest.raises(ConfigError, match=r"outside 0\.\.1"):
        mmr([[1.0]], [1.0], 1, lambda_)


def test_k_below_0_is_refused() -> None:
    with pytest.raises(ConfigError, match="k is -1"):
        mmr([[1.0]], [1.0], -1)


@pytest.mark.parametrize(
    ("vectors", "query"),
    [
        ([[1.0, 2.0]], [1.0]),
        ([[1.0, 2.0], [1.0]], [1.0, 2.0]),
        ([1.0, 2.0], [1.0, 2.0]),
        ([[math.nan, 1.0]], [1.0, 2.0]),
        ([[1.0, 1.0]], [math.inf, 2.0]),
        ([["a", "b"]], [1.0, 2.0]),
    ],
)
def test_vectors_that_do_not_match_or_are_not_finite_are_refused(
    vectors: list[Vector], query: Vector
) -> None:
    with pytest.raises(InputError, match="mmr"):
        mmr(vectors, query, 1)
