"""Fits the history of a question into a number of tokens: the part of a packet's request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from packhorse.errors import BudgetExceededError
from packhorse.render.messages import openai_message
from packhorse.window.conversation import read_conversation
from packhorse.window.costs import Costs
from packhorse.window.fit import BROKEN, chosen_within, required_units, user_opens
from packhorse.window.policies.sliding import SlidingWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.message import Message
    from packhorse.window.policies.policy import HistoryPolicy

__all__ = ["FittedHistory", "HistorySummary", "SummedUp", "fit_history", "history_asks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedUp:
    """One message that the summary stands for."""

    index: int
    """In the history."""
    turn: int
    role: str
    quoted: bool
    """Whether a sentence of it stands in the summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySummary:
    """What stands for the messages that were let go of; its text is a message of the history."""

    turn: int
    """The last turn that it covers."""
    n_messages: int
    tokens: int
    """Of its message, framing included."""
    max_tokens: int
    """What it was allowed."""
    covered: tuple[SummedUp, ...]

    def to_dict(self) -> dict[str, Any]:
        """As a packet has it; `recorded` reads it."""
        return asdict(self)

    @classmethod
    def recorded(cls, entry: Mapping[str, Any]) -> HistorySummary:
        """The summary that a packet tells of."""
        covered = tuple(SummedUp(**each) for each in entry["covered"])
        return cls(**{**entry, "covered": covered})


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedHistory:
    """A conversation that fits, and what was left out for it. Both keep their order."""

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    tokens: int
    """Of the kept messages, framing included, without the reply's priming."""
    dropped_tokens: int
    turns: int
    """Turns of the whole conversation; a turn opens with a user message."""
    dropped_turns: int
    """Turns of which at least one message was left out."""
    broken_calls: int = 0
    """Dropped messages that no provider would take: a result without its call, a call without
    all its results."""

    sums_up: bool = False
    """Whether a message was to sum up what is left out."""
    summary: HistorySummary | None = None
    """The message that does; None where everything fits, and where there was no room for it."""

    @property
    def n_kept(self) -> int:
        """Messages of the conversation that are in, a summary not counted."""
        return len(self.kept) - (self.summary is not None)

    @property
    def reason(self) -> str:
        """What was left out, with the numbers, and what stands for it; empty when nothing was."""
        if not self.dropped:
            return ""
        n_messages = len(self.dropped) + self.n_kept
        own = 0 if self.summary is None else self.summary.tokens
        whole = self.dropped_tokens + self.tokens - own
        reason = (
            f"{len(self.dropped)} of {n_messages} messages left out, from {self.dropped_turns} of"
            f" {self.turns} turns ({self.dropped_tokens} of {whole} tokens)"
        )
        if self.broken_calls:
            reason += f"; {self.broken_calls} of them are tool calls or results without the other"
        if self.summary is not None:
            told = self.summary
            reason += (
                f"; summed up to turn {told.turn} in {told.tokens} of {told.max_tokens} tokens"
            )
        elif self.sums_up:
            reason += "; there was no room for a summary"
        return reason


def history_asks(
    messages: Sequence[Message], counter: TokenCounter, spec: ModelSpec
) -> tuple[int, int]:
    """Tokens of a whole conversation, framing included, and of what must be in of it.

    Half a tool call asks for nothing.
    """
    conversation = read_conversation([openai_message(message) for message in messages])
    costs = Costs(spec=spec, counter=counter).of_units(conversation)
    required = required_units(conversation, frozenset(), opens_with_user=False)
    whole = [at for at, unit in enumerate(conversation.units) if not unit.is_broken]
    asked = sum(costs[at] for at in sorted({*whole, *required}))
    return asked, sum(costs[at] for at in required)


def fit_history(
    messages: Sequence[Message],
    counter: TokenCounter,
    spec: ModelSpec,
    max_tokens: int,
    policy: HistoryPolicy | None = None,
) -> FittedHistory:
    """The whole units that a policy keeps, besides instructions and the last user message.

    Half a tool call is dropped wherever it stands. Fitting what was kept changes nothing. All
    texts are counted in one batch.

    Args:
        messages: oldest first.
        counter: of the target model.
        spec: the target model, for what its provider adds to each message.
        max_tokens: for all kept messages, framing included.
        policy: what stays; None: a sliding window.

    Raises:
        BudgetExceededError: instructions and the last user message alone are over `max_tokens`;
            carries both sizes.
    """
    conversation = read_conversation([openai_message(message) for message in messages])
    costs = Costs(spec=spec, counter=counter).of_units(conversation)
    units = conversation.units
    # The question follows the history and is the user's: nothing in it is required to open.
    required = required_units(conversation, frozenset(), opens_with_user=False)
    needed = sum(costs[at] for at in required)
    if needed > max_tokens:
        system = sum(costs[at] for at, unit in enumerate(units) if unit.is_instruction)
        raise BudgetExceededError(
            f"System messages ({system} tokens) and the last user message ({needed - system}"
            f" tokens) do not fit into {max_tokens} tokens of history",
            needed=needed,
            available=max_tokens,
            parts=[("system messages", system), ("last user message", needed - system)],
            hint="Raise the history's limit, or shorten these messages",
        )
    out = chosen_within(
        conversation,
        costs,
        max_tokens - needed,
        policy or SlidingWindow(),
        required,
        opens_with_user=user_opens(conversation, spec),
    )
    turns = conversation.turn_numbers()
    gone = {place for at in out for place in units[at].places}
    return FittedHistory(
        kept=tuple(message for at, message in enumerate(messages) if at not in gone),
        dropped=tuple(message for at, message in enumerate(messages) if at in gone),
        tokens=sum(cost for at, cost in enumerate(costs) if at not in out),
        dropped_tokens=sum(costs[at] for at in out),
        turns=len(set(turns)),
        dropped_turns=len({turns[at] for at in out}),
        broken_calls=sum(len(units[at].places) for at, why in out.items() if why is BROKEN),
    )
