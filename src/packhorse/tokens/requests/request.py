"""Chat requests in one neutral form, and what one costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from packhorse.tokens.requests.images import Image

__all__ = ["ChatRequest", "MessageCost", "RequestCount", "RequestCounter", "Turn"]

SYSTEM_ROLES = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, taken apart into what counts."""

    role: str
    name: str | None = None
    texts: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()
    n_calls: int = 0
    """Tool calls; their names and arguments are among `texts`."""

    @property
    def is_system(self) -> bool:
        """Whether it instructs the model instead of talking to it."""
        return self.role in SYSTEM_ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A request: its turns in order, and the definitions of its tools."""

    turns: tuple[Turn, ...]
    tools: tuple[Any, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request as the caller wrote it; bare messages stand under `messages`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCost:
    """One message: what it says, and what the provider puts around it."""

    content: int
    """Texts, images, tool calls."""
    overhead: int
    """Framing, role and name; the reply's priming belongs to the request."""

    @property
    def total(self) -> int:
        """Content and overhead."""
        return self.content + self.overhead


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """A whole request, on the lines of the ledger."""

    lines: Mapping[str, int]
    """Tokens of every fixed ledger line; the last user message is `query`, earlier ones
    `history`."""
    messages: tuple[MessageCost, ...]
    """One cost a message, in the order of the request, a separate system text first."""
    exact: bool
    """Whether the tokenizer is the model's own and every part follows a published rule, the
    model's own template or the provider's count."""
    estimated: tuple[str, ...]
    """Parts that no published rule covers: their figures are upper estimates."""

    @property
    def total_tokens(self) -> int:
        """Sum of the lines."""
        return sum(self.lines.values())


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
