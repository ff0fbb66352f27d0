"""Packers by name."""

import pytest

from packhorse.errors import UnknownStrategyError
from packhorse.packing.registry import PACKERS, packer


def test_names_are_those_that_the_packers_carry() -> None:
    assert {name: packer(name).name for name in PACKERS} == {name: name for name in PACKERS}


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError, match="'best'") as caught:
        packer("best")
    assert {"ranked", "density"} <= set(caught.value.known)
    assert "ranked" in caught.value.hint
