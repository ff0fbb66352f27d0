"""A conversation that grows, with what each of its units costs: everything is counted once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from packhorse.tokens.requests.count import completed
from packhorse.tokens.requests.turns import read_beside, read_turns
from packhorse.window.conversation import Conversation, Reading, as_given
from packhorse.window.policies.following import Grown

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.count import RuleCounter
    from packhorse.tokens.requests.request import ChatRequest, MessageCost, RequestCount, Turn
    from packhorse.window.shapes.shape import Shape

__all__ = ["CountedConversation"]


class _Counted(NamedTuple):
    """A unit by itself."""

    turns: tuple[Turn, ...]
    costs: tuple[MessageCost, ...]


class CountedConversation:
    """Reads, groups and counts what is new alone, and counts whole requests of what is known.

    A request is the sum of its messages and of what stands beside them, by the published rules that
    `RuleCounter` holds; so the count of a request is put together of counts that were made before,
    by the same code that counts one anew.
    """

    def __init__(self, shape: Shape, body: Mapping[str, Any], counter: RuleCounter) -> None:
        """A conversation without messages.

        Args:
            shape: of the messages.
            body: the request that they belong to.
            counter: counts by the rules of the model.

        Raises:
            InputError: a part of the body cannot be counted.
        """
        self.body = body
        self.reading = Reading(shape)
        self.units = self.reading.units
        self.totals: list[int] = []
        """Tokens of each unit, framing included."""
        self.instructions: list[int] = []
        self.words: list[int] = []
        """Units with a word of the user's that are not broken."""
        self.openers: list[int] = []
        """Those of them that may come first."""
        self.unit_of: list[int] = []
        """Place of a message -> its unit."""
        self._counter = counter
        self._counted: list[_Counted] = []
        self._least: list[int] = []
        self._beside = read_beside(body, shape.field)
        self._beside.check_countable()
        self._beside_cost = counter.beside(self._beside)
        self._beside_turns = counter.message_costs(self._beside.turns)
        rule = counter.spec.reasoning
        self._forgets = rule is not None and rule.earlier_turns is False

    @property
    def spec(self) -> ModelSpec:
        """The model whose rules count."""
        return self._counter.spec

    @property
    def grown(self) -> Grown:
        """What a policy's follower looks at."""
        return Grown(self.units, self.totals, self._least, self.reading.grouping.first_open)

    def add(self, items: Sequence[Any]) -> None:
        """Takes the next messages.

        Raises:
            InputError: one is not of the shape or cannot be counted; of no use after that.
        """
        changed = self.reading.grouping.first_open
        self.reading.add(items)
        for known in (self.totals, self._counted, self._least):
            del known[changed:]
        for places in (self.instructions, self.words, self.openers):
            while places and places[-1] >= changed:
                places.pop()
        self._count(changed)
        entries = self.reading.entries
        self.unit_of += [0] * len(items)
        for at in range(changed, len(self.units)):
            unit, total = self.units[at], sum(cost.total for cost in self._counted[at].costs)
            self.totals.append(total)
            self._least.append(min(total, self._least[-1]) if at else total)
            for place in unit.places:
                self.unit_of[place] = at
            if unit.is_instruction:
                self.instructions.append(at)
            if unit.is_users_word and not unit.is_broken:
                self.words.append(at)
                first = entries[unit.places[0]]
                if first.is_users_word and not first.results:
                    self.openers.append(at)

    def required(self, pinned: frozenset[int], *, opens_with_user: bool) -> frozenset[int]:
        """As `fit.required_units`, without looking at units that say nothing about it."""
        units = self.units
        stays = {at for at in pinned if not units[at].is_broken}.union(self.words[-1:])
        if opens_with_user:
            for at in sorted(stays):
                before = bisect_right(self.openers, at)
                stays.update(self.openers[max(0, before - 1) : before])
        return frozenset(stays.union(self.instructions))

    def items_of(self, kept: Sequence[int]) -> list[Any]:
        """Messages of units that are not broken, ascending."""
        items, units = self.reading.items, self.units
        return [items[place] for at in kept for place in units[at].places]

    def body_with(self, items: Sequence[Any]) -> dict[str, Any]:
        """The request with some messages."""
        shape = self.reading.shape
        return {**self.body, shape.field: as_given(self.body[shape.field], items, shape)}

    def count(self, kept: Sequence[int], body: Mapping[str, Any]) -> RequestCount:
        """The count of the request that keeps some units, equal to one that is made anew.

        Args:
            kept: units that are not broken, ascending.
            body: the request with their messages.
        """
        counted, request = self._assembled(kept, body)
        return completed(counted, request, self._counter.spec)

    def tokens(self, kept: Sequence[int]) -> int:
        """Of the request that keeps some units."""
        return self._assembled(kept, self.body)[0].total_tokens

    def _assembled(
        self, kept: Sequence[int], body: Mapping[str, Any]
    ) -> tuple[RequestCount, ChatRequest]:
        turns, costs = list(self._beside.turns), list(self._beside_turns)
        for each in self._joined(kept):
            turns += each.turns
            costs += each.costs
        request = replace(self._beside, turns=tuple(turns), body=body)
        if self._forgets:
            seen = self._counter.seen(turns)
            changed = [at for at, turn in enumerate(seen) if turn is not turns[at]]
            again = self._counter.message_costs([seen[at] for at in changed])
            for at, cost in zip(changed, again, strict=True):
                costs[at] = cost
            turns = seen
        return self._counter.assembled(request, turns, costs, self._beside_cost), request

    def conversation(self, *, is_bare: bool) -> Conversation:
        """All that was said so far; copies the lists, and reads nothing."""
        return self.reading.conversation(self.body, is_bare=is_bare)

    def _count(self, start: int) -> None:
        """Reads and counts the units from one on, in one batch."""
        read = [self._read([at]) for at in range(start, len(self.units))]
        costs = self._counter.message_costs([turn for turns in read for turn in turns])
        end = 0
        for turns in read:
            begin, end = end, end + len(turns)
            self._counted.append(_Counted(turns, tuple(costs[begin:end])))

    def _read(self, units: Sequence[int]) -> tuple[Turn, ...]:
        places = [place for at in units for place in self.units[at].places]
        items = [self.reading.items[place] for place in places]
        return read_turns(self.body, self.reading.shape.field, items, places)

    def _joined(self, kept: Sequence[int]) -> list[_Counted]:
        """What is known of some units.

        In Responses, an assistant's steps that meet because others went are one turn: these units
        are read together.
        """
        counted = self._counted
        if self.reading.shape.field != "input":
            return [counted[at] for at in kept]
        found: list[_Counted] = []
        run: list[int] = []
        for at in kept:
            if run and (_role(counted[run[-1]], -1), _role(counted[at], 0)) != MEETING:
                found.append(self._together(run))
                run = []
            run.append(at)
        return [*found, self._together(run)] if run else found

    def _together(self, units: Sequence[int]) -> _Counted:
        if len(units) == 1:
            return self._counted[units[0]]
        turns = self._read(units)
        return _Counted(turns, tuple(self._counter.message_costs(turns)))


MEETING = ("assistant", "assistant")


def _role(counted: _Counted, at: int) -> str:
    return counted.turns[at].role if counted.turns else ""
