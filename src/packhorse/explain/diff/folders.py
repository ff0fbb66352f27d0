"""Folders of packets compared pair by pair: what a check of a retrieval configuration runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.explain.diff.text import headline
from packhorse.packet.files import PACKET_FILE
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.explain.diff.difference import Difference

__all__ = ["FolderDifference", "Pair", "packet_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Packets of the same name in both folders."""

    name: str
    """Path below the folder, with `/`."""
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderDifference:
    """Two folders of packets compared. `str()` of it is for people."""

    pairs: tuple[Pair, ...]
    """By name."""
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every packet is in both, and no pair differs in what is compared."""
        return not self.different and not self.only_in_a and not self.only_in_b

    @property
    def different(self) -> tuple[Pair, ...]:
        """Pairs that differ, by name."""
        return tuple(pair for pair in self.pairs if not pair.difference.same)

    def causes(self) -> Mapping[str, tuple[int, int, int]]:
        """Input -> chunks that entered, that left, and packets that select otherwise, by it.

        Where only several inputs together suffice, it counts for each of them. The input with
        the most chunks comes first, ties by name.
        """
        entered, left, packets = Counter[str](), Counter[str](), Counter[str]()
        for pair in self.different:
            for each in (*pair.difference.entered, *pair.difference.left):
                if each.because is not None:
                    (entered if each.entered else left).update(each.because.inputs)
            if pair.difference.selection is not None:
                packets.update(pair.difference.selection.inputs)
        keys = sorted({*entered, *left, *packets}, key=lambda key: (-entered[key] - left[key], key))
        return {key: (entered[key], left[key], packets[key]) for key in keys}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "same": self.same,
            "pairs": {pair.name: pair.difference.to_dict() for pair in self.pairs},
            "only_in_a": list(self.only_in_a),
            "only_in_b": list(self.only_in_b),
            "causes": {
                key: dict(zip(("entered", "left", "packets"), counts, strict=True))
                for key, counts in self.causes().items()
            },
        }

    def __str__(self) -> str:
        return "\n".join(printable(line) for line in self._lines())

    def _lines(self) -> Iterator[str]:
        n_pairs, n_different = len(self.pairs), len(self.different)
        if self.same:
            yield f"[PASS] {_packets(n_pairs)}, all the same"
            return
        lone = [
            f"{len(ids)} only in {name}"
            for name, ids in (("A", self.only_in_a), ("B", self.only_in_b))
            if ids
        ]
        among = f"{_packets(n_pairs)} in both" if lone else _packets(n_pairs)
        pairs = [f"{n_different} of {among} differ"] if n_pairs else ["No packet is in both"]
        yield f"[WARN] {'; '.join([*pairs, *lone])}"
        for name, ids in (("A", self.only_in_a), ("B", self.only_in_b)):
            for each in ids:
                yield f"[WARN] {each}: only in {name}"
        causes = self.causes()
        if causes:
            yield "causes"
            width = max(len(printable(key)) for key in causes)
            for key, (entered, left, packets) in causes.items():
                counts = f"{entered} entered, {left} left, in {_packets(packets)}"
                yield f"  {printable(key):<{width}}  {counts}"
        if self.different:
            yield "packets"
        for pair in self.different:
            yield f"  {pair.name}  {headline(pair.difference).removeprefix('Different: ')}"


def _packets(number: int) -> str:
    return "1 packet" if number == 1 else f"{number} packets"


def packet_files(folder: Path) -> dict[str, Path]:
    """Packets below a folder, by name: the folder of a context_packet.json, or a .json file.

    Beside a context_packet.json, other files are none.

    Raises:
        InputError: there are none, or two have the same name.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.json")):
        if path.name == PACKET_FILE:
            name = path.parent.relative_to(folder).as_posix()
        elif not (path.parent / PACKET_FILE).exists():
            name = path.relative_to(folder).with_suffix("").as_posix()
        else:
            continue
        if name in found:
            raise InputError(
                f"Two packets are named {name}: {found[name]} and {path}", hint="Rename one of them"
            )
        found[name] = path
    if not found:
        raise InputError(
            f"No packets in {folder}",
            hint=f"Give a {PACKET_FILE}, the folder that it is in, or a folder of such folders",
        )
    return dict(sorted(found.items()))
