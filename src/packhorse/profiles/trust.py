"""What the operator said about a source: how far it is trusted, and whether it is blocked."""

import fnmatch
import re
from collections.abc import Mapping, Sequence

__all__ = ["blocking_pattern", "matches_source", "trust_for"]

_WILDCARDS = frozenset("*?")
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})+", re.IGNORECASE)


def matches_source(source_id: str, pattern: str) -> bool:
    """Whether a pattern speaks of a source.

    A pattern with `*` or `?` is a shell pattern over the whole id, case and all. A pattern that
    looks like a host name (`docs.example.com`) matches the id `host` and ids that start with
    `host/`. Any other pattern matches the id that equals it. A part of an id never counts.
    """
    return _specificity(source_id, pattern) > 0


def trust_for(source_id: str, trust: Mapping[str, float]) -> float | None:
    """The score of the most specific pattern that matches, or None when none does.

    Most specific: the exact id, then a host, then the longest shell pattern, ties by text.
    Costs one match a pattern.
    """
    if source_id in trust:
        return trust[source_id]
    matching = [
        (-rank, -len(pattern), pattern)
        for pattern in trust
        if (rank := _specificity(source_id, pattern))
    ]
    return trust[min(matching)[2]] if matching else None


def blocking_pattern(source_id: str, patterns: Sequence[str]) -> str | None:
    """The first of `patterns` that blocks a source, or None.

    A pattern is a source id, or a shell pattern such as `forum_*` that fits the whole id; case
    counts.
    """
    for pattern in patterns:
        if source_id == pattern or fnmatch.fnmatchcase(source_id, pattern):
            return pattern
    return None


def _specificity(source_id: str, pattern: str) -> int:
    """3 for an exact id, 2 for a host, 1 for a shell pattern, 0 for no match."""
    if pattern == source_id:
        return 3
    if _WILDCARDS & set(pattern):
        return int(fnmatch.fnmatchcase(source_id, pattern))
    if source_id.startswith(f"{pattern}/") and _HOST.fullmatch(pattern):
        return 2
    return 0
