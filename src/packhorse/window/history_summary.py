"""Fits the history of a question with one message that sums up what is let go of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.render.messages import openai_message
from packhorse.types.message import Message
from packhorse.window.conversation import read_conversation
from packhorse.window.costs import Costs
from packhorse.window.fit import BROKEN, Job
from packhorse.window.history import FittedHistory, HistorySummary, SummedUp
from packhorse.window.last_word import last_asked
from packhorse.window.policies.summarised import SummarisedWindow
from packhorse.window.summary.fit import SummaryOptions, fit_with_summary

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.window.conversation import Conversation
    from packhorse.window.fit import Fitted
    from packhorse.window.summary.running import RunningSummary

__all__ = ["sum_up_history"]


def sum_up_history(
    question: str,
    messages: Sequence[Message],
    counter: TokenCounter,
    spec: ModelSpec,
    max_tokens: int,
) -> FittedHistory:
    """The latest turns that fit, and one message of quoted sentences in the place of the others.

    While everything fits, nothing changes. Instructions and the last user message always stay. The
    summary takes a quarter of the room beside them at most, and is chosen for the question.

    Args:
        question: what is asked now.
        messages: oldest first.
        counter: of the target model.
        spec: the target model.
        max_tokens: for all messages, framing included.

    Raises:
        BudgetExceededError: instructions and the last user message alone are over `max_tokens`.
    """
    talk = [openai_message(message) for message in messages]
    asked = openai_message(Message(role="user", content=question))
    history = read_conversation(talk)
    conversation = read_conversation([*talk, asked])
    costs = Costs(spec=spec, counter=counter)
    own = costs.of_units(history)
    before = conversation.units[:-1]
    asked_before = last_asked(before)
    pinned = frozenset(
        at for at, unit in enumerate(before) if unit.is_instruction or at == asked_before
    )
    job = Job(
        conversation=conversation,
        costs=costs,
        limit=max_tokens + _beside(conversation, costs),
        policy=SummarisedWindow(),
        pinned=pinned,
        elides=False,
    )
    return _history(messages, history, own, fit_with_summary(job, SummaryOptions()))


def _beside(conversation: Conversation, costs: Costs) -> int:
    """Tokens of the question and of what frames the request."""
    question = len(conversation.items) - 1
    try:
        return costs.whole(conversation.body_with([conversation.items[question]])).total_tokens
    except InputError:
        # A template that wants instructions: the whole request is counted at the end.
        return costs.of_units(conversation)[-1] + costs.spec.framing.reply


def _history(
    messages: Sequence[Message], history: Conversation, own: Sequence[int], fitted: Fitted
) -> FittedHistory:
    """What was kept, as messages of the history."""
    gone = {place for place in fitted.places_left_out if place < len(messages)}
    given = {id(item): at for at, item in enumerate(fitted.conversation.items)}
    kept = []
    for item in fitted.items[:-1]:
        at = given.get(id(item))
        kept.append(Message(role="user", content=item["content"]) if at is None else messages[at])
    units, turns = history.units, history.turn_numbers()
    out = [at for at, unit in enumerate(units) if gone.intersection(unit.places)]
    summary = None if fitted.summary is None or not fitted.summary.n_given else fitted.summary
    return FittedHistory(
        kept=tuple(kept),
        dropped=tuple(message for at, message in enumerate(messages) if at in gone),
        tokens=sum(own) - sum(own[at] for at in out) + (summary.tokens if summary else 0),
        dropped_tokens=sum(own[at] for at in out),
        turns=len(set(turns)),
        dropped_turns=len({turns[at] for at in out}),
        broken_calls=sum(len(units[at].places) for at in out if fitted.left_out.get(at) is BROKEN),
        sums_up=True,
        summary=None if summary is None else _told(summary),
    )


def _told(summary: RunningSummary) -> HistorySummary:
    return HistorySummary(
        turn=summary.turn,
        n_messages=summary.n_messages,
        tokens=summary.tokens,
        max_tokens=summary.max_tokens,
        covered=tuple(
            SummedUp(index=each.index, turn=each.turn, role=each.role, quoted=each.quoted)
            for each in summary.covered
        ),
    )
