"""The certificate: the finished request, counted again as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.tokens.requests.count import message_costs, request_counter
from packhorse.tokens.requests.turns import request_of

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.ledger import Ledger
    from packhorse.types.request import RequestParts

__all__ = ["Certificate", "certify_request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What the ledger says the request costs, and what a recount of every message says."""

    total: int
    """Input tokens by the recount."""
    expected: int
    """Fixed lines and packed evidence, added up."""

    @property
    def difference(self) -> int:
        """`total - expected`: 0 when the ledger is exact, above 0 when it is too low."""
        return self.total - self.expected

    @property
    def holds(self) -> bool:
        """Whether the ledger never says less than the recount."""
        return self.difference <= 0


def certify_request(
    parts: RequestParts, ledger: Ledger, counter: TokenCounter, spec: ModelSpec
) -> Certificate:
    """Counts every message of the request whole, system and user text joined as they are sent.

    Tools are not among the messages; their line is taken over. Nothing is raised: a difference is
    data.
    """
    beside = ledger.tools
    expected = ledger.fixed + ledger.packed_evidence
    if spec.template is not None:
        counted = request_counter(spec, counter).count(request_of(parts.messages()))
        return Certificate(total=counted.total_tokens + beside, expected=expected)
    costs = message_costs(parts.messages(), spec, counter)
    if spec.calibration is not None:
        beside += spec.calibration.request_tokens(len(parts.tools), system=parts.has_instructions)
    return Certificate(
        total=sum(cost.total for cost in costs) + spec.framing.reply + beside,
        expected=expected,
    )
