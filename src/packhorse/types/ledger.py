"""The token ledger: every token of the window on exactly one line."""

from dataclasses import dataclass

__all__ = ["FIXED_LINES", "Ledger"]

FIXED_LINES = (
    "system_prompt",
    "safety_preamble",
    "tools",
    "few_shot",
    "memory",
    "history",
    "query",
    "message_overhead",
)
"""Lines that are charged before evidence is chosen, in the order of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Tokens of the target model's tokenizer, line by line.

    Fixed lines + output_reservation + available_evidence = total_window, always.
    """

    total_window: int
    system_prompt: int = 0
    safety_preamble: int = 0
    tools: int = 0
    few_shot: int = 0
    memory: int = 0
    history: int = 0
    query: int = 0
    message_overhead: int = 0
    """Framing that the provider adds around messages, margin of an estimate included."""
    calibration: int = 0
    """Of `message_overhead`: what a calibration added, below 0 where it took away."""
    output_reservation: int = 0
    evidence_budget: int = 0
    """Cap of the evidence section: the smaller of what was asked for and what is available."""
    evidence_preamble: int = 0
    mandatory_evidence: int = 0
    """Tokens of mandatory chunks inside `packed_evidence`."""
    packed_evidence: int = 0
    """Everything rendered in the evidence section, recounted as one text."""

    @property
    def fixed(self) -> int:
        """Sum of the lines that are charged before evidence."""
        return sum(int(getattr(self, name)) for name in FIXED_LINES)

    @property
    def available_evidence(self) -> int:
        """What the window leaves for evidence; negative when the fixed lines overrun it."""
        return self.total_window - self.fixed - self.output_reservation

    @property
    def remaining_unused(self) -> int:
        """`evidence_budget - packed_evidence`."""
        return self.evidence_budget - self.packed_evidence

    @property
    def utilization(self) -> float:
        """`packed_evidence / evidence_budget`, 0..1; 0 for a budget of 0."""
        return self.packed_evidence / self.evidence_budget if self.evidence_budget else 0.0
