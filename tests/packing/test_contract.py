"""Every packer keeps the public contract."""

import numpy as np

from packhorse.packing.density import DensityPacker
from packhorse.packing.optimal import OptimalPacker
from packhorse.packing.ranked import RankedPacker
from packhorse.packing.submodular import SubmodularPacker
from packhorse.testing.packer import SUM_OF_WORTH, PackerContract, ranking_of


class TestRankedPacker(PackerContract):
    def packer(self) -> RankedPacker:
        return RankedPacker()


class TestDensityPacker(PackerContract):
    def packer(self) -> DensityPacker:
        return DensityPacker(floor_tokens=4)


class TestOptimalPacker(PackerContract):
    def packer(self) -> OptimalPacker:
        return OptimalPacker()


class TestSubmodularPacker(PackerContract):
    def packer(self) -> SubmodularPacker:
        return SubmodularPacker()


def test_contract_checks_the_objective_that_the_packers_state() -> None:
    packing = RankedPacker().pack(ranking_of([0.5]), np.array([3]), 3)
    assert packing.quality.objective == SUM_OF_WORTH
