"""Declared scales: raw scores to relevance, raw ones kept."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError, UnknownStrategyError
from packhorse.rerank.scales import SCALES, scaled


@pytest.mark.parametrize(
    ("scale", "raw", "relevance"),
    [
        ("unit", [0.0, 0.25, 1.0], [0.0, 0.25, 1.0]),
        ("percent", [0.0, 37.5, 100.0], [0.0, 0.375, 1.0]),
        ("cosine", [-1.0, 0.4, 1.0000001], [0.0, 0.4, 1.0]),
        ("logit", [-1e9, 0.0, 1e9], [0.0, 0.5, 1.0]),
    ],
)
def test_scales(scale: str, raw: list[float], relevance: list[float]) -> None:
    found = scaled(raw, scale)
    assert found.relevance.tolist() == relevance
    assert found.raw.tolist() == raw
    assert found.scale == scale


def test_what_is_not_a_finite_number_is_unscored() -> None:
    found = scaled([0.4, math.nan, None, math.inf], "unit")
    assert np.isnan(found.relevance).tolist() == [False, True, True, True]


def test_a_score_outside_its_declared_scale_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"Score 7.2 of candidate 2 .* 'unit'"):
        scaled([0.4, 7.2], "unit")


def test_an_unknown_scale_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError, match="'bm25'") as caught:
        scaled([0.4], "bm25")
    assert caught.value.known == tuple(sorted(SCALES))


@given(st.lists(st.floats(-700, 700), min_size=2, max_size=9))
def test_the_order_of_logits_is_the_order_of_relevance(raw: list[float]) -> None:
    found = scaled(sorted(raw), "logit").relevance.tolist()
    assert found == sorted(found)
    assert all(0.0 <= value <= 1.0 for value in found)
