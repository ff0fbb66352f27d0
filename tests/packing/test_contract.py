"""Both packers keep the public contract."""

from packhorse.packing.density import DensityPacker
from packhorse.packing.outcome import OBJECTIVE
from packhorse.packing.ranked import RankedPacker
from packhorse.testing.packer import SUM_OF_SCORES, PackerContract


class TestRankedPacker(PackerContract):
    def packer(self) -> RankedPacker:
        return RankedPacker()


class TestDensityPacker(PackerContract):
    def packer(self) -> DensityPacker:
        return DensityPacker(floor_tokens=4)


def test_contract_checks_the_objective_that_the_packers_state() -> None:
    assert OBJECTIVE == SUM_OF_SCORES
