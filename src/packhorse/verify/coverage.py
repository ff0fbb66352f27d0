"""Which of the topics that an answer needs are in the packed chunks, and how strongly.

Topics come from the operator's tags. A chunk without tags offers what its text says, by the words
of the topic's name and the terms listed for it (`packhorse.text.topics` has the scale).
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from packhorse.text.topics import mentions_of, topic_key
from packhorse.types.verdict import Check, Coverage, FoundBy, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from packhorse.config import CoverageConfig
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query
    from packhorse.types.topics import TopicMention

    Mentions = Mapping[str, Sequence[TopicMention]]

__all__ = ["coverage_check", "measure_coverage"]

_NEAR = 0.8
"""Likeness of two names, 0..1, from which one may be a slip for the other (`difflib`)."""


@dataclass(frozen=True, slots=True)
class _Match:
    strength: float
    chunk_id: str
    words: tuple[str, ...] = ()
    by: str = "tags"


def measure_coverage(
    query: Query, pool: CandidatePool, packed: Sequence[Chunk], config: CoverageConfig
) -> Coverage:
    """Strength of each required topic: that of the chunk that covers it best, ties by chunk id.

    A topic is covered from `config.full_strength` on, partial below it, missing at 0. The score
    is the mean strength, six decimals; 1 when nothing is required. For a query outside the
    corpus every strength is 0: passages about something else cover nothing.
    """
    topics = tuple(sorted(set(query.required_topics)))
    mentions = pool.mentions
    if mentions is None:
        listed = {topic_key(each.name): each.terms for each in config.topics}
        mentions = mentions_of(packed, topics, listed)
    found: dict[str, _Match] = {}
    if pool.in_domain:
        for topic in topics:
            match = _best(topic, mentions, packed)
            if match is not None:
                found[topic] = match
    strengths = tuple((topic, found[topic].strength if topic in found else 0.0) for topic in topics)
    mean = sum(strength for _, strength in strengths) / len(topics) if topics else 1.0
    full = config.full_strength
    return Coverage(
        query_type=query.query_type,
        required_topics=topics,
        covered=tuple(topic for topic, strength in strengths if strength >= full and strength > 0),
        partial=tuple(topic for topic, strength in strengths if 0 < strength < full),
        missing=tuple(topic for topic, strength in strengths if strength <= 0),
        strengths=strengths,
        evidence=tuple((topic, found[topic].chunk_id) for topic in topics if topic in found),
        score=round(mean, 6),
        in_domain=pool.in_domain,
        found_by=tuple(
            (topic, FoundBy(by=found[topic].by, words=found[topic].words))
            for topic in topics
            if topic in found
        ),
    )


def coverage_check(
    coverage: Coverage, config: CoverageConfig, pool: CandidatePool | None = None
) -> Check:
    """Warns when a required topic is missing or the score is below `config.min_score`.

    Where `pool` is given, a missing topic that no candidate is tagged with and no setting names
    is told with the nearest topic there is.
    """
    n_required = len(coverage.required_topics)
    if not n_required:
        return Check(name="coverage", status=Status.PASS, detail="1.00 (no required topics)")
    present = n_required - len(coverage.missing)
    parts = f"{present}/{n_required} required topics present"
    if coverage.partial:
        parts += f", {len(coverage.partial)} partial"
    if coverage.missing and present:
        parts += f"; missing: {', '.join(coverage.missing)}"
    if coverage.missing and coverage.in_domain and pool is not None:
        for topic, near in _misspelt(coverage.missing, pool, config):
            parts += f"; no topic is called {topic}: did you mean {near}?"
    evidence = dict(coverage.evidence)
    for topic, found in coverage.found_by:
        if found.by == "text":
            only = "only" if topic in coverage.partial else "by"
            parts += f"; {topic}: {only} the words {', '.join(found.words)} in {evidence[topic]}"
    warns = bool(coverage.missing) or coverage.score < config.min_score
    return Check(
        name="coverage",
        status=Status.WARN if warns else Status.PASS,
        detail=f"{coverage.score:.2f} ({parts})",
    )


def _misspelt(
    topics: Sequence[str], pool: CandidatePool, config: CoverageConfig
) -> Iterator[tuple[str, str]]:
    """Topics that neither a candidate's tags nor a topic of the settings has, with the nearest."""
    tagged = (tag for chunk in pool.chunks for tag, _ in chunk.topic_tags)
    names = sorted({*tagged, *(each.name for each in config.topics)})
    known = {topic_key(name): name for name in reversed(names)}
    for topic in topics:
        key = topic_key(topic)
        near = [] if key in known else get_close_matches(key, known, n=1, cutoff=_NEAR)
        yield from ((topic, known[each]) for each in near)


def _best(topic: str, mentions: Mentions, packed: Sequence[Chunk]) -> _Match | None:
    key = topic_key(topic)
    matches = []
    for chunk in packed:
        if chunk.topic_tags:
            matches += [
                _Match(round(min(1.0, strength), 6), chunk.chunk_id)
                for tag, strength in chunk.topic_tags
                if topic_key(tag) == key
            ]
            continue
        matches += [
            _Match(mention.strength, chunk.chunk_id, mention.words, by="text")
            for mention in mentions.get(chunk.chunk_id, ())
            if topic_key(mention.topic) == key
        ]
    return _strongest(matches)


def _strongest(matches: Sequence[_Match]) -> _Match | None:
    best = min(matches, key=lambda match: (-match.strength, match.chunk_id), default=None)
    return best if best is not None and best.strength > 0 else None
