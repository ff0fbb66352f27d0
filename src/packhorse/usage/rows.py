"""What a calibration showed, as rows and sentences for a terminal, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.usage.calibrate import KINDS
from packhorse.usage.words import evidence, in_words, seen_ranges

if TYPE_CHECKING:
    from packhorse.usage.calibrate import ModelResult, UsageResult
    from packhorse.usage.tally import Tally

__all__ = ["HEADER", "correction_lines", "difference_rows", "table_lines", "usage_document"]

HEADER = ("MODEL, FORMAT", "REQUESTS", "MEAN", "SHARE", "MIN", "MAX", "EXACT", "WORST LINES")
WIDTH = 100
MAX_NAME = 40
CUT = "..."

Row = Sequence[str]


def difference_rows(result: UsageResult) -> Iterator[Row]:
    """One row a model and format, and one for each kind of request when there are several.

    Differences are reported - counted, in tokens: above 0 where the count is too low.
    """
    several = len(result.paths) > 1
    for model in result.models:
        for form, kinds in sorted(model.before.items()):
            yield _row(f"{model.spec.name}, {form}", kinds["all"], several=several)
            shown = [kind for kind in KINDS[1:] if kinds[kind].n]
            if shown != ["plain"]:
                for kind in shown:
                    yield _row(f"  {kind}", kinds[kind], several=several)


def table_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows in columns, names to the left and numbers to the right, at most 100 wide.

    The last column is cut where it would be wider, at a whole entry.
    """
    named = [(_short(row[0]), *row[1:]) for row in rows]
    widths = [max(len(row[column]) for row in named) for column in range(len(HEADER) - 1)]
    for row in named:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:], strict=True)]
        head = "  ".join(cells)
        yield f"{head}  {_fitted(row[-1], WIDTH - len(head) - 2)}".rstrip()


def correction_lines(model: ModelResult) -> Iterator[tuple[str, str]]:
    """(level, text) lines about what was decided for a model."""
    decision = model.decision
    if decision is None:
        return
    name = model.spec.name
    calibration = decision.calibration
    if calibration is None:
        yield "WARN", f"{name}: no correction. {decision.refusal}"
        return
    yield "PASS", f"{name}: {in_words(calibration)}"
    yield "INFO", f"  from {evidence(calibration)}"
    yield "INFO", f"  they have {seen_ranges(calibration)}"
    yield "INFO", f"  counted again with it: {_outcome(model)}"
    below = calibration.held_out_under
    held_out = _shares(model, calibration.held_out_explained, below)
    yield (
        "INFO" if not below else "WARN",
        f"  made without {calibration.held_out} of them, for those: {held_out}",
    )
    if model.n_dropped:
        yield "INFO", f"  not used: {model.n_dropped:,} requests more, the same in every order"
    if decision.remark:
        yield "INFO", f"  {decision.remark}"
    for note in decision.notes:
        yield "WARN", f"  {note}"


def usage_document(result: UsageResult) -> dict[str, Any]:
    """Everything as plain data."""
    return {
        "lines": result.log.n_lines,
        "counted": result.n_counted,
        "without_usage": result.log.n_without_usage,
        "partly_elsewhere": result.log.n_elsewhere,
        "other_forms": result.n_other_forms,
        "bad": result.log.n_bad,
        "bad_lines": [
            {"path": bad.path, "line": bad.line, "reason": bad.reason}
            for bad in result.log.bad_lines
        ],
        "unknown_models": dict(sorted(result.unknown.items())),
        "models": [_model(model, result) for model in result.models],
    }


def _model(model: ModelResult, result: UsageResult) -> dict[str, Any]:
    from dataclasses import asdict

    decision, calibration = model.decision, model.calibration
    return {
        "model": model.spec.name,
        "exact": model.spec.exact,
        "differences": [
            {"format": form, "kind": kind, **_tally(kinds[kind], result)}
            for form, kinds in sorted(model.before.items())
            for kind in KINDS
            if kinds[kind].n
        ],
        "calibration": None if calibration is None else asdict(calibration),
        "refusal": "" if decision is None else decision.refusal,
        "remark": "" if decision is None else decision.remark,
        "notes": [] if decision is None else list(decision.notes),
        "after": None if calibration is None else _tally(model.after, result),
    }


def _tally(tally: Tally, result: UsageResult) -> dict[str, Any]:
    return {
        "requests": tally.n,
        "mean": round(tally.mean, 6),
        "share": round(tally.share, 6),
        "min": tally.low,
        "max": tally.high,
        "exact": round(tally.exact, 6),
        "under": tally.n_under,
        "worst": [
            {
                "path": str(result.paths[worst.file]),
                "line": worst.line,
                "difference": worst.difference,
            }
            for worst in tally.worst
        ],
    }


def _row(name: str, tally: Tally, *, several: bool) -> Row:
    worst = ", ".join(
        f"{f'{each.file + 1}:' if several else ''}{each.line} ({each.difference:+,})"
        for each in tally.worst
    )
    return (
        name,
        f"{tally.n:,}",
        f"{tally.mean:+,.1f}" if tally.sum else "0",
        f"{tally.share:+.1%}" if tally.sum else "0",
        _signed(tally.low),
        _signed(tally.high),
        percent(tally.exact),
        worst,
    )


def percent(share: float) -> str:
    """A share in per cent that says 100 or 0 only when it is."""
    shown = f"{share:.1%}"
    if shown == "100.0%" and share < 1.0:
        return "99.9%"
    if shown == "0.0%" and share > 0.0:
        return "0.1%"
    return {"100.0%": "100%", "0.0%": "0%"}.get(shown, shown)


def _signed(tokens: int) -> str:
    return f"{tokens:+,}" if tokens else "0"


def _short(name: str) -> str:
    """A long name keeps its start and its end, where names of a family differ."""
    if len(name) <= MAX_NAME:
        return name
    tail = (MAX_NAME - len(CUT)) // 2
    return f"{name[: MAX_NAME - len(CUT) - tail]}{CUT}{name[-tail:]}"


def _fitted(cell: str, room: int) -> str:
    while len(cell) > room and ", " in cell:
        cell = cell.rpartition(", ")[0]
    return cell if len(cell) <= room else ""


def _outcome(model: ModelResult) -> str:
    tally = model.after
    shares = _shares(model, tally.exact, tally.n_under / tally.n if tally.n else 0.0)
    if tally.low == tally.high == 0:
        return shares
    ends = f"{_signed(tally.low)} to {_signed(tally.high)}"
    return f"{shares}, {ends} tokens, {tally.share:+.1%} on the whole"


def _shares(model: ModelResult, exact: float, under: float) -> str:
    """An estimate is hardly ever right to the token, and need not be."""
    below = f"{percent(under)} too low" if under else "none too low"
    return f"{percent(exact)} to the token, {below}" if model.spec.exact else below
