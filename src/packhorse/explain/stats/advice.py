"""What the figures of many packets ask for: each finding with its figure and its threshold.

With fewer than `LEAST` packets (or topics required, chunks packed, and so on) behind a figure,
nothing is said about it: two packets out of three are no tendency.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packhorse.explain.stats.stats import FULL, LOW, Share, Stats

__all__ = ["LEAST", "MEDIANS", "THRESHOLDS", "Finding", "findings"]

LEAST = 20
"""Packets, or whatever a share is of, below which nothing is said."""

THRESHOLDS = {
    "budget_exhausted": 0.8,
    "top_ranked_skipped": 0.1,
    "stale_candidates": 0.2,
    "untrusted_candidates": 0.2,
    "duplicate_candidates": 0.3,
    "old_packed": 0.2,
    "low_trust_packed": 0.2,
    "out_of_domain": 0.1,
    "conflicts": 0.1,
    "topic_missing": 0.2,
    "low_optimality": 0.9,
    "budget_unused": 0.5,
}
"""Share from which a finding is made; for `MEDIANS`, the median below which it is."""

MEDIANS = frozenset({"low_optimality", "budget_unused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the figures say, and what to do about it."""

    code: str
    """A key of `THRESHOLDS`."""
    count: int
    of: int
    value: float
    """The share, or the median."""
    threshold: float
    text: str
    """What was found, with the figures."""
    advice: str


def findings(stats: Stats) -> tuple[Finding, ...]:
    """What the figures ask for: the two failure signatures first, then in a fixed order."""
    if stats.packets < LEAST:
        return ()
    return (
        *_budget(stats),
        *_top_ranked(stats),
        *_shares(stats),
        *_topics(stats),
        *_medians(stats),
    )


def _found(code: str, share: Share, text: str, advice: str) -> Iterator[Finding]:
    if share.of < LEAST or share.share < THRESHOLDS[code]:
        return
    yield Finding(
        code=code,
        count=share.count,
        of=share.of,
        value=share.share,
        threshold=THRESHOLDS[code],
        text=f"{share.count:,} of {share.of:,} {text} ({share.share:.1%})",
        advice=advice,
    )


def _budget(stats: Stats) -> Iterator[Finding]:
    wanted = stats.wanted_budget
    bound = stats.window_bound
    advice = "A bigger budget would probably help"
    if wanted is not None:
        advice += (
            ": half of the packets that leave some out would hold all relevant passages at"
            f" {wanted.median:,.0f} tokens"
        )
    if bound.count * 2 > bound.of:
        advice += (
            f"; in {bound.count:,} the budget is all that the window leaves, so shorten the fixed"
            " parts or take a model with a larger window"
        )
    text = f"packets use {FULL:.0%} of their budget or more and leave relevant passages out"
    yield from _found("budget_exhausted", stats.exhausted, text, advice)


def _top_ranked(stats: Stats) -> Iterator[Finding]:
    skipped, packed = stats.skipped_tokens, stats.packed_tokens
    sizes = ""
    if skipped is not None and packed is not None:
        sizes = (
            f": these take {skipped.median:,.0f} tokens (median), packed chunks"
            f" {packed.median:,.0f}"
        )
    text = "packets skip their best-ranked candidate for its size"
    advice = f"Cut chunks smaller when indexing{sizes}"
    yield from _found("top_ranked_skipped", stats.top_skipped, text, advice)


def _shares(stats: Stats) -> Iterator[Finding]:
    texts = {
        "stale_candidates": (
            "candidates are stale",
            "Search finds what is too old: index newer documents, or raise max_age_days",
        ),
        "untrusted_candidates": (
            "candidates are of blocked or untrusted sources",
            "Take these sources out: they only cost places among the candidates",
        ),
        "duplicate_candidates": (
            "candidates are copies of better ones",
            "Remove copies before indexing, or raise candidates",
        ),
        "old_packed": (
            f"packed chunks have a freshness below {LOW:g}",
            "Index newer documents, or lengthen freshness_half_life_days where age matters less",
        ),
        "low_trust_packed": (
            f"packed chunks have a trust below {LOW:g}",
            "Add trusted sources, or set min_trust",
        ),
        "out_of_domain": (
            "questions are outside the corpus",
            "Send them to another knowledge base, or add what they ask about",
        ),
        "conflicts": (
            "packets hold contradictory facts",
            "Find out which source is right, and retire the other",
        ),
    }
    for code, (text, advice) in texts.items():
        yield from _found(code, getattr(stats, code), text, advice)


def _topics(stats: Stats) -> Iterator[Finding]:
    for use in stats.topics:
        yield from _found(
            "topic_missing",
            Share(count=use.missing, of=use.required),
            f"packets that need the topic {use.topic!r} have nothing about it",
            "Add documents about it, or tag those that are there",
        )


def _medians(stats: Stats) -> Iterator[Finding]:
    quality = stats.optimality
    limit = THRESHOLDS["low_optimality"]
    if quality is not None and quality.n >= LEAST and quality.median < limit:
        yield Finding(
            code="low_optimality",
            count=quality.n,
            of=stats.packets,
            value=quality.median,
            threshold=limit,
            text=f"half of {quality.n:,} packets reach {quality.median:.1%} of the best possible"
            " value or less",
            advice="Try the strategy optimal, and measure it with packhorse eval",
        )
    used, skipped = stats.utilization, stats.skipped
    limit = THRESHOLDS["budget_unused"]
    if used is None or skipped is None or used.median >= limit or skipped.p75 > 0:
        return
    yield Finding(
        code="budget_unused",
        count=used.n,
        of=stats.packets,
        value=used.median,
        threshold=limit,
        text=f"half of {used.n:,} packets use {used.median:.1%} of their budget or less, and three"
        " quarters skip nothing for its size",
        advice="Reserve less for evidence, or fetch more candidates",
    )
