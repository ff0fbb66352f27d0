"""Areas, rates and thresholds are those that counting gives."""

import numpy as np
import pytest

from evals.domain.plot import roc_plot
from evals.domain.roc import area, curve, highest_threshold, rates

INSIDE = np.array([0.9, 0.5, 0.4, 0.4])
OTHERS = np.array([0.4, 0.1])


def test_the_area_counts_pairs_and_ties_half() -> None:
    assert area(INSIDE, OTHERS) == pytest.approx((4 + 2 + 2 * 0.5) / 8)


def test_rates_and_the_curve_agree() -> None:
    at = rates(INSIDE, OTHERS, 0.45)
    assert (at.false_alarm, at.miss) == (0.5, 0.0)
    assert (0.5, 1.0) in curve(INSIDE, OTHERS)


def test_the_threshold_is_the_highest_that_few_inside_questions_are_below() -> None:
    inside = np.array([0.2, *[0.5] * 39])
    assert highest_threshold(inside) == 0.5
    assert highest_threshold(inside[:39]) == 0.2


def test_the_drawing_has_a_line_for_each_figure_and_escapes_names() -> None:
    points = curve(INSIDE, OTHERS)
    drawn = roc_plot([("far", {"<b>": points, "x": points})], {"far": [(0.1, 0.9)]})
    assert drawn.count("<polyline") == 2
    assert drawn.count("<circle") == 1
    assert "&lt;b&gt;" in drawn
