"""Why a candidate is in or out: a code for programs, a sentence with numbers for people."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Exclusion", "ExclusionCode", "Inclusion", "InclusionCode"]


class InclusionCode(StrEnum):
    """Why a chunk is in the packet."""

    MANDATORY = "mandatory"
    PINNED = "pinned"
    ATTACHED = "attached"
    RANKED = "ranked"
    EXPANDED = "expanded"
    """It competed with more relevance than its own, because it stands around a relevant chunk."""


class ExclusionCode(StrEnum):
    """Why a candidate is not in the packet. The first that applies, in this order, is given."""

    UNSCORED = "unscored"
    BLOCKED_SOURCE = "blocked_source"
    BELOW_TRUST = "below_trust_threshold"
    STALE = "stale"
    BELOW_RELEVANCE = "below_relevance_threshold"
    DUPLICATE = "duplicate"
    NOT_SELECTED_BY_MMR = "not_selected_by_mmr"
    SOURCE_CAP = "source_cap"
    EXCEEDED_BUDGET = "exceeded_remaining_budget"
    LINKED_CHUNK_OUT = "linked_chunk_out"
    """It would have fitted, and a chunk that it is linked with is out or does not fit beside it."""
    ORIGIN_OUT = "origin_out"
    """It would have fitted, and the chunk that it stands around is out."""
    EXCLUSIVE_PAIR = "exclusive_pair"
    """It would have fitted, and is never packed beside one that is in."""
    NOT_IN_BEST_SET = "not_in_best_set"
    """It would have fitted alone, and the strategy chose a set that is worth more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """One reason to be in."""

    code: InclusionCode
    reason: str
    """For people, for example `rank 3 of what competed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """One reason to be out."""

    code: ExclusionCode
    reason: str
    """For people, with the numbers: `exceeded_remaining_budget (needed 1100, had 1050)`."""
    duplicate_of: str | None = None
    """Chunk id of the survivor, for `duplicate`."""
