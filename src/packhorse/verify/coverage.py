"""Which of the topics that an answer needs are in the packed chunks, and how strongly.

Topics come from the operator's tags. Where no packed chunk has any tag, the words of the topic
are looked for in the text instead; that shows that the topic is spoken of, not that it is
answered, so it never gives more than half strength.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.text.sentences import sentences
from packhorse.types.verdict import Check, Coverage, Status
from packhorse.verify.consistency.negation import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.config import CoverageConfig
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query

__all__ = ["WORD_STRENGTH", "CoverageFinding", "coverage_check", "measure_coverage"]

WORD_STRENGTH = 0.5
"""Strength of a topic whose words are all in the text of an untagged chunk."""

_SMALL_WORDS = frozenset(("a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "with"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageFinding:
    """Coverage, and for topics found by their words, the words."""

    coverage: Coverage
    matched_words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(topic, words of it that the covering chunk holds), sorted by topic; empty with tags."""


@dataclass(frozen=True, slots=True)
class _Match:
    strength: float
    chunk_id: str
    words: tuple[str, ...] = ()


def measure_coverage(
    query: Query, pool: CandidatePool, packed: Sequence[Chunk], config: CoverageConfig
) -> CoverageFinding:
    """Strength of each required topic: that of the chunk that covers it best, ties by chunk id.

    A topic is covered from `config.full_strength` on, partial below it, missing at 0. The score
    is the mean strength, six decimals; 1 when nothing is required. For a query outside the
    corpus every strength is 0: passages about something else cover nothing.
    """
    topics = tuple(sorted(set(query.required_topics)))
    by_words = not any(chunk.topic_tags for chunk in packed)
    found: dict[str, _Match] = {}
    if pool.in_domain:
        for topic in topics:
            match = (_best_by_words if by_words else _best_by_tags)(topic, packed)
            if match is not None:
                found[topic] = match
    strengths = tuple((topic, found[topic].strength if topic in found else 0.0) for topic in topics)
    mean = sum(strength for _, strength in strengths) / len(topics) if topics else 1.0
    full = config.full_strength
    coverage = Coverage(
        query_type=query.query_type,
        required_topics=topics,
        covered=tuple(topic for topic, strength in strengths if strength >= full and strength > 0),
        partial=tuple(topic for topic, strength in strengths if 0 < strength < full),
        missing=tuple(topic for topic, strength in strengths if strength <= 0),
        strengths=strengths,
        evidence=tuple((topic, found[topic].chunk_id) for topic in topics if topic in found),
        score=round(mean, 6),
        in_domain=pool.in_domain,
    )
    words = tuple((topic, found[topic].words) for topic in topics if topic in found and by_words)
    return CoverageFinding(coverage=coverage, matched_words=words)


def coverage_check(finding: CoverageFinding, config: CoverageConfig) -> Check:
    """Warns when a required topic is missing or the score is below `config.min_score`."""
    coverage = finding.coverage
    n_required = len(coverage.required_topics)
    if not n_required:
        return Check(name="coverage", status=Status.PASS, detail="1.00 (no required topics)")
    present = n_required - len(coverage.missing)
    parts = f"{present}/{n_required} required topics present"
    if coverage.partial:
        parts += f", {len(coverage.partial)} partial"
    if coverage.missing and present:
        parts += f"; missing: {', '.join(coverage.missing)}"
    evidence = dict(coverage.evidence)
    for topic, words in finding.matched_words:
        parts += f"; {topic}: only the words {', '.join(words)} in {evidence[topic]}"
    warns = bool(coverage.missing) or coverage.score < config.min_score
    return Check(
        name="coverage",
        status=Status.WARN if warns else Status.PASS,
        detail=f"{coverage.score:.2f} ({parts})",
    )


def _best_by_tags(topic: str, packed: Sequence[Chunk]) -> _Match | None:
    key = _topic_key(topic)
    matches = [
        _Match(round(min(1.0, strength), 6), chunk.chunk_id)
        for chunk in packed
        for tag, strength in chunk.topic_tags
        if _topic_key(tag) == key
    ]
    return _strongest(matches)


def _best_by_words(topic: str, packed: Sequence[Chunk]) -> _Match | None:
    words = dict.fromkeys(_topic_key(topic).split())
    wanted = {word: frozenset(terms(word)) for word in words if word not in _SMALL_WORDS}
    wanted = {word: held for word, held in wanted.items() if held}
    if not wanted:
        return None
    matches = []
    for chunk in packed:
        found = _words_in(wanted, f"{chunk.header}\n\n{chunk.text}")
        strength = round(WORD_STRENGTH * len(found) / len(wanted), 6)
        matches.append(_Match(strength, chunk.chunk_id, found))
    return _strongest(matches)


def _words_in(wanted: Mapping[str, frozenset[str]], text: str) -> tuple[str, ...]:
    """The wanted words whose terms a text holds, in their order; less than half count as none.

    A topic with a negation is only spoken of where a negation stands in the same sentence.
    """
    denials = {word for word, held in wanted.items() if held & NEGATIONS}
    pieces = [sentence.text for sentence in sentences(text)] if denials else [text]
    best: tuple[str, ...] = ()
    for piece in pieces:
        held = frozenset(terms(piece))
        if denials and held.isdisjoint(NEGATIONS):
            continue
        words = tuple(word for word in wanted if word in denials or wanted[word] <= held)
        if len(words) > len(best) and not denials.issuperset(words):
            best = words
    return best if 2 * len(best) >= len(wanted) else ()


def _strongest(matches: Sequence[_Match]) -> _Match | None:
    best = min(matches, key=lambda match: (-match.strength, match.chunk_id), default=None)
    return best if best is not None and best.strength > 0 else None


def _topic_key(topic: str) -> str:
    """`home_office`, `Home Office` and `home-office` are one topic."""
    return " ".join(topic.casefold().replace("_", " ").replace("-", " ").split())
