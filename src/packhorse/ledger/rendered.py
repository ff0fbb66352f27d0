"""The ledger of a request that a chat template renders: framing is what the prompt really has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packhorse.ledger.plan import with_evidence_budget
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import request_counter
from packhorse.tokens.requests.turns import request_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import ChatRequest
    from packhorse.types.ledger import Ledger
    from packhorse.types.request import RequestParts

__all__ = ["RenderedRequest"]


class RenderedRequest:
    """One request to a model with a template, counted whole.

    Args:
        spec: the model.
        counter: counts texts for it.
        parts: the request without evidence.
        today: the day that the template may print.
        tools: definitions of its tools, in the form that the model's provider takes.
    """

    def __init__(
        self,
        spec: ModelSpec,
        counter: TokenCounter,
        parts: RequestParts,
        today: date | None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._spec = spec
        self._counter = counter
        self._parts = parts
        self._tools = tuple(tools)
        self._requests = request_counter(spec, counter, today)
        # `counter` may remember counts, in a file too. A certificate rests on none of them.
        self._certifying = request_counter(spec, counter_of(spec), today)

    def measured(self, ledger: Ledger, budget: int | None) -> Ledger:
        """The ledger with the fixed lines that the request has when it is rendered.

        The safety preamble is what the instructions cost beyond the system prompt by itself, and
        examples are what the request costs beyond itself without them.

        Raises:
            InputError: the template refuses the request.
            BudgetExceededError: the fixed lines and the reservation are over the window.
        """
        counted = self._requests.count(self._request("", replace(self._parts, examples=())))
        lines = dict(counted.lines)
        own = counted.messages[0].content if self._parts.system_text else 0
        prompt = min(own, self._counter.count(self._parts.system_prompt))
        lines["system_prompt"] -= own - prompt
        lines["safety_preamble"] = own - prompt
        if self._parts.sections:
            lines["memory"] = min(lines["query"], self._counter.count(self._parts.sections))
            lines["query"] -= lines["memory"]
        if self._parts.examples:
            whole = self._requests.count(self._request("", self._parts))
            lines["few_shot"] = max(0, whole.total_tokens - counted.total_tokens)
        measured = replace(ledger, **lines, calibration=counted.calibration)
        return with_evidence_budget(measured, self._spec, budget)

    def certified(
        self, ledger: Ledger, evidence: str, evidence_tokens: int, budget: int | None
    ) -> Ledger:
        """The ledger, raised by what the finished request takes beyond it.

        Evidence is counted as a text of its own; where it costs more inside the prompt (its first
        or last characters join with their neighbours), the difference is `message_overhead`.

        Raises:
            BudgetExceededError: the fixed lines and the reservation are over the window.
        """
        total = self._certifying.count(self._request(evidence, self._parts)).total_tokens
        over = total - ledger.fixed - evidence_tokens
        if over <= 0:
            return ledger
        raised = replace(ledger, message_overhead=ledger.message_overhead + over)
        return with_evidence_budget(raised, self._spec, budget)

    def _request(self, evidence: str, parts: RequestParts) -> ChatRequest:
        return request_of(replace(parts, evidence=evidence).messages(), self._tools)
