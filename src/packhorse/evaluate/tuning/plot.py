"""Default against tuned in every fold as an SVG: a ring and a disc on a line for each."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from packhorse.evaluate.plot import COLOURS, STYLE
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packhorse.evaluate.tuning.tune import Tuned, TuningPlan

__all__ = ["fold_plot"]

_LEFT, _TOP, _ROW, _WIDTH, _RIGHT = 150, 78, 30, 460, 40
_TICKS = 5
_TUNED = COLOURS[0]
_RING = f'fill="none" stroke="{COLOURS[6]}" stroke-width="2"'

Row = tuple[str, float, float]


def fold_plot(tuned: Tuned, plan: TuningPlan) -> str:
    """An SVG of the mean over budgets on the questions held out; the scale is that of the data."""
    rows = _rows(tuned)
    low, high = _range([value for _, *pair in rows for value in pair])
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _ROW * len(rows) + 44
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = f"{tuned.dataset}: {plan.metric} on questions held out, mean over budgets"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{_text(title)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="title" x="16" y="26">{_text(title)}</text>',
        f'<circle cx="24" cy="48" r="5" fill="{_TUNED}"/>',
        '<text x="36" y="52">tuned without these questions</text>',
        f'<circle cx="264" cy="48" r="5" {_RING}/>',
        f'<text x="276" y="52">{_text(plan.base.name)}</text>',
        *_grid(low, high, len(rows)),
    ]
    for at, (name, base, better) in enumerate(rows):
        y = _TOP + _ROW * at + _ROW / 2
        one, two = (_LEFT + (value - low) / (high - low) * _WIDTH for value in (base, better))
        parts += [
            f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{_text(name)}</text>',
            f'<path d="M{one:.1f} {y}H{two:.1f}" stroke="{_TUNED}" stroke-width="2"/>',
            f'<circle cx="{two:.1f}" cy="{y}" r="5" fill="{_TUNED}"/>',
            f'<circle cx="{one:.1f}" cy="{y}" r="5" {_RING}/>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _rows(tuned: Tuned) -> list[Row]:
    rows = [
        (f"fold {at} ({fold.n_held_out})", _mean(fold.base), _mean(fold.tuned))
        for at, fold in enumerate(tuned.folds, start=1)
    ]
    base = _mean(tuned.base)
    gain = 0.0 if tuned.overall is None else tuned.overall.mean
    return [*rows, (f"all ({tuned.n_questions})", base, base + gain)]


def _grid(low: float, high: float, n_rows: int) -> Iterator[str]:
    bottom = _TOP + _ROW * n_rows
    for step in range(_TICKS + 1):
        x = _LEFT + step / _TICKS * _WIDTH
        value = low + step / _TICKS * (high - low)
        yield f'<path class="grid" d="M{x:.1f} {_TOP}V{bottom}"/>'
        yield (
            f'<text class="axis" x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">'
            f"{value:.2f}</text>"
        )


def _range(values: list[float]) -> tuple[float, float]:
    """The values with a margin, in steps of five hundredths, inside 0..1."""
    low, high = int(min(values) * 20 - 0.2), int(max(values) * 20 + 1.2)
    return max(0, low) / 20, min(20, max(high, low + 1)) / 20


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def _text(text: str) -> str:
    return escape(printable(text))
