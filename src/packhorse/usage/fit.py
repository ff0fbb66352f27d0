"""Makes a correction of counted samples: framing for exact tokenizers, a scale for estimates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.usage.consensus import common_slope, fit_line, fit_slope, most_common
from packhorse.usage.envelope import allowed_over, fit_envelope, reserve_for

if TYPE_CHECKING:
    from packhorse.tokens.calibration import Parts
    from packhorse.usage.sample import Sample

__all__ = [
    "LONG_TEXT",
    "MAX_MARGIN",
    "MIN_GROUP",
    "SPREAD",
    "Correction",
    "Group",
    "fit_estimate",
    "fit_exact",
    "group_of",
    "needed_margin",
    "simplest_group",
    "with_reserve",
]

SPREAD = 2
"""Tokens that single requests may be off from the rule of an exact tokenizer."""

LONG_TEXT = 256
"""Tokens of text from which on framing hardly matters to the share."""

MIN_LONG = 20
"""Long requests that a scale is made of at least."""

HEADROOM = 2
"""Percentage points above the largest share that was needed, for text unlike the logged one."""

MAX_MARGIN = 100

MIN_GROUP = 5
"""Requests of a kind behind what a correction says of it."""

Group = tuple[str, ...]
"""Kinds of parts that make a request more than plain messages under instructions."""

NO_SYSTEM, TOOLS, CALLS, IMAGES = "no instructions", "tools", "tool calls", "images"
PLAIN: Group = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is added to a count; see `Calibration` for the fields."""

    per_request: int = 0
    per_message: int = 0
    without_system: int = 0
    with_tools: int = 0
    per_tool: int = 0
    per_call: int = 0
    margin: int | None = None
    """Whole per cent; None for an exact tokenizer."""

    def framing(self, parts: Parts) -> int:
        """Tokens that are added besides the margin."""
        tools = self.with_tools + self.per_tool * parts.tools if parts.tools else 0
        messages = self.per_message * parts.messages + self.per_call * parts.calls
        own = self.per_request + (0 if parts.system else self.without_system)
        return own + messages + tools

    def rest(self, sample: Sample) -> int:
        """`reported - corrected`: above 0 where the corrected count is too low."""
        return sample.reported - self.counted(sample) - self.framing(sample.parts)

    def counted(self, sample: Sample) -> int:
        """The count with the margin, before framing is corrected."""
        return sample.counted if self.margin is None else sample.by_margin[self.margin]


def group_of(sample: Sample) -> Group:
    """Which kinds of parts a request has."""
    parts = sample.parts
    kinds = {
        NO_SYSTEM: not parts.system,
        TOOLS: parts.tools > 0,
        CALLS: parts.calls > 0,
        IMAGES: parts.images > 0,
    }
    return tuple(kind for kind, has in kinds.items() if has)


def simplest_group(samples: Iterable[Sample]) -> Group:
    """The simplest group with enough samples: plain requests before those with tools, and so on.

    When no group has enough it is the largest one.
    """
    sizes = Counter(map(group_of, samples))
    enough = [group for group, n in sizes.items() if n >= MIN_GROUP]
    if not enough:
        return max(sizes, default=PLAIN, key=lambda group: (sizes[group], -len(group), group))
    return min(enough, key=lambda group: (len(group), group))


def fit_exact(samples: Sequence[Sample]) -> Correction:
    """The whole-number rule that explains most differences of an exact tokenizer.

    One kind of part after the other: messages among requests that are alike otherwise, then the
    constant of the simplest requests, then missing instructions, tools and calls; what is settled
    is taken off first.
    """
    if not samples:
        return Correction()
    groups: defaultdict[object, Counter[tuple[int, int]]] = defaultdict(Counter)
    for each in samples:
        parts = each.parts
        alike = (not parts.system, parts.tools, parts.calls, parts.images)
        groups[alike][each.parts.messages, each.difference] += 1
    found = Correction(per_message=common_slope(groups))
    first = simplest_group(samples)
    base = [each for each in samples if group_of(each) == first]
    # Tools in every request: what they cost cannot be told from what the request costs.
    merged = fit_line((each.parts.tools, found.rest(each)) for each in base)
    found = replace(found, per_request=merged.intercept, per_tool=merged.slope)
    if NO_SYSTEM not in first:
        bare = _calm(samples, NO_SYSTEM)
        rests = Counter(found.rest(each) for each in bare)
        found = replace(found, without_system=most_common(rests))
    if TOOLS not in first:
        line = fit_line((each.parts.tools, found.rest(each)) for each in _calm(samples, TOOLS))
        found = replace(found, with_tools=line.intercept, per_tool=line.slope)
    if CALLS not in first:
        called = [each for each in samples if each.parts.calls and not each.parts.images]
        slope = fit_slope((each.parts.calls, found.rest(each)) for each in called)
        found = replace(found, per_call=slope)
    return found


def _calm(samples: Sequence[Sample], kind: str) -> Sequence[Sample]:
    """Samples of a kind, those that have the fewest other kinds besides."""
    members = [each for each in samples if kind in group_of(each) and not each.parts.images]
    simplest = min((len(set(group_of(each)) - {NO_SYSTEM, kind}) for each in members), default=0)
    return [each for each in members if len(set(group_of(each)) - {NO_SYSTEM, kind}) == simplest]


def with_reserve(found: Correction, samples: Iterable[Sample], cover: float = 1.0) -> Correction:
    """The correction, raised by up to `SPREAD` tokens so that no sample near the rule is under.

    Samples further off count against the share of `1 - cover` that may stay so.
    """
    rests = Counter(found.rest(each) for each in samples)
    near = Counter({rest: n for rest, n in rests.items() if rest <= SPREAD})
    left = allowed_over(rests.total(), cover) - (rests.total() - near.total())
    if not near:
        return found
    reserve = reserve_for(near, 1.0 - max(0, left) / near.total())
    return replace(found, per_request=found.per_request + max(0, reserve))


def fit_estimate(
    samples: Sequence[Sample], margin_before: int, *, cover: float = 1.0, may_lower: bool
) -> Correction:
    """The share and the constants that keep an estimate at or above what was reported.

    The share is what the requests with a long text needed, and a little more. With it, constants
    cover what is left. They are never below 0: short requests that happen to be far over would
    take away what the share keeps for long ones.

    Args:
        samples: with counts for every margin.
        margin_before: whole per cent.
        cover: share of the samples that must not be under, 0..1.
        may_lower: whether the evidence is enough to make counts smaller than they were.
    """
    long = [each for each in samples if each.text >= LONG_TEXT and not each.parts.images]
    margin = margin_before
    if len(long) >= MIN_LONG:
        needed = reserve_for(Counter(map(needed_margin, long)), cover) + HEADROOM
        margin = min(MAX_MARGIN, needed if may_lower else max(margin_before, needed))
    found = Correction(margin=margin)
    first = simplest_group(samples)
    base = [each for each in samples if group_of(each) == first]
    line = fit_envelope(((each.parts.messages, found.rest(each)) for each in base), cover=cover)
    found = replace(found, per_request=line.intercept, per_message=line.slope)
    if NO_SYSTEM not in first:
        rests = Counter(found.rest(each) for each in _calm(samples, NO_SYSTEM))
        found = replace(found, without_system=max(0, reserve_for(rests, cover)))
    if TOOLS not in first:
        points = ((each.parts.tools, found.rest(each)) for each in _calm(samples, TOOLS))
        line = fit_envelope(points, cover=cover)
        found = replace(found, with_tools=line.intercept, per_tool=line.slope)
    called = [each for each in samples if each.parts.calls and not each.parts.images]
    if CALLS not in first and called:
        needs = Counter(-(-found.rest(each) // each.parts.calls) for each in called)
        found = replace(found, per_call=max(0, reserve_for(needs, cover)))
    return found


def needed_margin(sample: Sample) -> int:
    """The smallest whole per cent that covers a sample; one above the largest when none does."""
    low, high = 0, len(sample.by_margin)
    while low < high:
        middle = (low + high) // 2
        if sample.by_margin[middle] >= sample.reported:
            high = middle
        else:
            low = middle + 1
    return low
