"""Chat requests in one neutral form, and what one costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.tokens.requests.images import Image

__all__ = [
    "Addition",
    "ChatRequest",
    "MessageCost",
    "Refusal",
    "RequestCount",
    "RequestCounter",
    "Reservation",
    "Turn",
    "charge_contents",
    "check_none_refused",
]

SYSTEM_ROLES = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A part of a request that no rule here can count."""

    where: str
    what: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, taken apart into what counts."""

    role: str
    name: str | None = None
    texts: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    """What an assistant thought before it spoke, as far as it can be read."""
    images: tuple[Image, ...] = ()
    n_returned_texts: int = 0
    """How many of `texts`, from the first, are what tools gave back in a message of the user's."""
    n_returned_images: int = 0
    """The same of `images`."""
    n_calls: int = 0
    """Pieces that the provider frames inside a message: tool calls, whose names and arguments are
    among `texts`, and results and documents that stand as blocks."""
    sealed: int = 0
    """Characters of thinking that only the provider can read, as base64."""
    estimated: tuple[str, ...] = ()
    """Names of parts for which no rule is published."""
    refused: tuple[Refusal, ...] = ()
    """Parts that stand here and cannot be counted by rules."""
    message: Mapping[str, Any] | None = field(default=None, compare=False)
    """The message in the OpenAI chat shape, for who renders it; None where it is not at hand."""

    @property
    def is_system(self) -> bool:
        """Whether it instructs the model instead of talking to it."""
        return self.role in SYSTEM_ROLES

    @property
    def is_users_word(self) -> bool:
        """Whether the user says something, instead of only handing back what tools gave."""
        own_texts = len(self.texts) - self.n_returned_texts
        return self.role == "user" and (
            own_texts + len(self.images) - self.n_returned_images > 0 or not self.n_calls
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Text for the model that stands outside of messages and tools."""

    name: str
    """What it is called among the estimated parts."""
    text: str
    """Compact JSON."""
    is_schema: bool
    """Whether it is the schema of the answer, which costs about what a tool's schema does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A request: its turns in order, and the definitions of its tools."""

    turns: tuple[Turn, ...]
    tools: tuple[Any, ...] = ()
    additions: tuple[Addition, ...] = ()
    estimated: tuple[str, ...] = ()
    """Names of parts of this shape for which no rule is published."""
    forces_call: bool = False
    """Whether the answer must be a tool call."""
    refused: tuple[Refusal, ...] = ()
    """Parts beside the turns that cannot be counted by rules."""
    assumed: tuple[str, ...] = ()
    """Fields that nobody knows and that hold no text: taken to cost nothing."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request as the caller wrote it; bare messages stand under `messages`."""

    def check_countable(self) -> None:
        """Makes sure that rules cover every part; who asks the provider need not.

        Raises:
            InputError: parts that they do not cover, each by name and place.
        """
        check_none_refused([*self.refused, *(part for turn in self.turns for part in turn.refused)])

    def without_refusals(self) -> ChatRequest:
        """The parts that rules cover, for who learns the total elsewhere."""
        turns = tuple(replace(turn, refused=()) for turn in self.turns)
        return replace(self, turns=turns, refused=())


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCost:
    """One message: what it says, and what the provider puts around it."""

    content: int
    """Texts, images, tool calls."""
    overhead: int
    """Framing, role and name; the reply's priming belongs to the request."""
    role: str = ""
    """Who speaks; empty where the counter does not say."""
    returned: int = 0
    """Of `content`: what tools gave back, in a message in which the user may speak too."""

    @property
    def total(self) -> int:
        """Content and overhead."""
        return self.content + self.overhead


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What a request keeps free for the answer, in tokens."""

    output: int = 0
    """Limit of the answer, thinking included; 0 when the request sets none."""
    reasoning: int = 0
    """What of `output` thinking may take at most: it is part of the answer, never beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """A whole request, on the lines of the ledger."""

    lines: Mapping[str, int]
    """Tokens of every fixed ledger line. What the user says in the last message is `query`;
    whatever tools gave back is `history`, as is all that was said before."""
    messages: tuple[MessageCost, ...]
    """One cost a message, in the order of the request, a separate system text first."""
    exact: bool
    """Whether the tokenizer is the model's own and every part follows a published rule, the
    model's own template or the provider's count."""
    estimated: tuple[str, ...]
    """Parts that no published rule covers: their figures are upper estimates."""
    reservation: Reservation = Reservation()
    """What the request keeps free for the answer."""
    calibration: int = 0
    """Of `message_overhead`: what a calibration added to the count, negative when it took away."""
    is_calibrated: bool = False
    """Whether a calibration was applied, be it of 0 tokens."""
    window: int = 0
    """Window of the model; 0 where nobody asked how the request fits."""
    max_input: int | None = None
    """Limit of the input alone, where the provider sets one."""
    warnings: tuple[str, ...] = ()
    """What the caller should know: above all that the request does not fit."""

    @property
    def total_tokens(self) -> int:
        """Sum of the lines: the input."""
        return sum(self.lines.values())

    @property
    def left(self) -> int:
        """What the input and the reservation leave free; negative when they do not fit."""
        free = self.window - self.total_tokens - self.reservation.output
        return free if self.max_input is None else min(free, self.max_input - self.total_tokens)


def check_none_refused(refusals: Sequence[Refusal]) -> None:
    """Makes sure that nothing is refused.

    Raises:
        InputError: something is; names every part with its place.
    """
    if not refusals:
        return
    if len(refusals) == 1:
        said = f"{refusals[0].where}: no counting rule for {refusals[0].what}"
    else:
        parts = "; ".join(f"{refusal.where}: {refusal.what}" for refusal in refusals)
        said = f"No counting rule for {len(refusals)} parts of the request: {parts}"
    raise InputError(said, hint="; ".join(dict.fromkeys(each.hint for each in refusals)))


def charge_contents(
    lines: dict[str, int], turns: Sequence[Turn], costs: Sequence[MessageCost]
) -> None:
    """Adds what each message says to its ledger line.

    The question is what the user says in the last message. A result that stands in the same
    message is none: other providers' requests hold it in a message of its own.
    """
    # Whole lists at a time: long conversations are counted with each of their turns.
    system = sum(
        [cost.content for turn, cost in zip(turns, costs, strict=True) if turn.role in SYSTEM_ROLES]
    )
    asks = bool(turns) and turns[-1].role == "user"
    query = costs[-1].content - costs[-1].returned if asks else 0
    lines["system_prompt"] += system
    lines["query"] += query
    lines["history"] += sum([cost.content for cost in costs]) - system - query


class RequestCounter(Protocol):
    """Counts whole requests: by rules, by a chat template, or by asking the provider."""

    def count(self, request: ChatRequest) -> RequestCount:
        """The request on the lines of the ledger; the lines add up to the total.

        Raises:
            InputError: a part of the request that cannot be counted.
        """
        ...

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One cost a turn, in order, as parts of one conversation."""
        ...
