"""Relevance of what was judged and of what was not stands on one scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank.cross_encoder.mix import mixed

units = st.floats(0, 1).map(lambda number: round(number, 6))


def test_judged_ones_get_the_weighted_mean_and_the_others_go_below() -> None:
    relevance = np.array([0.8, 0.6, 0.5, 0.4, np.nan])
    new = mixed(relevance, {0: 0.2, 1: 1.0}, [2, 3], weight=0.5)
    assert new[:4].tolist() == pytest.approx([0.5, 0.8, 0.5, 0.4])
    new = mixed(relevance, {0: 0.2, 1: 1.0}, [2, 3], weight=1.0)
    assert new[:4].tolist() == pytest.approx([0.2006, 0.9996, 0.2006, 0.16048])
    assert np.isnan(new[4])


def test_what_is_below_already_keeps_its_relevance() -> None:
    new = mixed(np.array([0.5, 0.4, 0.1]), {0: 0.9, 1: 0.3}, [2], weight=1.0)
    assert new.tolist() == pytest.approx([0.8996, 0.3001, 0.1])


def test_what_is_judged_the_same_keeps_the_order_of_retrieval() -> None:
    new = mixed(np.array([0.4, 0.6, 0.5]), {0: 1.0, 1: 1.0, 2: 0.2}, [], weight=1.0)
    assert new[1] > new[0] > new[2]


def test_nothing_judged_changes_nothing() -> None:
    relevance = np.array([0.5, np.nan])
    assert np.array_equal(mixed(relevance, {}, [0, 1], weight=1.0), relevance, equal_nan=True)


@given(st.lists(units, min_size=1, max_size=12), st.data(), units)
def test_order_and_range_hold(relevance: list[float], data: st.DataObject, weight: float) -> None:
    relevance = sorted(relevance, reverse=True)
    n_judged = data.draw(st.integers(1, len(relevance)))
    said = data.draw(st.lists(units, min_size=n_judged, max_size=n_judged))
    rest = range(n_judged, len(relevance))
    new = mixed(np.array(relevance), dict(enumerate(said)), list(rest), weight)
    assert ((new >= 0) & (new <= 1)).all()
    assert (np.round(new, 6) == new).all()
    assert all(new[row] <= min(new[:n_judged]) for row in rest)
    assert all(new[row] >= new[row + 1] for row in rest[:-1])
    share = min(weight, 0.999)
    plain = [share * p + (1 - share) * r for p, r in zip(said, relevance, strict=False)]
    assert new[:n_judged].tolist() == pytest.approx(plain, abs=1e-6)
