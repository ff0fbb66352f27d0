"""Fits a conversation: what must stay, what a policy chooses, and the proof that it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetExceededError, InputError
from packhorse.window.elision import NO_ELISION, Elision, elide
from packhorse.window.policies.policy import Choice, LeftOut, Pieces
from packhorse.window.shapes.registry import SHAPES

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCount
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.inserted import Inserted
    from packhorse.window.offload import Offloaded
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.summary.running import RunningSummary

__all__ = [
    "BROKEN",
    "NOT_FIRST",
    "Fitted",
    "Job",
    "chosen_within",
    "fit_conversation",
    "required_units",
    "user_opens",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A conversation that fits, with a reason for every unit that is out."""

    conversation: Conversation
    """As it was given."""
    kept: tuple[int, ...]
    """Units that stay, ascending."""
    left_out: Mapping[int, LeftOut]
    """Every other unit, and why."""
    required: frozenset[int]
    pinned: frozenset[int]
    costs: tuple[int, ...]
    """Tokens of each unit by the rules of the model, framing included."""
    items: tuple[Any, ...]
    """The messages that stay, in their order."""
    body: Mapping[str, Any]
    """The request that they make."""
    count: RequestCount
    """Of that request, counted whole."""
    limit: int
    """Tokens that the request may take."""
    elision: Elision = NO_ELISION
    """What was taken out of results that were too large."""
    chosen: Mapping[int, LeftOut] = field(default_factory=dict)
    """Why units stay, where the policy says more than that they are recent."""
    summary: RunningSummary | None = None
    """What stands for units that were let go of."""
    offloaded: tuple[Offloaded, ...] = ()
    """Results that were written to files, with markers in their place."""
    opens_with_user: bool = False
    """Whether the provider wants the user to open."""

    @property
    def places_left_out(self) -> list[int]:
        """Places of the messages that go, ascending."""
        units = self.conversation.units
        return sorted(place for at in self.left_out for place in units[at].places)

    @property
    def tokens(self) -> int:
        """Of the whole request: messages, framing, tools and the reply's priming."""
        return self.count.total_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A conversation, and how it is to be fitted."""

    conversation: Conversation
    costs: Costs
    """Counts for the model."""
    limit: int
    """Tokens of the whole request: messages, framing, tools and the reply's priming."""
    policy: HistoryPolicy
    """Chooses among what need not stay."""
    pinned: frozenset[int] = frozenset()
    """Further units that stay."""
    elides: bool = True
    """Whether the results of the latest tool call, where they are larger than the room for them,
    are replaced by a marker that says so."""
    inserted: tuple[Inserted, ...] = ()
    """Further messages, which are in whatever happens."""


def fit_conversation(job: Job) -> Fitted:
    """The units that a policy keeps, as a request of at most `limit` tokens.

    Instructions, pinned units and the one with the user's last word are always in. Half a tool call
    is never in. The request is counted whole; where that is more than its parts, less room is given
    until it fits.

    Raises:
        BudgetExceededError: what must stay is over the limit; carries the parts.
        InputError: a message that cannot be counted, or that the model's template refuses.
    """
    fitting = _Fitting(job)
    try:
        return fitting.run(whole_turns=False)
    except InputError:
        if job.costs.spec.template is None:
            raise
        # Templates that demand that user and assistant alternate take whole turns alone.
        return fitting.run(whole_turns=True)


class _Fitting:
    def __init__(self, job: Job) -> None:
        self.given, self.costs, self.limit = job.conversation, job.costs, job.limit
        self.policy, self.pinned, self.elides = job.policy, job.pinned, job.elides
        self.inserted = job.inserted
        self.opens_with_user = user_opens(self.given, self.costs.spec)
        self.required = required_units(
            self.given, self.pinned, opens_with_user=self.opens_with_user
        )

    def run(self, *, whole_turns: bool) -> Fitted:
        conversation, elision = self.given, NO_ELISION
        unit_costs = self.costs.of_units(conversation)
        fixed = self._fixed(conversation, unit_costs)
        if self.elides:
            room = self.limit - fixed - sum(unit_costs[at] for at in self.required)
            conversation, elision = elide(
                conversation, unit_costs, room, self.required, self.costs, pinned=self.pinned
            )
            if elision.results:
                unit_costs = self.costs.of_units(conversation)
                fixed = self._fixed(conversation, unit_costs)
        required = sum(unit_costs[at] for at in self.required)
        if fixed + required > self.limit:
            raise self._too_large(unit_costs, fixed)
        pieces = _pieces(conversation, unit_costs, self.required, whole_turns=whole_turns)
        room = self.limit - fixed - required
        while True:
            out = left_out(
                pieces,
                room,
                self.policy,
                opens_with_user=self.opens_with_user,
                opened_at=min((each.after for each in self.inserted if each.opens), default=None),
            )
            kept = tuple(at for at in range(len(unit_costs)) if at not in out)
            items = tuple(conversation.items_of(kept, self.inserted))
            body = conversation.body_with(items)
            count = self.costs.whole(body)
            over = count.total_tokens - self.limit
            if over <= 0:
                break
            if room <= 0:
                raise self._too_large(unit_costs, fixed + over)
            room = max(0, room - over)
        return Fitted(
            conversation=self.given,
            kept=kept,
            left_out=out,
            required=self.required,
            pinned=self.pinned,
            costs=tuple(unit_costs),
            items=items,
            body=body,
            count=count,
            limit=self.limit,
            elision=elision,
            chosen=out.kept,
            opens_with_user=self.opens_with_user,
        )

    def _fixed(self, conversation: Conversation, unit_costs: Sequence[int]) -> int:
        """What the request costs beside its units: tools, system text, the reply's priming."""
        least = conversation.body_with(conversation.items_of(sorted(self.required), self.inserted))
        whole = self.costs.whole(least).total_tokens
        return whole - sum(unit_costs[at] for at in self.required)

    def _too_large(self, unit_costs: Sequence[int], fixed: int) -> BudgetExceededError:
        # A pinned instruction is an instruction, the pinned last word is pinned: each counts once.
        instructions = {at for at in self.required if self.given.units[at].is_instruction}
        system = sum(unit_costs[at] for at in instructions)
        pinned = sum(unit_costs[at] for at in (self.required & self.pinned) - instructions)
        rest = sum(unit_costs[at] for at in self.required) - system - pinned
        body = self.costs.whole(self.given.body_with(())).lines
        beside = [(name, tokens) for name, tokens in body.items() if tokens]
        if self.inserted:
            beside.append(("inserted messages", fixed - sum(body.values())))
        parts = [
            *beside,
            ("system messages", system),
            *([("pinned messages", pinned)] if self.pinned else []),
            ("last user message", rest),
        ]
        needed = fixed + system + pinned + rest
        said = ", ".join(f"{name} {tokens}" for name, tokens in parts)
        return BudgetExceededError(
            f"What must stay does not fit into {self.limit} tokens (needs >= {needed}): {said}",
            needed=needed,
            available=self.limit,
            parts=parts,
            hint="Raise the limit, or shorten these messages",
        )


BROKEN = LeftOut("broken_call", "a tool call or result without the other")
NOT_FIRST = LeftOut("may_not_be_first", "the provider wants the user to open")


def user_opens(conversation: Conversation, spec: ModelSpec) -> bool:
    """Whether a user's message has to come first: the shape or the model's provider wants it."""
    return conversation.shape.starts_with_user or SHAPES[spec.shape].starts_with_user


def required_units(
    conversation: Conversation, pinned: frozenset[int], *, opens_with_user: bool
) -> frozenset[int]:
    """Units that always stay: instructions, pinned ones, and the one with the user's last word.

    Where the user has to open, what stays and opens with somebody else brings the message of the
    user's before it.
    """
    units = conversation.units
    instructions = {at for at, unit in enumerate(units) if unit.is_instruction}
    stays = {at for at in pinned if not units[at].is_broken}
    asked = conversation.asked
    if asked is not None:
        stays.add(asked)
    if opens_with_user:
        openers = [
            at
            for at, unit in enumerate(units)
            if conversation.opens(at) and not unit.is_broken and not unit.is_instruction
        ]
        for at in sorted(stays):
            stays.update([opener for opener in openers if opener <= at][-1:])
    return frozenset(stays | instructions)


def chosen_within(
    conversation: Conversation,
    unit_costs: Sequence[int],
    room: int,
    policy: HistoryPolicy,
    required: frozenset[int],
    *,
    opens_with_user: bool,
) -> Choice:
    """Units that go so that the rest, besides required ones, costs at most `room`."""
    pieces = _pieces(conversation, unit_costs, required, whole_turns=False)
    return left_out(pieces, room, policy, opens_with_user=opens_with_user)


def left_out(
    pieces: Pieces,
    room: int,
    policy: HistoryPolicy,
    *,
    opens_with_user: bool,
    opened_at: int | None = None,
) -> Choice:
    """Units that go: broken ones, those of the policy, and those that may not come first.

    What stands behind `opened_at`, the place of a message of the user's that is put in, may.
    """
    named = dict.fromkeys(pieces.banned, BROKEN)
    said = policy.leave_out(pieces, room)
    named.update(said)
    is_by_unit = len(pieces.members) == len(pieces.conversation.units)
    out = Choice(
        named
        if is_by_unit
        else {at: why for piece, why in named.items() for at in pieces.members[piece]}
    )
    if isinstance(said, Choice):
        out.kept = {at: why for piece, why in said.kept.items() for at in pieces.members[piece]}
    if not opens_with_user:
        return out
    required = {at for piece in pieces.required for at in pieces.members[piece]}
    conversation = pieces.conversation
    for at, unit in enumerate(conversation.units):
        if at in out or unit.is_instruction:
            continue
        if conversation.opens(at) or at in required:
            break
        if opened_at is not None and unit.places[0] > opened_at:
            break
        out[at] = NOT_FIRST
    return out


def _pieces(
    conversation: Conversation,
    unit_costs: Sequence[int],
    required: frozenset[int],
    *,
    whole_turns: bool,
) -> Pieces:
    """Units as they compete; with `whole_turns` all that was said after one word of the user's.

    Required units are pieces of their own all the same.
    """
    units = conversation.units
    if not whole_turns:
        broken = {at for at, unit in enumerate(units) if unit.is_broken}
        return Pieces(
            conversation=conversation,
            members=tuple(zip(range(len(units)))),
            costs=tuple(unit_costs),
            required=required,
            banned=frozenset(broken - required),
        )
    members: list[tuple[int, ...]] = []
    numbers = conversation.turn_numbers()
    apart: set[int] = {at for at in range(len(units)) if at in required or units[at].is_broken}
    last: int | None = None
    for at, number in enumerate(numbers):
        if at in apart:
            members.append((at,))
        elif last == number and members and members[-1][0] not in apart:
            members[-1] = (*members[-1], at)
        else:
            members.append((at,))
        last = number
    return Pieces(
        conversation=conversation,
        members=tuple(members),
        costs=tuple(sum(unit_costs[at] for at in piece) for piece in members),
        required=frozenset(piece for piece, ats in enumerate(members) if ats[0] in required),
        banned=frozenset(
            piece
            for piece, ats in enumerate(members)
            if units[ats[0]].is_broken and ats[0] not in required
        ),
    )
