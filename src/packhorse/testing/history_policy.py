"""Contract of a history policy, for every implementation of `HistoryPolicy`.

Use it from any test runner:

    from packhorse.testing.history_policy import HistoryPolicyContract

    class TestMyPolicy(HistoryPolicyContract):
        def policy(self):
            return MyPolicy()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from packhorse.window.conversation import read_conversation
from packhorse.window.policies.policy import LeftOut, Pieces

if TYPE_CHECKING:
    from packhorse.window.policies.policy import HistoryPolicy

__all__ = ["HistoryPolicyContract", "pieces_of"]

ROOMS = (0, 1, 7, 20, 45, 90, 200)

_WORDS = (
    "Hello",
    "the printer in Room 12 jams",
    "ann: try lp0",
    "yes",
    "",
    "On Friday at 10:30 am",
)
_NAMES = ("ann", "bob", "cyd", "dan")


def pieces_of(
    messages: list[dict[str, Any]],
    costs: tuple[int, ...],
    required: frozenset[int],
    banned: frozenset[int] = frozenset(),
) -> Pieces:
    """Pieces of OpenAI chat messages, one a unit.

    Args:
        messages: oldest first.
        costs: tokens of each unit.
        required: units that are in whatever happens.
        banned: units that are out whatever happens.
    """
    conversation = read_conversation(messages)
    return Pieces(
        conversation=conversation,
        members=tuple((at,) for at in range(len(conversation.units))),
        costs=costs,
        required=required,
        banned=banned,
    )


class HistoryPolicyContract:
    """Tests that any history policy passes. Subclass it, and give `policy`."""

    def policy(self) -> HistoryPolicy:
        """The policy under test, new for each test."""
        raise NotImplementedError

    def test_what_stays_is_never_over_the_room(self) -> None:
        """Pieces that are neither required, banned nor named cost at most the room."""
        for pieces, room, out in self._chosen():
            used = sum(pieces.costs[piece] for piece in _open(pieces) if piece not in out)
            _require(used <= room, pieces, f"{used} tokens stay in a room of {room}")

    def test_required_pieces_are_never_named(self) -> None:
        """What is in whatever happens does not go."""
        for pieces, _, out in self._chosen():
            _require(pieces.required.isdisjoint(out), pieces, f"{sorted(out)} hold a required one")

    def test_only_pieces_that_exist_are_named(self) -> None:
        """Every name is the place of a piece."""
        for pieces, _, out in self._chosen():
            _require(set(out) <= set(range(len(pieces.costs))), pieces, f"{sorted(out)}")

    def test_nothing_is_named_when_all_fits(self) -> None:
        """No piece that may stay goes without need."""
        for pieces, room, out in self._chosen():
            is_enough = sum(pieces.costs[piece] for piece in _open(pieces)) <= room
            named = set(out) - pieces.banned
            _require(not (is_enough and named), pieces, f"{sorted(named)} go though all fits")

    def test_every_piece_that_goes_has_a_reason(self) -> None:
        """Each has a code without spaces."""
        for pieces, _, out in self._chosen():
            codes = [why.code for why in out.values()]
            _require(all(code and " " not in code for code in codes), pieces, f"codes: {codes}")

    def test_same_input_same_choice(self) -> None:
        """A choice is a function of its input, by a policy that chose before too."""
        policy = self.policy()
        for pieces, room, out in self._chosen():
            _require(dict(self.policy().leave_out(pieces, room)) == dict(out), pieces, "differs")
            policy.leave_out(pieces, room + 1)
            _require(dict(policy.leave_out(pieces, room)) == dict(out), pieces, "remembers")

    def test_what_was_chosen_is_chosen_again(self) -> None:
        """Of what stayed, in the same room, nothing more goes."""
        for pieces, room, out in self._chosen():
            stays = [at for at in range(len(pieces.costs)) if at not in out]
            stays = [at for at in stays if at not in pieces.banned]
            items = [pieces.conversation.items[at] for at in stays]
            again = pieces_of(
                items,
                tuple(pieces.costs[at] for at in stays),
                frozenset(new for new, at in enumerate(stays) if at in pieces.required),
            )
            _require(not self.policy().leave_out(again, room), pieces, f"{room}: more goes")

    def _chosen(self) -> Iterator[tuple[Pieces, int, Mapping[int, LeftOut]]]:
        for pieces in _instances():
            for room in ROOMS:
                yield pieces, room, self.policy().leave_out(pieces, room)


def _open(pieces: Pieces) -> list[int]:
    taken = pieces.required | pieces.banned
    return [piece for piece in range(len(pieces.costs)) if piece not in taken]


def _instances() -> Iterator[Pieces]:
    """Small conversations of two roles and of many names, from a linear congruence, no chance."""
    state = 7
    for n_messages in (1, 2, 3, 5, 8, 13, 21):
        for is_crowd in (False, True):
            messages, costs = [], []
            for at in range(n_messages):
                state = (state * 1_103_515_245 + 12_345) % 2**31
                text = _WORDS[(state >> 8) % len(_WORDS)]
                message = {"role": "user", "content": text}
                if is_crowd:
                    message["name"] = _NAMES[(state >> 12) % len(_NAMES)]
                elif at % 2 != (n_messages - 1) % 2:
                    message["role"] = "assistant"
                messages.append(message)
                costs.append((state >> 16) % 40)
            required = frozenset({n_messages - 1, n_messages // 3})
            banned = frozenset({n_messages // 2}) - required
            yield pieces_of(messages, tuple(costs), required, banned)


def _require(holds: bool, pieces: Pieces, said: str) -> None:  # noqa: FBT001 - as in `assert`
    if not holds:
        raise AssertionError(f"{said}; costs {pieces.costs}, required {sorted(pieces.required)}")
