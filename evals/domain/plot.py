"""Curves of the domain check as an SVG: a panel for questions far from a corpus, one for near."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from packhorse.evaluate.plot import COLOURS, STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["roc_plot"]

_SIDE, _LEFT, _TOP, _GAP, _LEGEND = 300, 56, 44, 70, 26
_LABEL = "Curves of the domain check"
_ZOOM = 0.3
"""Highest false alarm rate that is drawn; nobody would use the check beyond it."""


def roc_plot(
    panels: Sequence[tuple[str, Mapping[str, Sequence[tuple[float, float]]]]],
    marks: Mapping[str, Sequence[tuple[float, float]]],
) -> str:
    """An SVG with a panel for each (title, curve by name).

    Args:
        panels: a curve is (false alarm, share caught) from low to high.
        marks: title -> points of each curve at the shipped threshold, in their order.
    """
    names = list(dict.fromkeys(name for _, curves in panels for name in curves))
    width = _LEFT + len(panels) * (_SIDE + _GAP)
    height = _TOP + _SIDE + 60 + _LEGEND * -(-len(names) // 3)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{_LABEL}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for at, (title, curves) in enumerate(panels):
        parts.append(f'<g transform="translate({_LEFT + at * (_SIDE + _GAP)} {_TOP})">')
        parts += _panel(title, curves, marks.get(title, ()), names)
        parts.append("</g>")
    parts += _legend(names, _TOP + _SIDE + 56, width)
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    title: str,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    marks: Sequence[tuple[float, float]],
    names: Sequence[str],
) -> Iterator[str]:
    yield f'<text class="title" x="0" y="-14">{escape(title)}</text>'
    for step in range(6):
        share = step / 5
        x, y = share * _SIDE, (1 - share) * _SIDE
        yield f'<path class="grid" d="M0 {y:.1f}h{_SIDE}M{x:.1f} 0v{_SIDE}"/>'
        yield f'<text class="axis" x="-8" y="{y + 4:.1f}" text-anchor="end">{share:.1f}</text>'
        yield (
            f'<text class="axis" x="{x:.1f}" y="{_SIDE + 16}" text-anchor="middle">'
            f"{share * _ZOOM:.2f}</text>"
        )
    yield (
        f'<text class="axis" x="{_SIDE / 2}" y="{_SIDE + 34}" text-anchor="middle">'
        "inside questions called outside</text>"
    )
    yield (
        f'<text class="axis" transform="translate(-38 {_SIDE / 2}) rotate(-90)"'
        ' text-anchor="middle">outside questions caught</text>'
    )
    for name, points in curves.items():
        colour = COLOURS[names.index(name) % len(COLOURS)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in _visible(points))
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for (false_alarm, caught), name in zip(marks, curves, strict=False):
        if false_alarm <= _ZOOM:
            colour = COLOURS[names.index(name) % len(COLOURS)]
            x, y = false_alarm / _ZOOM * _SIDE, (1 - caught) * _SIDE
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'


def _visible(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Steps of a curve in pixels: right first, then up, as far as the panel goes."""
    last = 0.0
    for false_alarm, caught in points:
        x = min(false_alarm, _ZOOM) / _ZOOM * _SIDE
        yield x, (1 - last) * _SIDE
        if false_alarm > _ZOOM:
            return
        yield x, (1 - caught) * _SIDE
        last = caught


def _legend(names: Sequence[str], top: int, width: int) -> Iterator[str]:
    column = (width - _LEFT) / 3
    for at, name in enumerate(names):
        x, y = _LEFT + at % 3 * column, top + at // 3 * _LEGEND
        colour = COLOURS[at % len(COLOURS)]
        yield f'<path d="M{x:.0f} {y}h22" stroke="{colour}" stroke-width="3"/>'
        yield f'<text x="{x + 28:.0f}" y="{y + 4}">{escape(name)}</text>'
