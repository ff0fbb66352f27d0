"""What a policy sees, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation

__all__ = ["Choice", "HistoryPolicy", "LeftOut", "Pieces"]


class LeftOut(NamedTuple):
    """Why a piece is out, or in."""

    code: str
    detail: str = ""


class Choice(dict[int, LeftOut]):
    """Pieces that go, from a policy that has a reason for what stays as well."""

    def __init__(self, out: Mapping[int, LeftOut] | None = None) -> None:
        super().__init__(out or {})
        self.kept: dict[int, LeftOut] = {}
        """Why pieces that were chosen stay, in the order in which they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """A conversation in the pieces that compete: whole units, or whole turns."""

    conversation: Conversation
    members: tuple[tuple[int, ...], ...]
    """Units of each piece, oldest first."""
    costs: tuple[int, ...]
    """Tokens of each piece, framing included."""
    required: frozenset[int]
    """Pieces that are in whatever happens."""
    banned: frozenset[int]
    """Pieces that are out whatever happens, because no provider takes them."""

    def is_call(self, piece: int) -> bool:
        """Whether the piece is a tool call with its results and nothing else."""
        units = self.conversation.units
        return all(units[at].is_call for at in self.members[piece])

    def asks(self, piece: int) -> bool:
        """Whether the user says something in it."""
        units, members = self.conversation.units, self.members[piece]
        if len(members) == 1:
            return units[members[0]].is_users_word
        return any(units[at].is_users_word for at in members)


class HistoryPolicy(Protocol):
    """Chooses which pieces stay."""

    name: str

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        """Pieces that go, each with its reason; whatever is not named stays.

        Args:
            pieces: of the conversation; required ones must not be named, banned ones need not.
            room: tokens for the pieces that are neither required nor banned.

        Returns:
            Nothing where all fits. What stays costs at most `room`. A `Choice` says as well why
            the rest stays; otherwise it stays because it is recent.
        """
        ...
