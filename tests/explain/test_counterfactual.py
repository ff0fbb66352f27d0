"""The smallest change that flips a decision, tried out: with it, and with one step less."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from packhorse.explain.axes import Axis, date_axis, relevance_axis, trust_axis
from packhorse.explain.counterfactual import KINDS, counterfactuals, first_flip
from packhorse.explain.selection import Change, Selection
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.explanation import Counterfactual
from packhorse.packet.packet import Packet
from tests.explain.changes import changed
from tests.explain.random_packs import Request, random_packets
from tests.properties.hashed_embedder import HashedEmbedder

N_PACKETS = 4
AXES = (relevance_axis, trust_axis, date_axis)


def check(selection: Selection, row: int, told: Counterfactual, *, was_in: bool) -> None:
    """What is said is so: it flips, and one step less does not."""
    if not told.flips:
        assert told.becomes is told.stays_at is told.change is None
        return
    assert (row in selection.chosen(changed(told.kind, told.becomes, row))) != was_in
    if told.stays_at is not None:
        assert (row in selection.chosen(changed(told.kind, told.stays_at, row))) == was_in


def test_every_stated_flip_flips_and_one_step_less_does_not() -> None:
    n_flips = dict.fromkeys(KINDS, 0)
    for _, (_, _, packet) in zip(range(N_PACKETS), random_packets(11), strict=False):
        document = Packet.from_json(packet.to_json()).document
        finding, trying = Selection(document), Selection(document)
        for row, entry in enumerate(finding.recorded.entries):
            told = counterfactuals(finding, row)
            assert tuple(each.kind for each in told) == KINDS
            for each in told:
                n_flips[each.kind] += each.flips
                check(trying, row, each, was_in="position" in entry)
    assert min(n_flips.values()) > 5, n_flips


def test_flips_of_the_best_set_are_true_and_say_that_smaller_ones_may_be() -> None:
    for _, (_, _, packet) in zip(
        range(2), random_packets(17, strategies=("optimal",)), strict=False
    ):
        selection = Selection(packet.document)
        assert selection.difference() == ""
        for row, entry in list(enumerate(selection.recorded.entries))[::4]:
            for each in counterfactuals(selection, row):
                check(selection, row, each, was_in="position" in entry)
                if each.flips and each.kind in {"budget", "relevance", "trust", "date"}:
                    assert not each.smallest
                    assert "not every one between was tried" in each.detail


def packed_again(
    kb: MemoryKnowledgeBase, request: Request, name: str, told: Counterfactual, value: Any
) -> bool:
    """Whether a chunk is in when the whole pipeline runs with a change."""
    arguments = dict(request.arguments)
    if told.kind == "budget":
        arguments["budget"] = value
    elif told.kind == "lambda":
        arguments["lambda_"] = value
    else:
        ids = [f"c{n:02d}" for n in range(60)]
        chunks = dict(kb.get(ids))
        if told.kind == "date":
            chunks[name] = replace(chunks[name], timestamp=datetime.fromisoformat(value))
        else:
            chunks[name] = replace(chunks[name], trust_score=value)
        kb = MemoryKnowledgeBase(chunks.values(), policy=kb.policy, embedder=HashedEmbedder())
    packet = replace(request, arguments=arguments).pack(kb)
    return name in {chunk.chunk_id for chunk in packet.packed_chunks}


def test_packing_anew_with_the_change_gives_what_selecting_again_said() -> None:
    n_tried = 0
    for _, (kb, request, packet) in zip(range(3), random_packets(12), strict=False):
        selection = Selection(packet.document)
        for row, entry in list(enumerate(selection.recorded.entries))[::3]:
            was_in = "position" in entry
            for told in counterfactuals(selection, row):
                if not told.flips or told.kind == "relevance":
                    continue
                n_tried += 1
                name = entry["chunk_id"]
                assert packed_again(kb, request, name, told, told.becomes) != was_in, told
                if told.stays_at is not None:
                    assert packed_again(kb, request, name, told, told.stays_at) == was_in, told
    assert n_tried > 10


def test_with_strategy_ranked_being_in_is_monotone_between_the_points_of_an_axis() -> None:
    """What bisection rests on: more relevance or trust, or a newer date, never takes it out."""
    chance = random.Random(7)  # noqa: S311 - drawn the same way each time, and no secret
    n_both = 0
    for _, (_, _, packet) in zip(
        range(24), random_packets(13, strategies=("ranked",)), strict=False
    ):
        selection = Selection(packet.document)
        if not is_monotone(selection):
            continue
        for row in chance.sample(range(len(selection.recorded.entries)), 4):
            for axis_of in AXES:
                axis = axis_of(selection.recorded, row, 1)
                found = [row in selection.chosen(axis.change_at(k)) for k in between(chance, axis)]
                assert found == sorted(found)
                n_both += len(set(found)) == 2
    assert n_both > 20


def is_monotone(selection: Selection) -> bool:
    """Whether no chunk depends on where others come in the walk but by the room they leave."""
    rules = selection.recorded.constraints
    return not (rules.linked or rules.topics)


def between(chance: random.Random, axis: Axis) -> list[int]:
    """Some steps of a stretch without a point inside, ascending."""
    stops = [0, *(at for at in axis.points if 0 < at < axis.n_steps), axis.n_steps]
    place = chance.randrange(len(stops) - 1)
    low, high = stops[place] + 1, stops[place + 1]
    if high < low:
        return []
    return sorted(chance.sample(range(low, high + 1), min(12, high - low + 1)))


def slow_first(selection: Selection, row: int, axis: Axis, *, was_in: bool) -> int | None:
    """Every step, one after the other."""
    return next(
        (
            step
            for step in range(1, axis.n_steps + 1)
            if (row in selection.chosen(axis.change_at(step))) != was_in
        ),
        None,
    )


def test_the_smallest_number_of_days_is_the_one_that_a_look_at_every_day_finds() -> None:
    chance = random.Random(8)  # noqa: S311 - drawn the same way each time, and no secret
    n_found = n_tried = 0
    packets = random_packets(14, strategies=("ranked",))
    while n_tried < 5:
        _, _, packet = next(packets)
        selection = Selection(packet.document)
        entries = selection.recorded.entries
        row = chance.randrange(len(entries))
        was_in = "position" in entries[row]
        axis = date_axis(selection.recorded, row, -1 if was_in else 1)
        if axis.n_steps > 1_200 or not is_monotone(selection):
            continue
        n_tried += 1
        slow = slow_first(selection, row, axis, was_in=was_in)
        told = next(e for e in counterfactuals(selection, row) if e.kind == "date")
        assert told.smallest
        assert (None if slow is None else axis.value_at(slow)) == told.becomes
        n_found += slow is not None
    assert n_found > 0


def test_the_smallest_budget_is_the_one_that_a_look_at_every_budget_finds() -> None:
    n_found = 0
    for _, (_, _, packet) in zip(
        range(5), random_packets(15, strategies=("ranked", "density")), strict=False
    ):
        selection = Selection(packet.document)
        own = selection.recorded
        for row, entry in list(enumerate(own.entries))[::3]:
            told = counterfactuals(selection, row)[0]
            was_in = "position" in entry
            budgets = range(own.budget - 1, own.budget - own.room - 1, -1)
            if not was_in:
                budgets = range(own.budget + 1, own.budget + 400)
            reserved = sum(own.block_tokens[each] for each, _ in selection.ranking().reserved)
            slow = next(
                (
                    budget
                    for budget in budgets
                    if budget - own.budget + own.room >= reserved
                    and (row in selection.chosen(Change(budget=budget))) != was_in
                ),
                None,
            )
            if slow is not None and row not in dict(selection.ranking().reserved):
                assert told.becomes == slow
                n_found += 1
            else:
                assert told.change is None or abs(told.change) >= 400
    assert n_found > 5


def test_required_and_blocked_chunks_are_flipped_by_nothing() -> None:
    n_required = n_blocked = 0
    for _, (_, _, packet) in zip(range(40), random_packets(16), strict=False):
        selection = Selection(packet.document)
        for row, entry in enumerate(selection.recorded.entries):
            is_required = entry["reason_code"] in {"mandatory", "pinned"}
            is_blocked = entry["reason_code"] == "blocked_source"
            if is_required or is_blocked:
                told = counterfactuals(selection, row)
                assert not any(each.flips for each in told)
                assert "whatever else changes" in told[0].detail
                n_required += is_required
                n_blocked += is_blocked
    assert n_required > 0
    assert n_blocked > 0


@pytest.mark.parametrize(
    ("n_steps", "flipped", "points", "expected"),
    [
        (100, range(40, 101), (), 40),
        (100, range(1, 101), (), 1),
        (100, range(0), (10, 20), None),
        (100, range(10, 20), (15,), 10),
        (100, range(10, 20), (), None),
        (0, range(0), (), None),
        (5, range(5, 6), (-3, 0, 99), 5),
    ],
)
def test_the_first_flip_is_found_by_bisection_below_a_point_that_flips(
    n_steps: int, flipped: range, points: tuple[int, ...], expected: int | None
) -> None:
    assert first_flip(n_steps, flipped.__contains__, points) == expected
