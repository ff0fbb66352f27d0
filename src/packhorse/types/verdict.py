"""What verification says: checks, coverage, conflicts and diversity, all of it data."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "Check",
    "Claim",
    "Conflict",
    "Coverage",
    "Diversity",
    "FoundBy",
    "Status",
    "Verdict",
]


class Status(StrEnum):
    """Outcome of one check."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: its name, its outcome, and a sentence that says why."""

    name: str
    """`coverage`, `domain`, `consistency`, `budget`, `diversity`, `injection`, `retrieval`..."""
    status: Status
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBy:
    """What shows that a topic is there."""

    by: str
    """`tags` (the operator's word) or `text`."""
    words: tuple[str, ...] = ()
    """By text: the words and terms that the covering chunk holds; empty by tags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which required topics the packed chunks cover, and how strongly."""

    query_type: str
    required_topics: tuple[str, ...]
    covered: tuple[str, ...]
    """Present at full strength."""
    partial: tuple[str, ...]
    """Present, but weaker than the threshold for full."""
    missing: tuple[str, ...]
    strengths: tuple[tuple[str, float], ...]
    """(topic, strength 0..1), sorted by topic."""
    evidence: tuple[tuple[str, str], ...]
    """(topic, chunk id that covers it best), sorted by topic; missing topics are not in it."""
    score: float
    """Mean strength over the required topics, 0..1; 1 when nothing is required."""
    in_domain: bool
    found_by: tuple[tuple[str, FoundBy], ...] = ()
    """(topic, what shows it), sorted by topic; missing topics are not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One side of a conflict: the sentence and the value in it."""

    text: str
    """The sentence."""
    value: str
    """The value as written."""
    start: int
    """Offset of `value` in the chunk's text, in code points."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two packed chunks that state different values for one thing. Nothing says who is right."""

    chunk_a: str
    chunk_b: str
    """Chunk ids, `chunk_a` < `chunk_b`."""
    kind: str
    """`number`, `percentage`, `money`, `date`, `duration`, `polarity` or `name`."""
    a: Claim
    b: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """How many sources the packed chunks come from."""

    unique_sources: int
    largest_share: float
    """Share of packed chunks that come from the most frequent source, 0..1; 0 when none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All that verification found. `warn` in any check makes the packet a warning."""

    coverage: Coverage
    conflicts: tuple[Conflict, ...]
    diversity: Diversity
    checks: tuple[Check, ...]
