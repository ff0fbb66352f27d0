"""The figures of many packets as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.explain.stats.stats import LISTED
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.explain.stats.distribution import Bar, Distribution
    from packhorse.explain.stats.stats import Often, Share, Stats

__all__ = ["stats_lines"]

BAR_WIDTH = 30
"""Characters of a histogram's longest bar."""


def stats_lines(stats: Stats) -> Iterator[str]:
    """The figures, section by section; nothing about what no packet has."""
    yield f"{_packets(stats.packets)}, {stats.warned:,} with a warning"
    yield from _spread("Utilization of the budget", stats.utilization, percent=True)
    yield from _spread("Candidates skipped for their size, a packet", stats.skipped)
    yield from _spread("Relevant ones among them", stats.relevant_skipped)
    yield from _spread("Share of the best possible value", stats.optimality, percent=True)
    yield from _shares(stats)
    yield from _counted("Why candidates are out", stats.reasons)
    yield from _counted("Checks that did not pass, in packets", stats.checks)
    yield from _counted("Kinds of conflicts, in packets", stats.conflict_kinds)
    yield from _often("Relevant and most often kept out", stats.most_excluded)
    yield from _often("Most often packed", stats.most_packed)
    yield from _often("Sources of packed chunks", stats.packed_sources)
    yield from _topics(stats)
    yield from _models(stats)


def _spread(title: str, found: Distribution | None, *, percent: bool = False) -> Iterator[str]:
    if found is None:
        return
    yield ""
    yield title
    named = (
        *(("min", found.min), ("25%", found.p25), ("median", found.median)),
        *(("75%", found.p75), ("95%", found.p95), ("max", found.max)),
    )
    yield "  " + "  ".join(f"{name} {_number(value, percent=percent)}" for name, value in named)
    yield from _bars(found.histogram, percent=percent)


def _bars(bars: Sequence[Bar], *, percent: bool) -> Iterator[str]:
    most = max(bar.count for bar in bars)
    filled = [at for at, bar in enumerate(bars) if bar.count]
    for bar in bars[filled[0] : filled[-1] + 1]:
        # Rounded up: what is there is never shown as nothing.
        length = -(-bar.count * BAR_WIDTH // most)
        shown = _range(bar, percent=percent)
        yield f"  {shown:>10}  {'#' * length:<{BAR_WIDTH}}  {bar.count:,}".rstrip()


def _range(bar: Bar, *, percent: bool) -> str:
    if percent:
        return f"{bar.low * 100:.0f}-{(bar.high or 1.0) * 100:.0f}%"
    if bar.high is None:
        return f"{bar.low:.0f}+"
    if bar.high == bar.low + 1:
        return f"{bar.low:.0f}"
    return f"{bar.low:.0f}-{bar.high - 1:.0f}"


def _number(value: float, *, percent: bool) -> str:
    return f"{value * 100:.1f}%" if percent else f"{value:,.0f}"


def _shares(stats: Stats) -> Iterator[str]:
    shares: tuple[tuple[str, Share], ...] = (
        ("packets that exhaust their budget", stats.exhausted),
        ("packets that skip their best-ranked candidate for its size", stats.top_skipped),
        ("candidates stale", stats.stale_candidates),
        ("candidates of untrusted or blocked sources", stats.untrusted_candidates),
        ("candidates that are copies", stats.duplicate_candidates),
        ("packed chunks older than the half-life", stats.old_packed),
        ("packed chunks of low trust", stats.low_trust_packed),
        ("questions outside the corpus", stats.out_of_domain),
        ("packets with contradictory facts", stats.conflicts),
    )
    yield ""
    yield "Shares"
    for text, share in shares:
        if share.of:
            yield f"  {share.share:>6.1%}  {text} ({share.count:,} of {share.of:,})"


def _counted(title: str, counts: Sequence[tuple[str, int]]) -> Iterator[str]:
    if counts:
        yield ""
        yield title
        for name, count in counts:
            yield f"  {count:>8,}  {printable(name)}"


def _often(title: str, entries: Sequence[Often]) -> Iterator[str]:
    if not entries:
        return
    yield ""
    yield title
    for each in entries:
        reasons = ", ".join(f"{code} {count:,}" for code, count in each.reasons)
        yield f"  {each.count:>8,}  {printable(each.name)} in {printable(each.kb)} ({reasons})"


def _topics(stats: Stats) -> Iterator[str]:
    if stats.topics:
        yield ""
        yield "Required topics, most often missing first"
        for use in stats.topics[:LISTED]:
            partly = f", {use.partial:,} partly covered" if use.partial else ""
            missing = f"missing in {use.missing:,} of {use.required:,}"
            yield f"  {printable(use.topic)}: {missing}{partly}"
        if len(stats.topics) > LISTED:
            yield f"  and {len(stats.topics) - LISTED:,} more (--json has all)"


def _models(stats: Stats) -> Iterator[str]:
    yield ""
    yield "Budgets of the evidence section, by model"
    for use in stats.models:
        budget = use.budget
        tokens = f"{budget.min:,.0f} to {budget.max:,.0f} tokens, median {budget.median:,.0f}"
        used = f"{use.utilization.median:.1%} used (median)"
        counted = "exact" if use.exact == use.packets else f"exact in {use.exact:,}"
        name = printable(use.model)
        yield f"  {name}: {_packets(use.packets)}, {tokens}, {used}, {counted}"


def _packets(number: int) -> str:
    return f"{number:,} {'packet' if number == 1 else 'packets'}"
