"""Fits a conversation and lets one summary message stand for what its window lets go of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetExceededError, InputError
from packhorse.tokens.requests.turns import read_request
from packhorse.window.fit import BROKEN, Fitted, Job, fit_conversation, required_units, user_opens
from packhorse.window.inserted import Inserted
from packhorse.window.policies.policy import LeftOut
from packhorse.window.summary.before import Before, standing
from packhorse.window.summary.running import (
    NO_ROOM,
    SUMMARISED,
    Covered,
    RunningSummary,
)
from packhorse.window.summary.summariser import Task, Written, written
from packhorse.window.summary.told import Head, Told, head_of

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.summary.summariser import Summariser

__all__ = ["SHARE", "SummaryOptions", "fit_with_summary", "spoken"]

SHARE = 0.25
"""Of the room that instructions, tools and the last word leave, where no size was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
    """How what is let go of is summarised."""

    max_tokens: int | None = None
    """Of the summary message; None: a quarter of the room that is not taken."""
    previous: RunningSummary | None = None
    """The summary so far; where it is None, one that stands in the conversation is gone on with."""
    by: Summariser | None = None
    """Who writes; None quotes."""


def fit_with_summary(job: Job, options: SummaryOptions) -> Fitted:
    """As `fit_conversation`, with one message that sums up what is out.

    While everything fits, nothing changes. When something has to go, the policy gets the room less
    that of the summary, and what it lets go of is summarised, together with the summary so far; the
    new message stands where the last message that it covers stood, and says up to which turn it
    goes. It is the user's, whatever the shape: what tools said gains no authority by it.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message that cannot be counted, a summary of another conversation, or a pinned
            message that is in the summary already.
    """
    return _Summing(job, options).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What a new summary is made for."""

    chosen: Fitted
    """What stays."""
    gone: tuple[int, ...]
    """Units that it covers besides those of the summary so far."""
    told: tuple[Told, ...]
    """Their messages."""
    after: int
    """Place that it follows."""
    room: int
    """Tokens that it may take."""


class _Summing:
    def __init__(self, job: Job, options: SummaryOptions) -> None:
        self.job = job
        self.given, self.costs, self.limit = job.conversation, job.costs, job.limit
        self.pinned, self.inserted = job.pinned, job.inserted
        self.options = options
        self.before = Before(self.given, options.previous)
        own = set() if self.before.at is None else {self.before.at}
        in_summary = self.pinned & (self.before.units | own)
        if in_summary:
            place = self.given.units[min(in_summary)].places[0]
            raise InputError(
                f"Message {place} cannot be pinned: it is in the summary already",
                hint="Pin a message from the first request on, or fit without the summary",
            )
        self.work = _spoken_by_nobody(self.given, self.before.at).without(self.before.units | own)

    def run(self) -> Fitted:
        try:
            whole = self._fitted(self.limit, self.before.message)
        except BudgetExceededError:
            if self.before.message is None:
                raise
        else:
            if not self._let_go(whole):
                return self._finished(whole, self.before.summary, self.before.message)
        room = self._room()
        if room < self._cost(str(Head(0, 0))):
            return self._without(room)
        chosen = self._fitted(self.limit - room, None)
        gone = self._let_go(chosen)
        head, after = self._head(gone)
        marked = self._placed(chosen, gone, after, str(head))
        if marked is None:
            return self._without(room)
        chosen, gone = marked
        head, after = self._head(gone)
        told = tuple(self._told(gone))
        task = Task(
            head=head,
            previous=self.before.text,
            told=told,
            room=room,
            question=self._question(),
            counter=self.costs.counter,
            cost=self._cost,
        )
        step = _Step(chosen=chosen, gone=tuple(gone), told=told, after=after, room=room)
        return self._certified(step, written(task, self.options.by))

    def _fitted(
        self, limit: int, message: Inserted | None, conversation: Conversation | None = None
    ) -> Fitted:
        inserted = self.inserted if message is None else (*self.inserted, message)
        work = conversation or self.work
        return fit_conversation(
            replace(self.job, conversation=work, limit=limit, inserted=inserted)
        )

    def _let_go(self, fitted: Fitted) -> list[int]:
        """Units that have to be summarised now."""
        return [at for at in sorted(fitted.left_out) if not self.work.units[at].is_broken]

    def _room(self) -> int:
        """Tokens for the message: what was asked for, as far as what must stay leaves it."""
        work, units = self.work, self.work.units
        unit_costs = self.costs.of_units(work)
        required = required_units(
            work, self.pinned, opens_with_user=user_opens(work, self.costs.spec)
        )
        least = work.body_with(work.items_of(sorted(required), self.inserted))
        free = self.limit - self.costs.whole(least).total_tokens
        whole = [at for at, unit in enumerate(units) if not unit.is_broken]
        latest = whole[-1] if whole else None
        if latest is not None and latest not in required and units[latest].is_call:
            # The model is about to answer it: a summary must not push it out.
            free -= unit_costs[latest] if unit_costs[latest] <= free else 0
        asked = self.options.max_tokens
        return min(free, int(free * SHARE) if asked is None else asked)

    def _head(self, gone: Sequence[int]) -> tuple[Head, int]:
        """What the summary covers with some more units, and the place of the last of them."""
        turns = self._turns()
        places = [place for at in gone for place in self.given.units[at].places]
        turn = max([self.before.head.turn, *(turns[at] for at in gone)])
        return (
            Head(turn, self.before.head.n_messages + len(places)),
            standing(self.work, max([self.before.after, *places]), gone),
        )

    def _turns(self) -> list[int]:
        """The turn of each unit in the whole conversation."""
        numbers = self.work.turn_numbers()
        if self.before.at is None:
            return numbers
        base = self.before.head.turn - numbers[self.before.at]
        return [
            number + base if at > self.before.at else number for at, number in enumerate(numbers)
        ]

    def _told(self, gone: Sequence[int]) -> list[Told]:
        turns, given = self._turns(), self.given
        return [
            Told(
                self.before.number(place),
                turns[at],
                given.entries[place].role,
                _text_of(given, place),
            )
            for at in gone
            for place in given.units[at].places
        ]

    def _question(self) -> str:
        asked = self.work.asked
        return "" if asked is None else self.work.text(asked)

    def _cost(self, text: str) -> int:
        """Exact tokens of a message of the user's with a text."""
        shape = self.given.shape
        turns = read_request({shape.field: [shape.message("user", text)]}).turns
        return sum(each.total for each in self.costs.message_costs(turns))

    def _placed(
        self, chosen: Fitted, gone: list[int], after: int, head: str
    ) -> tuple[Fitted, list[int]] | None:
        """What stays so that the model's template takes a message of the user's before it.

        Templates that want user and assistant to alternate take none before another of the user's:
        the first word that stays goes too, where it may. None where no way is found.
        """
        item = self.given.shape.message("user", head)
        for n_more in range(2):
            opening = [
                at
                for at in chosen.kept
                if at not in chosen.required and self.given.units[at].places[0] > after
            ][:n_more]
            if len(opening) < n_more:
                return None
            out = sorted({*gone, *opening})
            _, after_all = self._head(out)
            kept = [at for at in chosen.kept if at not in opening]
            try:
                self.costs.whole(self._body(chosen, kept, Inserted(after_all, item)))
            except InputError:
                continue
            named = dict.fromkeys(opening, LeftOut("alternates", "the template wants it"))
            left_out = {**chosen.left_out, **named}
            return replace(chosen, kept=tuple(kept), left_out=left_out), out
        return None

    def _body(self, chosen: Fitted, kept: Sequence[int], message: Inserted) -> Mapping[str, Any]:
        return self.work.body_with(self._items(chosen, kept, message))

    def _items(self, chosen: Fitted, kept: Sequence[int], message: Inserted) -> list[Any]:
        """What stays, results of the latest call perhaps elided, with the summary in its place."""
        elided = replace(self.work, items=chosen.elision.items or self.work.items)
        return elided.items_of(kept, (*self.inserted, message))

    def _certified(self, step: _Step, text: Written) -> Fitted:
        """The request with the message, as the next one will find it, counted whole.

        Lines go from its end until it fits. Results are elided for the room that the message as it
        is has left.
        """
        shape, said, chosen = self.given.shape, text.text, step.chosen
        rest = self.work.without(step.gone)
        while True:
            message = Inserted(step.after, shape.message("user", said))
            fitted = self._beside(rest, message)
            if fitted is not None:
                break
            if "\n" not in said:
                return self._without(step.room)
            said = said.rpartition("\n")[0]
        head = head_of(said) or Head(0, 0)
        notes = text.notes
        if said != text.text:
            notes = (*notes, "shortened: the request as a whole was over")
        quoted = set(text.kept)
        summary = RunningSummary(
            text=said,
            turn=head.turn,
            n_messages=head.n_messages,
            covered=(*self.before.covered, *self._covered(step, quoted)),
            tokens=self._cost(said),
            max_tokens=step.room,
            by=text.by,
            n_given=len(step.told),
            notes=notes,
        )
        why = {at: chosen.left_out[at] for at in step.gone}
        left_out = {**fitted.left_out, **why}
        return self._finished(replace(fitted, left_out=left_out), summary, message)

    def _beside(self, rest: Conversation, message: Inserted) -> Fitted | None:
        """The rest of the conversation with a summary; None where not all of it fits."""
        try:
            fitted = self._fitted(self.limit, message, rest)
        except BudgetExceededError:
            return None
        gone = [at for at in fitted.left_out if not rest.units[at].is_broken]
        return None if gone else fitted

    def _covered(self, step: _Step, quoted: set[int]) -> list[Covered]:
        places = [place for at in step.gone for place in self.given.units[at].places]
        return [
            Covered(
                index=each.number,
                turn=each.turn,
                role=each.role,
                text=each.text,
                message=self.given.items[place],
                quoted=at in quoted,
            )
            for at, (each, place) in enumerate(zip(step.told, places, strict=True))
        ]

    def _without(self, room: int) -> Fitted:
        """What fits where no summary does, and that it is so."""
        fitted = self._fitted(self.limit, None)
        why = LeftOut(NO_ROOM, f"a summary needs {self._cost(str(Head(0, 0)))} tokens, had {room}")
        gone = dict.fromkeys(self.before.units | set(self._let_go(fitted)), why)
        return self._finished(replace(fitted, left_out={**fitted.left_out, **gone}), None, None)

    def _finished(
        self, fitted: Fitted, summary: RunningSummary | None, message: Inserted | None
    ) -> Fitted:
        """In the words of the conversation as it was given."""
        left_out, chosen = dict(fitted.left_out), dict(fitted.chosen)
        kept = set(fitted.kept)
        if summary is not None:
            told = f"in the summary up to turn {summary.turn}"
            for at in [*self._let_go(fitted), *self.before.units]:
                why = left_out[at]
                was = f"{why.code} {why.detail}".strip() if why.code != BROKEN.code else ""
                left_out[at] = LeftOut(SUMMARISED, f"{told}; {was}" if was else told)
        own = self.before.at
        if own is not None:
            del left_out[own]
            if message is not None and message is self.before.message:
                kept.add(own)
                chosen[own] = LeftOut("summary", f"up to turn {self.before.head.turn}")
            elif summary is not None:
                left_out[own] = LeftOut(SUMMARISED, f"carried on up to turn {summary.turn}")
            else:
                left_out[own] = LeftOut(NO_ROOM, f"takes {fitted.costs[own]} tokens")
        return replace(
            fitted,
            conversation=self.given,
            kept=tuple(sorted(kept)),
            left_out=left_out,
            limit=self.limit,
            chosen=chosen,
            summary=summary,
        )


def spoken(conversation: Conversation, options: SummaryOptions) -> Conversation:
    """The conversation with the summary that stands in it taken for no word of the user's."""
    return _spoken_by_nobody(conversation, Before(conversation, options.previous).at)


def _spoken_by_nobody(given: Conversation, at: int | None) -> Conversation:
    """The conversation with its summary taken for no word of the user's."""
    if at is None:
        return given
    units = list(given.units)
    units[at] = units[at]._replace(is_users_word=False)
    return replace(given, units=tuple(units))


def _text_of(given: Conversation, place: int) -> str:
    """What a message says, and what its calls do."""
    entry = given.entries[place]
    if not entry.calls:
        return entry.text
    turns = read_request({given.shape.field: [given.items[place]]}).turns
    return "\n".join(text for turn in turns for text in turn.texts if text)
