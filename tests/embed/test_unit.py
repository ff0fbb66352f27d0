"""Rows of length one, or zero."""

import numpy as np

from packhorse.embed.unit import unit_rows


def test_rows_are_scaled_and_unusable_ones_are_zero() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 0.0], [1e-30, 0.0]])
    assert unit_rows(rows).round(6).tolist() == [
        [0.6000000238418579, 0.800000011920929],
        [0, 0],
        [0, 0],
        [0, 0],
        [1, 0],
    ]
