"""What a packet says about the calibration that its counts were corrected by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.calibrated import parts_of
from packhorse.tokens.requests.turns import turn_of
from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.ledger import Ledger
    from packhorse.types.request import RequestParts

__all__ = ["calibration_check", "calibration_facts"]


def calibration_facts(
    spec: ModelSpec, parts: RequestParts, ledger: Ledger, evidence_tokens: int
) -> Mapping[str, Any] | None:
    """The evidence behind the correction, and where this request is outside of it.

    None for a model without a calibration. `parts` holds the evidence.
    """
    if spec.calibration is None:
        return None
    turns = [turn_of(message) for message in parts.messages()]
    tokens = ledger.fixed + evidence_tokens - ledger.calibration
    made_of = parts_of(turns, tools=len(parts.tools), tokens=tokens)
    outside = spec.calibration.outside(made_of)
    return {**spec.calibration.summary(), "outside": list(outside)}


def calibration_check(spec: ModelSpec, facts: Mapping[str, Any] | None) -> tuple[Check, ...]:
    """Warns when the request is unlike every logged one that the correction was made of."""
    if facts is None:
        return ()
    made_of = f"calibration of {spec.name} from {facts['samples']} logged requests"
    if facts["outside"]:
        detail = f"This request is unlike those of the {made_of}: {'; '.join(facts['outside'])}"
        return (Check(name="calibration", status=Status.WARN, detail=detail),)
    return (Check(name="calibration", status=Status.PASS, detail=made_of),)
