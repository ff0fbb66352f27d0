"""Filters: what may not be packed, whatever its rank. The first reason that applies is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import ConfigError
from packhorse.profiles.trust import blocking_pattern
from packhorse.rerank.relevance import unscored
from packhorse.types.decision import Exclusion, ExclusionCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.config import KnowledgeBasePolicy, RerankConfig
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.decision import InclusionCode

__all__ = ["filtered", "refuse_blocked_requirements"]


def refuse_blocked_requirements(
    chunks: Sequence[Chunk], reserved: Mapping[int, InclusionCode], policy: KnowledgeBasePolicy
) -> None:
    """Refuses a required chunk of a blocked source: blocked sources are never packed.

    Raises:
        ConfigError: names the chunk, its source and the pattern.
    """
    for row, code in reserved.items():
        chunk = chunks[row]
        pattern = blocking_pattern(chunk.source_id, policy.blocked_sources)
        if pattern is not None:
            raise ConfigError(
                f"Chunk {chunk.chunk_id!r} is {code.value}, but its source {chunk.source_id!r} is"
                f" blocked by {pattern!r} in the policy of {policy.name}",
                hint="Take the chunk off the required ones, or the source off blocked_sources",
            )


def filtered(
    chunks: Sequence[Chunk],
    *,
    relevance: FloatArray,
    stated_trust: FloatArray,
    ages: FloatArray,
    config: RerankConfig,
    policy: KnowledgeBasePolicy,
) -> dict[int, Exclusion]:
    """Rows that may not be packed, with the reason; rows in ascending order.

    Args:
        chunks: n chunks.
        relevance: (n,) 0..1; NaN is unscored.
        stated_trust: (n,) 0..1; NaN is unknown, and unknown trust is not below any threshold.
        ages: (n,) days; NaN is unknown, and an unknown age is not stale.
        config: thresholds of the profile.
        policy: blocked sources and thresholds of the knowledge base; the stricter one holds.
    """
    limits = [days for days in (config.max_age_days, policy.max_age_days) if days is not None]
    max_age = min(limits, default=math.inf)
    min_trust = max(config.min_trust, policy.min_trust or 0.0)
    patterns = _blocked_by(chunks, policy.blocked_sources)
    blocked = np.zeros(len(chunks), dtype=np.bool_)
    if patterns:
        blocked[:] = [chunk.source_id in patterns for chunk in chunks]
    no_score = unscored(relevance)
    distrusted = stated_trust < min_trust
    stale = ages > max_age
    irrelevant = relevance < config.min_relevance

    found: dict[int, Exclusion] = {}
    for row in np.flatnonzero(no_score | blocked | distrusted | stale | irrelevant).tolist():
        chunk = chunks[row]
        if no_score[row]:
            found[row] = _because(ExclusionCode.UNSCORED, "relevance is not a finite number")
        elif blocked[row]:
            pattern = patterns[chunk.source_id]
            detail = f"{chunk.source_id} is blocked by {pattern}"
            found[row] = _because(ExclusionCode.BLOCKED_SOURCE, detail)
        elif distrusted[row]:
            detail = f"trust {stated_trust[row]:g}, needs {min_trust:g}"
            found[row] = _because(ExclusionCode.BELOW_TRUST, detail)
        elif stale[row]:
            detail = f"age {_days(float(ages[row]))} days, limit {_days(max_age)}"
            found[row] = _because(ExclusionCode.STALE, detail)
        else:
            detail = f"relevance {relevance[row]:g}, needs {config.min_relevance:g}"
            found[row] = _because(ExclusionCode.BELOW_RELEVANCE, detail)
    return found


def _blocked_by(chunks: Sequence[Chunk], patterns: Sequence[str]) -> dict[str, str]:
    """Blocked source -> the pattern that blocks it; each source is matched once."""
    if not patterns:
        return {}
    matches = {
        source: blocking_pattern(source, patterns)
        for source in sorted({chunk.source_id for chunk in chunks})
    }
    return {source: pattern for source, pattern in matches.items() if pattern is not None}


def _because(code: ExclusionCode, detail: str) -> Exclusion:
    return Exclusion(code=code, reason=f"{code.value} ({detail})")


def _days(days: float) -> str:
    """Rounded up to a tenth, so that an age over the limit never looks like the limit."""
    return f"{math.ceil(days * 10) / 10:g}"
