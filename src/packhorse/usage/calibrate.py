"""From a log to corrections: count every line, decide for each model, count again with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import InputError, UnknownModelError
from packhorse.tokens.calibration import without_calibration
from packhorse.usage.counting import SampleCounter
from packhorse.usage.decide import Decision, decide
from packhorse.usage.envelope import allowed_over
from packhorse.usage.log import LogReport, read_log, without_texts
from packhorse.usage.sample import MAX_SAMPLES, Chosen
from packhorse.usage.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packhorse.tokens.calibration import Calibration
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.models.table import ModelTable
    from packhorse.usage.log import LoggedRequest
    from packhorse.usage.sample import Sample

__all__ = ["KINDS", "ModelResult", "Options", "UsageResult", "calibrate"]

KINDS = ("all", "plain", "with tools", "with images")
"""Requests that differences are summed up for; one with both is under both."""

MAX_UNKNOWN = 100
"""Unknown models that are kept by name."""

MAX_NAMES = 1000
"""Names of models whose row is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller may set."""

    model: str | None = None
    """Count every request for this model, whatever the log names."""
    form: str | None = None
    """Look at requests of this form alone."""
    cover: float = 1.0
    """Share of the requests that a correction must not leave under, 0..1."""
    skip_bad_lines: bool = False
    max_samples: int = MAX_SAMPLES


@dataclass(slots=True, kw_only=True)
class ModelResult:
    """Differences of one model, and what was decided. Mutable: it follows the log."""

    spec: ModelSpec
    """The model without a calibration."""
    before: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """Form -> kind -> differences by the rules alone."""
    decision: Decision | None = None
    after: Tally = field(default_factory=Tally)
    """Differences of the covered requests with the correction, counted anew."""
    n_dropped: int = 0
    """Requests beyond what a correction is made of."""

    @property
    def calibration(self) -> Calibration | None:
        """The correction, when there is one."""
        return None if self.decision is None else self.decision.calibration


@dataclass(slots=True, kw_only=True)
class UsageResult:
    """All that a log showed."""

    paths: tuple[Path, ...]
    log: LogReport = field(default_factory=LogReport)
    models: list[ModelResult] = field(default_factory=list)
    """By provider and name."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Models that the table does not hold, and how many requests name each."""
    n_other_forms: int = 0
    """Requests of another form than the one that was asked for."""

    @property
    def n_counted(self) -> int:
        """Requests that were counted and compared."""
        return sum(forms["all"].n for model in self.models for forms in model.before.values())


def calibrate(
    paths: Sequence[Path],
    table: ModelTable,
    options: Options | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> UsageResult:
    """Compares a log with our counts, and makes a correction for each model that carries one.

    Every file is read twice: the second time with the corrections, by the same code that counts
    requests later. A correction that leaves more requests under than `cover` allows is withdrawn.

    Args:
        paths: files of one JSON object a line.
        table: the models; calibrations in it are taken off first.
        options: what to look at, and how strict to be.
        advance: called with the bytes of each line, twice for the whole log.

    Raises:
        InputError: a file that cannot be read, a bad line, or no request that can be compared.
        UnknownModelError: no request names a known model.
    """
    options = options or Options()
    result = UsageResult(paths=tuple(paths))
    chosen: dict[str, Chosen] = {}
    found: dict[str, ModelResult] = {}
    for counter, logged, file in _matched(result, table, options, result.log, advance):
        sample = _counted(counter, logged, file, result.log, options)
        if sample is None:
            continue
        name = counter.spec.name
        model = found.setdefault(name, ModelResult(spec=counter.spec))
        kinds = model.before.setdefault(logged.form, {kind: Tally() for kind in KINDS})
        for kind in _kinds(sample):
            kinds[kind].add(sample.reported, sample.counted, file, logged.line)
        chosen.setdefault(name, Chosen(options.max_samples)).add(sample)
    _check_any(result, found)
    result.models = sorted(found.values(), key=lambda each: (each.spec.provider, each.spec.name))
    for model in result.models:
        kept = chosen[model.spec.name]
        model.n_dropped = kept.n_dropped
        model.decision = decide(kept.samples(), model.spec, options.cover)
    _verify(result, table, options, advance)
    return result


def _matched(
    result: UsageResult,
    table: ModelTable,
    options: Options,
    report: LogReport,
    advance: Callable[[int], None],
) -> Iterator[tuple[SampleCounter, LoggedRequest, int]]:
    """Requests of known models, each with what counts for its model and its file's number."""
    counters: dict[str, SampleCounter] = {}
    specs = _Specs(table, options.model)
    for file, path in enumerate(result.paths):
        for logged in read_log(
            [path], report=report, skip_bad_lines=options.skip_bad_lines, advance=advance
        ):
            if options.form not in {None, logged.form}:
                result.n_other_forms += 1
                continue
            spec = specs.of(logged.model)
            if spec is None:
                _note_unknown(result, logged.model)
                continue
            if spec.name not in counters:
                counters[spec.name] = SampleCounter(without_calibration(spec))
            yield counters[spec.name], logged, file


class _Specs:
    """Rows of the table by the names in a log; a name is looked up once."""

    def __init__(self, table: ModelTable, model: str | None) -> None:
        self._table = table
        self._given = None if model is None else table.spec(model)
        self._known: dict[str, ModelSpec | None] = {}

    def of(self, name: str | None) -> ModelSpec | None:
        """The row of a logged model, or None when the table does not hold it."""
        if self._given is not None or name is None:
            return self._given
        if name not in self._known:
            if len(self._known) >= MAX_NAMES:
                self._known.clear()
            try:
                self._known[name] = self._table.spec(name)
            except UnknownModelError:
                self._known[name] = None
        return self._known[name]


def _counted(
    counter: SampleCounter, logged: LoggedRequest, file: int, report: LogReport, options: Options
) -> Sample | None:
    """The request as a sample; None when a part of it cannot be counted, which is a bad line."""
    try:
        return counter.sample(logged, file)
    except InputError as error:
        reason = error.message
    except RecursionError:
        reason = "the request is nested too deeply"
    report.reject(logged.path, logged.line, reason, skip=options.skip_bad_lines)
    return None


def _kinds(sample: Sample) -> Iterator[str]:
    parts = sample.parts
    yield "all"
    if not parts.tools and not parts.images:
        yield "plain"
    if parts.tools:
        yield "with tools"
    if parts.images:
        yield "with images"


def _note_unknown(result: UsageResult, model: str | None) -> None:
    name = without_texts(model) if model else "(none named)"
    if name in result.unknown or len(result.unknown) < MAX_UNKNOWN:
        result.unknown[name] += 1
    else:
        result.unknown["(others)"] += 1


def _check_any(result: UsageResult, found: dict[str, ModelResult]) -> None:
    if found:
        return
    if result.unknown:
        names = ", ".join(sorted(result.unknown)[:5])
        raise InputError(
            f"No request names a known model, but {names}{_passed_over(result)}",
            hint="Pass --model with the model that they are of, or describe it in --models-file",
        )
    raise InputError(
        f"No request with a reported usage in {', '.join(str(path) for path in result.paths)}"
        f"{_passed_over(result)}",
        hint='A line is {"request": {...}, "response": {"usage": {...}}}, or has `usage` beside'
        " `request`",
    )


def _passed_over(result: UsageResult) -> str:
    """What was read and could not be compared, for an error: empty when there was nothing."""
    report = result.log
    told = []
    if report.n_without_usage:
        told.append(f"{report.n_without_usage} report no prompt tokens, or 0")
    if report.bad_lines:
        first = report.bad_lines[0]
        told.append(f"{report.n_bad} bad, the first in line {first.line}: {first.reason}")
    return f" ({report.n_lines} lines: {'; '.join(told)})" if told else ""


def _verify(
    result: UsageResult,
    table: ModelTable,
    options: Options,
    advance: Callable[[int], None],
) -> None:
    """Counts the log again with the corrections, and withdraws those that do not hold."""
    by_name = {model.spec.name: model for model in result.models}
    again = UsageResult(paths=result.paths)
    corrected = {
        name: SampleCounter(_with(model.spec, model.calibration), every_margin=False)
        for name, model in by_name.items()
        if model.calibration is not None
    }
    if not corrected:
        return
    lenient = replace(options, skip_bad_lines=True)
    for counter, logged, file in _matched(again, table, lenient, again.log, advance):
        name = counter.spec.name
        model = by_name.get(name)
        if name not in corrected or model is None or model.calibration is None:
            continue
        sample = _counted(corrected[name], logged, file, again.log, lenient)
        if sample is not None and not model.calibration.outside(sample.parts):
            model.after.add(sample.reported, sample.counted, file, logged.line)
    for model in by_name.values():
        if model.calibration is None:
            continue
        if model.after.n_under > allowed_over(model.after.n, options.cover):
            model.decision = Decision(
                calibration=None,
                refusal=f"{model.after.n_under} of {model.after.n} requests would still be counted"
                f" up to {model.after.high} tokens too low",
            )


def _with(spec: ModelSpec, calibration: Calibration | None) -> ModelSpec:
    margin = None if calibration is None else calibration.margin
    return replace(spec, calibration=calibration, margin=spec.margin if margin is None else margin)
