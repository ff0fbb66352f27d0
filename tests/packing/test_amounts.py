"""Whole numbers of zero or more, and nothing that merely looks like one."""

import numpy as np
import pytest

from packhorse.errors import InputError, InvalidBudgetError
from packhorse.packing.amounts import budget_amount, token_amount


@pytest.mark.parametrize("value", [0, 12, np.int64(12)])
def test_whole_numbers_are_amounts(value: object) -> None:
    assert budget_amount(value) == value
    assert token_amount(value, "part 1") == value


@pytest.mark.parametrize("value", [None, -1, 1.5, 2.0, "12", True, [], np.float64(3)])
def test_everything_else_is_refused_with_its_name(value: object) -> None:
    with pytest.raises(InvalidBudgetError, match="window_size is"):
        budget_amount(value, "window_size")
    with pytest.raises(InputError, match="part 1"):
        token_amount(value, "part 1")
