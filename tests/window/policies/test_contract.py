"""Every policy in the registry keeps the contract that is shipped for policies of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from packhorse.errors import UnknownStrategyError
from packhorse.testing.history_policy import HistoryPolicyContract
from packhorse.window.policies.blocks import BlockTrimming
from packhorse.window.policies.policy import HistoryPolicy, LeftOut, Pieces
from packhorse.window.policies.registry import POLICIES, history_policy
from packhorse.window.policies.relevant import RelevantPieces
from packhorse.window.policies.sliding import SlidingWindow
from packhorse.window.policies.summarised import SummarisedWindow


class TestSlidingWindow(HistoryPolicyContract):
    def policy(self) -> HistoryPolicy:
        return SlidingWindow()


class TestBlockTrimming(HistoryPolicyContract):
    def policy(self) -> HistoryPolicy:
        return BlockTrimming()


class TestSummarisedWindow(HistoryPolicyContract):
    def policy(self) -> HistoryPolicy:
        return SummarisedWindow()


class TestRelevantPieces(HistoryPolicyContract):
    def policy(self) -> HistoryPolicy:
        return RelevantPieces()


def test_every_policy_of_the_registry_runs_the_contract() -> None:
    suites = HistoryPolicyContract.__subclasses__()
    tried = {type(suite().policy()) for suite in suites if suite.__module__ == __name__}
    assert {type(history_policy(name)) for name in POLICIES} <= tried


def test_an_unknown_policy_lists_those_that_exist() -> None:
    with pytest.raises(UnknownStrategyError, match="newest") as error:
        history_policy("newest")
    assert all(name in error.value.hint for name in POLICIES)


class Named:
    """A policy that names what a function says, whatever the room."""

    name = "named"

    def __init__(self, chosen: Callable[[Pieces], set[int]]) -> None:
        self.chosen = chosen

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        del room
        return {piece: LeftOut("named") for piece in sorted(self.chosen(pieces))}


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        (lambda _: set(), "test_what_stays_is_never_over_the_room"),
        (
            lambda pieces: set(range(len(pieces.costs))),
            "test_required_pieces_are_never_named",
        ),
        (lambda _: {-1}, "test_only_pieces_that_exist_are_named"),
        (
            lambda pieces: set(range(len(pieces.costs))) - pieces.required,
            "test_nothing_is_named_when_all_fits",
        ),
        (
            lambda pieces: {at for at in range(1) if at not in pieces.required},
            "test_what_was_chosen_is_chosen_again",
        ),
    ],
)
def test_the_contract_notices_a_policy_that_breaks_it(
    wrong: Callable[[Pieces], set[int]], test: str
) -> None:
    class Suite(HistoryPolicyContract):  # judged by what it raises
        def policy(self) -> HistoryPolicy:
            return Named(wrong)

    with pytest.raises(AssertionError, match="costs"):
        getattr(Suite(), test)()
