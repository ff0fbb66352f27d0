"""Packing strategies by name. A strategy is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from packhorse.errors import UnknownStrategyError

if TYPE_CHECKING:
    from packhorse.protocols import Packer

__all__ = ["PACKERS", "packer"]


def _ranked() -> Packer:
    from packhorse.packing.ranked import RankedPacker

    return RankedPacker()


def _density() -> Packer:
    from packhorse.packing.density import DensityPacker

    return DensityPacker()


def _optimal() -> Packer:
    from packhorse.packing.optimal import OptimalPacker

    return OptimalPacker()


def _submodular() -> Packer:
    from packhorse.packing.submodular import SubmodularPacker

    return SubmodularPacker()


PACKERS: Mapping[str, Callable[[], Packer]] = MappingProxyType(
    {"ranked": _ranked, "density": _density, "optimal": _optimal, "submodular": _submodular}
)
"""Name -> factory; numpy is loaded when a factory is called."""


def packer(name: str) -> Packer:
    """The packer called `name`; what stands around a chunk is packed with that chunk alone.

    Raises:
        UnknownStrategyError: lists the known names.
    """
    if name not in PACKERS:
        raise UnknownStrategyError("packing strategy", name, tuple(PACKERS))
    from packhorse.packing.expanded import ExpandedPacker

    return ExpandedPacker(PACKERS[name]())
