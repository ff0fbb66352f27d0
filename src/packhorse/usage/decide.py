"""Decides whether samples are enough for a correction of one model, and says why when not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.tokens.calibration import Calibration, Seen, rules_of
from packhorse.usage.envelope import allowed_over
from packhorse.usage.fit import (
    LONG_TEXT,
    MIN_GROUP,
    SPREAD,
    Correction,
    Group,
    fit_estimate,
    fit_exact,
    group_of,
    needed_margin,
    simplest_group,
    with_reserve,
)

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.usage.sample import Sample

__all__ = ["MIN_ESTIMATED", "MIN_LOWERING", "MIN_SAMPLES", "Decision", "decide"]

MIN_SAMPLES = 10
"""Different requests behind a correction of an exact tokenizer."""

MIN_ESTIMATED = 30
"""Different requests behind a correction of an estimate."""

MIN_LOWERING = 100
"""Different requests behind a correction that makes counts smaller than the rules give."""

NEAR_SHARE = 0.95
"""Share of requests that has to be near the rule, so that it explains them."""

HELD_OUT = 5
"""One sample of so many is held out for the second look."""

PLACES = 6
MAX_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A correction, or why there is none."""

    calibration: Calibration | None
    refusal: str = ""
    """Why there is no correction; empty when there is one."""
    notes: tuple[str, ...] = ()
    """Kinds of requests that the correction does not cover."""
    remark: str = ""
    """Why it does not lower counts, where it might."""


class _RefusedError(Exception):
    """The samples do not carry a correction; the message is the reason."""


def decide(samples: Sequence[Sample], spec: ModelSpec, cover: float = 1.0) -> Decision:
    """The correction that the samples of one model carry.

    Args:
        samples: different requests, in any order.
        spec: the model without a calibration.
        cover: share of the samples that the correction must not leave under, 0..1.
    """
    ordered = sorted(samples, key=lambda each: (each.key, each.reported))
    try:
        return _exact(ordered, spec, cover) if spec.exact else _estimate(ordered, spec, cover)
    except _RefusedError as refused:
        return Decision(calibration=None, refusal=str(refused))


def _exact(samples: Sequence[Sample], spec: ModelSpec, cover: float) -> Decision:
    _check_number(samples, MIN_SAMPLES)
    found = fit_exact(samples)
    covered, notes = _covered(samples, found)
    if not covered:
        raise _RefusedError(_unexplained(samples, found))
    _check_number(covered, MIN_SAMPLES)
    found = with_reserve(_only_seen(found, covered), covered, cover)
    _check_cover(covered, found, cover)
    held_out, rest = _split(covered)
    trial = with_reserve(fit_exact(rest), rest, cover)
    calibration = _calibration(spec, found, covered, (trial, held_out))
    if any(found.framing(each.parts) < 0 for each in covered):
        _check_lowering(calibration)
    return Decision(calibration=calibration, notes=notes)


def _estimate(samples: Sequence[Sample], spec: ModelSpec, cover: float) -> Decision:
    _check_number(samples, MIN_ESTIMATED)
    before = -(-round(spec.margin * 1000) // 10)
    _check_vocabulary(samples, spec, cover)
    samples, left_out = _large_groups(samples)
    samples, images = _countable_images(samples, before, cover)
    _check_number(samples, MIN_ESTIMATED)
    held_out, rest = _split(samples)
    remark = ""
    may_lower = len(samples) >= MIN_LOWERING
    trial = fit_estimate(rest, before, cover=cover, may_lower=may_lower)
    if may_lower and any(trial.rest(each) > 0 for each in held_out):
        may_lower = False
        remark = "Counts are not lowered: requests that were held out would be too low"
        trial = fit_estimate(rest, before, cover=cover, may_lower=False)
    elif not may_lower:
        remark = f"Counts are not lowered: that takes {MIN_LOWERING} different requests"
    found = fit_estimate(samples, before, cover=cover, may_lower=may_lower)
    _check_cover(samples, found, cover)
    calibration = _calibration(spec, found, samples, (trial, held_out))
    kept = found.margin is not None and found.margin >= before
    notes = (*left_out, *images)
    return Decision(calibration=calibration, notes=notes, remark=remark if kept else "")


def _check_vocabulary(samples: Sequence[Sample], spec: ModelSpec, cover: float) -> None:
    """Refuses a vocabulary that no margin makes up for."""
    far = [
        each
        for each in samples
        if each.text >= LONG_TEXT
        and not each.parts.images
        and needed_margin(each) >= len(each.by_margin)
    ]
    if len(far) > allowed_over(len(samples), cover):
        raise _RefusedError(
            f"{_requests(len(far))} took more than twice the tokens of {spec.tokenizer}"
            f" ({_lines(far)}); another tokenizer would be nearer to this model"
        )


def _countable_images(
    samples: Sequence[Sample], before: int, cover: float
) -> tuple[Sequence[Sample], tuple[str, ...]]:
    """Without requests with images, and a note, when their rule gives less than they took."""
    others = [each for each in samples if not each.parts.images]
    found = fit_estimate(others, before, cover=cover, may_lower=False)
    if all(found.rest(each) <= 0 for each in samples if each.parts.images):
        return samples, ()
    return others, ("Requests with images are not covered: some took more than we count",)


def _check_number(samples: Sequence[Sample], least: int) -> None:
    if len(samples) < least:
        raise _RefusedError(
            f"Too few different requests: {len(samples)}, and a correction takes {least}"
        )


def _covered(samples: Sequence[Sample], found: Correction) -> tuple[list[Sample], tuple[str, ...]]:
    """Samples of the kinds that the rule explains; and a note for each kind that it does not.

    None at all when it does not explain the simplest kind.
    """
    groups: dict[Group, list[Sample]] = {}
    for each in samples:
        groups.setdefault(group_of(each), []).append(each)
    covered: list[Sample] = []
    notes = []
    first = simplest_group(samples)
    known: set[str] = set()
    for group, members in sorted(groups.items(), key=lambda item: (len(item[0]), item[0])):
        n_near = sum(abs(found.rest(each)) <= SPREAD for each in members)
        is_explained = n_near >= NEAR_SHARE * len(members)
        is_large = group == first or len(members) >= MIN_GROUP
        # Few requests of known kinds are no surprise when the rule gives them too.
        if is_explained and (is_large or known.issuperset(group)):
            covered += members
            known.update(group)
        elif group == first:
            return [], ()
        elif len(members) < MIN_GROUP:
            notes.append(_not_covered(group, f"only {_requests(len(members))}"))
        else:
            notes.append(_not_covered(group, f"{n_near} of {len(members)} follow a rule"))
    return covered, tuple(notes)


def _large_groups(samples: Sequence[Sample]) -> tuple[Sequence[Sample], tuple[str, ...]]:
    """Samples of the simplest kind and of those with enough; and a note for each other kind."""
    first = simplest_group(samples)
    sizes = Counter(map(group_of, samples))
    known = {kind for group, n in sizes.items() if n >= MIN_GROUP for kind in group}
    small = {
        group
        for group, n in sizes.items()
        if n < MIN_GROUP and group != first and not known.issuperset(group)
    }
    notes = tuple(_not_covered(group, f"only {_requests(sizes[group])}") for group in sorted(small))
    return [each for each in samples if group_of(each) not in small], notes


def _only_seen(found: Correction, covered: Sequence[Sample]) -> Correction:
    """Without what it says of parts that no covered request has."""
    if not any(each.parts.tools for each in covered):
        found = replace(found, with_tools=0, per_tool=0)
    if not any(each.parts.calls for each in covered):
        found = replace(found, per_call=0)
    if all(each.parts.system for each in covered):
        found = replace(found, without_system=0)
    return found


def _unexplained(samples: Sequence[Sample], found: Correction) -> str:
    """Why no rule was found, as far as the samples tell."""
    first = simplest_group(samples)
    base = [each for each in samples if group_of(each) == first]
    n_near = sum(abs(found.rest(each)) <= SPREAD for each in base)
    reason = f"The differences follow no rule: {n_near} of {len(base)} requests are near the best"
    forms = sorted({each.form for each in base})
    if len(forms) > 1 and all(_follows_a_rule(base, form) for form in forms):
        return f"{reason}; {' and '.join(forms)} differ: calibrate one --format at a time"
    by_length = sorted(base, key=lambda each: (each.parts.tokens, each.key))
    half = len(by_length) // 2
    short, long = (
        sum(abs(each.difference) for each in part) for part in (by_length[:half], by_length[half:])
    )
    if long > 2 * short:
        reason += "; they grow with the text, so the tokenizer may not be the model's own"
    return f"{reason} ({_lines([each for each in base if abs(found.rest(each)) > SPREAD])})"


def _follows_a_rule(samples: Sequence[Sample], form: str) -> bool:
    own = [each for each in samples if each.form == form]
    found = fit_exact(own)
    return sum(abs(found.rest(each)) <= SPREAD for each in own) >= NEAR_SHARE * len(own)


def _check_cover(covered: Sequence[Sample], found: Correction, cover: float) -> None:
    under = [each for each in covered if found.rest(each) > 0]
    if len(under) <= allowed_over(len(covered), cover):
        return
    most = max(found.rest(each) for each in under)
    share = round(1.0 - len(under) / len(covered), PLACES)
    raise _RefusedError(
        f"{_requests(len(under))} of {len(covered)} took up to {most} tokens more than the rule of"
        f" the others gives ({_lines(under)}); --cover {_floor(share)} accepts that"
    )


def _check_lowering(calibration: Calibration) -> None:
    if calibration.samples < MIN_LOWERING:
        raise _RefusedError(
            f"Counts would become smaller: that takes {MIN_LOWERING} different requests, and there"
            f" are {calibration.samples}"
        )
    if not calibration.is_exact or calibration.held_out_under:
        raise _RefusedError(
            "Counts would become smaller, and not every request agrees:"
            f" {calibration.explained:.1%} come out to the token"
        )


def _split(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]]:
    """Held out and the others: a fifth by the hash of the request, so that chance has no part."""
    n_held_out = -(-len(samples) // HELD_OUT)
    return samples[:n_held_out], samples[n_held_out:]


def _calibration(
    spec: ModelSpec,
    found: Correction,
    covered: Sequence[Sample],
    second_look: tuple[Correction, Sequence[Sample]],
) -> Calibration:
    rests = [found.rest(each) for each in covered]
    trial, held_out = second_look
    tried = [trial.rest(each) for each in held_out]
    days = [days for each in covered if (days := each.days) is not None]
    margins = (
        {} if found.margin is None else {"margin": found.margin / 100, "margin_before": spec.margin}
    )
    return Calibration(
        per_request=found.per_request,
        per_message=found.per_message,
        without_system=found.without_system,
        with_tools=found.with_tools,
        per_tool=found.per_tool,
        per_call=found.per_call,
        **margins,
        samples=len(covered),
        first=min((first for first, _ in days), default=None),
        last=max((last for _, last in days), default=None),
        explained=_share(rests.count(0), len(rests)),
        under=_share(sum(rest > 0 for rest in rests), len(rests)),
        spread=(min(rests), max(rests)),
        held_out=len(tried),
        held_out_explained=_share(tried.count(0), len(tried)),
        held_out_under=_share(sum(rest > 0 for rest in tried), len(tried)),
        seen=_seen(covered, found),
        rules=rules_of(spec),
    )


def _seen(covered: Sequence[Sample], found: Correction) -> Seen:
    """Ranges over the samples; tokens as they are counted with the margin that was found."""
    ranges = {}
    for name in ("messages", "system", "tools", "calls", "images", "wide"):
        values = [getattr(each.parts, name) for each in covered]
        ranges[name] = (min(values), max(values))
    tokens = [found.counted(each) for each in covered]
    return Seen(**ranges, tokens=(min(tokens), max(tokens)))


def _share(part: int, whole: int) -> float:
    return round(part / whole, PLACES) if whole else 0.0


def _floor(share: float) -> str:
    """A share that is never rounded up, for a flag that accepts it."""
    return f"{int(share * 1000) / 1000:g}"


def _not_covered(group: Group, reason: str) -> str:
    return f"Requests with {' and '.join(group) or 'instructions'} are not covered: {reason}"


def _requests(n: int) -> str:
    return f"{n} request" if n == 1 else f"{n} requests"


def _lines(samples: Sequence[Sample]) -> str:
    """The first lines, by place in the log."""
    lines = sorted(each.place for each in samples)
    several = any(file for file, _ in lines)
    shown = ", ".join(
        f"{file + 1}:{line}" if several else str(line) for file, line in lines[:MAX_NAMED]
    )
    more = ", ..." if len(lines) > MAX_NAMED else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {shown}{more}"
