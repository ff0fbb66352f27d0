"""Requests counted by rules or a template, corrected by what a provider was seen to count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.tokens.calibration import Parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.tokens.calibration import Calibration
    from packhorse.tokens.requests.request import (
        ChatRequest,
        MessageCost,
        RequestCount,
        RequestCounter,
        Turn,
    )

__all__ = ["CalibratedCounter", "parts_of"]


@dataclass(frozen=True, slots=True)
class CalibratedCounter:
    """Adds a correction to the counts of another counter, inside the line `message_overhead`.

    The line never falls below zero; what a negative correction would take beyond that is kept,
    so that a count is rather too high.
    """

    counter: RequestCounter
    calibration: Calibration

    def count(self, request: ChatRequest) -> RequestCount:
        """The corrected request on the lines of the ledger."""
        counted = self.counter.count(request)
        costs = self._corrected(counted.messages, request.turns)
        overhead = counted.lines["message_overhead"]
        messages = sum(
            cost.overhead - before.overhead
            for cost, before in zip(costs, counted.messages, strict=True)
        )
        system = any(turn.is_system for turn in request.turns)
        once = self.calibration.request_tokens(len(request.tools), system=system)
        tokens = max(-overhead, messages + once)
        doubts = self._doubts(request, counted)
        return replace(
            counted,
            lines={**counted.lines, "message_overhead": overhead + tokens},
            messages=tuple(costs),
            calibration=tokens,
            is_calibrated=True,
            exact=counted.exact and not doubts,
            estimated=(*counted.estimated, *doubts),
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One corrected cost a turn, in order; what a request takes once is not among them."""
        return self._corrected(self.counter.message_costs(turns), turns)

    def _corrected(self, costs: Sequence[MessageCost], turns: Sequence[Turn]) -> list[MessageCost]:
        return [
            replace(
                cost,
                overhead=cost.overhead
                + self.calibration.message_tokens(cost.overhead, turn.n_calls),
            )
            for cost, turn in zip(costs, turns, strict=True)
        ]

    def _doubts(self, request: ChatRequest, counted: RequestCount) -> tuple[str, ...]:
        """Why the corrected count is not known to be right; nothing when it is."""
        tokens = counted.total_tokens
        parts = parts_of(request.turns, tools=len(request.tools), tokens=tokens)
        outside = self.calibration.outside(parts)
        if outside:
            return (f"calibration ({'; '.join(outside)})",)
        return () if self.calibration.is_exact else ("calibration",)


def parts_of(turns: Sequence[Turn], *, tools: int, tokens: int) -> Parts:
    """What a request is made of.

    Args:
        turns: its messages.
        tools: how many it defines.
        tokens: what it counts as, before any correction.
    """
    texts = [text for turn in turns for text in turn.texts]
    n_chars = sum(map(len, texts))
    n_wide = sum(len(text) - len(text.encode("ascii", "ignore")) for text in texts)
    return Parts(
        messages=len(turns),
        system=sum(turn.is_system for turn in turns),
        tools=tools,
        calls=sum(turn.n_calls for turn in turns),
        images=sum(len(turn.images) for turn in turns),
        tokens=tokens,
        wide=-(-100 * n_wide // n_chars) if n_chars else 0,
    )
