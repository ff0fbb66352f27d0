"""The paired bootstrap."""

import numpy as np
import pytest

from packhorse.evaluate.compare import paired_difference


def test_the_interval_is_that_of_a_plain_bootstrap() -> None:
    chance = np.random.default_rng(5)
    base, other = chance.random(80), chance.random(80) + 0.2
    found = paired_difference(base, other)
    assert found is not None
    # A slow one with draws of its own.
    draws = sorted(
        float(np.mean([(other - base)[int(at)] for at in chance.integers(0, 80, 80)]))
        for _ in range(2000)
    )
    assert found.mean == pytest.approx((other - base).mean(), abs=1e-6)
    assert found.low == pytest.approx(draws[50], abs=0.02)
    assert found.high == pytest.approx(draws[1950], abs=0.02)
    assert found.clear


def test_the_same_numbers_give_the_same_interval() -> None:
    values = np.linspace(0, 1, 30)
    assert paired_difference(values, values[::-1]) == paired_difference(values, values[::-1])


def test_no_difference_is_an_interval_of_zero() -> None:
    found = paired_difference(np.ones(5), np.ones(5))
    assert found is not None
    assert (found.mean, found.low, found.high, found.higher, found.lower) == (0, 0, 0, 0, 0)
    assert not found.clear


def test_questions_without_a_figure_are_left_out() -> None:
    base = np.array([0.0, np.nan, 1.0, 0.5])
    found = paired_difference(base, np.array([1.0, 1.0, np.nan, 0.0]))
    assert found is not None
    assert (found.n, found.mean, found.higher, found.lower) == (2, 0.25, 1, 1)
    assert paired_difference(base[1:2], base[1:2]) is None
