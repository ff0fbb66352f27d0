"""Differences and the inputs that make them: found again by packing, and by trying all sets."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetError
from packhorse.explain.diff.attribution import Attribution, Attributions, chosen
from packhorse.explain.diff.changed_inputs import changed_inputs
from packhorse.explain.diff.mixture import Mixture, Outcome, Standing, recorded_outcome
from packhorse.explain.recorded import recorded
from packhorse.packet.packet import Packet
from tests.explain.diff.alterations import CHANGES, SEPARABLE, Case, altered
from tests.explain.random_packs import random_packets

Group = tuple[str, ...]


def cases(seed: int) -> Iterable[tuple[Case, Packet]]:
    for kb, request, packet in random_packets(seed):
        yield Case(kb, request), packet


def mixture_of(a: Packet, b: Packet) -> Mixture:
    documents = (a.document, b.document)
    sides = (recorded(a.document), recorded(b.document))
    return Mixture(documents, sides, changed_inputs(*documents))


# ------------------------------------------------------------------------------ one change


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_with_one_input_changed_everything_is_attributed_to_it(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - drawn the same way each time, and no secret
    n_compared = 0
    for case, packet in islice(cases(21), 8):
        try:
            expected, new = altered(name, chance, case, packet)
            other = new.pack()
        except (BudgetError, IndexError):
            continue
        n_compared += 1
        found = packet.diff(other)
        assert found.note == ""
        # The corpus's hash is another one with any of its chunks; that alone does nothing.
        assert {each.key for each in found.inputs} <= expected | {"snapshot"}
        assert {each.key for each in found.inputs if each.effect is not None} <= expected
        for each in (*found.entered, *found.left, *found.moved):
            assert each.because is not None
            assert set(each.because.inputs) <= expected
        if n_compared == 2:
            break
    assert n_compared


# ----------------------------------------------------------------------------- two changes


def test_what_selecting_again_says_is_what_packing_gives() -> None:
    """Every input that changed, alone: from the whole pipeline, the slow and obvious way."""
    chance = random.Random(5)  # noqa: S311 - drawn the same way each time, and no secret
    n_packed = n_joint = n_causes = 0
    for case, packet in islice(cases(22), 20):
        names = chance.sample(sorted(SEPARABLE), 2)
        try:
            # Drawn alike each time: the second change alone, and over the first.
            first, second = (altered(name, drawn(names), case, packet)[1] for name in names)
            both = altered(names[1], drawn(names), first, packet)[1]
            packets = [first.pack(), second.pack()]
            other = both.pack()
        except (BudgetError, IndexError):
            continue
        mixture = mixture_of(packet, other)
        groups = [mixture_groups(mixture, packet, each) for each in packets]
        for alone, group in zip(packets, groups, strict=True):
            if group is None:
                # What cannot be switched alone: both changes decide one recorded value.
                n_joint += 1
                continue
            n_packed += 1
            assert mixture.outcome(group) == recorded_outcome(alone.document), names
        n_causes += check_causes(mixture, packet, other)
    assert n_packed > 15
    assert n_joint < n_packed
    assert n_causes > 5


def drawn(names: list[str]) -> random.Random:
    return random.Random("+".join(names))  # noqa: S311 - drawn the same way, and no secret


def mixture_groups(mixture: Mixture, packet: Packet, alone: Packet) -> list[Group] | None:
    """The groups of what one packet alone changes; None where another input is among them."""
    keys = {each.key for each in changed_inputs(packet.document, alone.document)}
    groups = [group for group in mixture.groups if keys & {*group}]
    return groups if all({*group} <= keys for group in groups) else None


def check_causes(mixture: Mixture, packet: Packet, other: Packet) -> int:
    """The named inputs reproduce what they are named for; how many causes there were."""
    found = packet.diff(other)
    was, now = (chosen(recorded_outcome(each.document)) for each in (packet, other))
    for each in (*found.entered, *found.left):
        assert each.because is not None
        groups = [mixture.group(key) for key in each.because.inputs]
        outcome = mixture.outcome([group for group in groups if group is not None])
        assert (each.chunk_id in chosen(outcome)) == (each.chunk_id in now)
    if found.selection is not None:
        groups = [mixture.group(key) for key in found.selection.inputs]
        assert chosen(mixture.outcome([g for g in groups if g is not None])) == now != was
    return len(found.entered) + len(found.left)


def test_packets_that_have_nothing_in_common_come_out_again_from_both_ends() -> None:
    packets = [packet for _, packet in islice(cases(23), 8)]
    for a, b in pairwise(packets):
        mixture = mixture_of(a, b)
        assert mixture.outcome(()) == recorded_outcome(a.document)
        assert mixture.outcome(mixture.groups) == recorded_outcome(b.document)
        assert a.diff(b).note == ""


# ------------------------------------------------------------------------------- the search


class Table:
    """A mixture of which the outcome is read from a table: one bit for each set of inputs."""

    def __init__(self, n_groups: int, bits: list[bool]) -> None:
        self.groups: tuple[Group, ...] = tuple((f"i{place}",) for place in range(n_groups))
        self.bits = bits

    def is_in(self, groups: Iterable[Group]) -> bool:
        return self.bits[sum(1 << self.groups.index(group) for group in groups)]

    def outcome(self, groups: Iterable[Group]) -> Outcome:
        return {"c": Standing("", 1, 1 if self.is_in(groups) else None, None)}


def slow_answer(table: Table) -> Attribution | None:
    """By the definition: every set of inputs, by size, then by name."""
    everything = frozenset(table.groups)
    was, now = table.is_in(()), table.is_in(everything)
    if was == now:
        return None
    suffice = tuple(group for group in table.groups if table.is_in([group]) == now)
    needed = tuple(group for group in table.groups if table.is_in(everything - {group}) == was)
    together: Group | tuple[Group, ...] = ()
    if not suffice:
        together = next(
            each
            for size in range(len(table.groups) + 1)
            for each in combinations(table.groups, size)
            if table.is_in(each) == now
        )
    return Attribution(suffice=suffice, needed=needed, together=together)  # type: ignore[arg-type]  # groups


@given(st.integers(1, 5), st.data())
def test_the_search_finds_what_trying_all_sets_finds(n_groups: int, data: st.DataObject) -> None:
    size = 1 << n_groups
    table = Table(n_groups, data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    told = Attributions(table)  # type: ignore[arg-type]  # what it reads of a mixture
    assert told.decision("c") == slow_answer(table)


@given(st.lists(st.sets(st.integers(0, 9), min_size=2), min_size=1, max_size=4))
def test_of_many_inputs_none_can_be_left_out_of_the_set(sets: list[set[int]]) -> None:
    n_groups = 10
    masks = [sum(1 << place for place in each) for each in sets]
    bits = [any(at & mask == mask for mask in masks) for at in range(1 << n_groups)]
    table = Table(n_groups, bits)
    told = Attributions(table).decision("c")  # type: ignore[arg-type]  # what it reads of a mixture
    assert told is not None
    assert not told.smallest
    assert table.is_in(told.together)
    for group in told.together:
        assert not table.is_in([each for each in told.together if each != group])
