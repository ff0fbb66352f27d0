"""Gold recall against budget as an SVG: a panel a dataset, a line a configuration.

Colours are readable on white and on black, and each line has a mark of its own, so that nothing
depends on colour alone.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["recall_plot"]

PANEL_WIDTH, PANEL_HEIGHT = 300, 230
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 34, 36
COLUMNS = 3
LEGEND_ROW = 22
MARGIN = 16
SAID_WIDTH = 440
"""What the plot says of itself takes up to that, in any font."""

LABEL = "Gold recall at token budgets"

COLOURS = ("#0a7ea4", "#d1541f", "#7a52c7", "#2e8b3d", "#b8860b", "#c2337a", "#5f6b7a")
"""At least 3:1 against white and against #0d1117."""

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 13px; }
.axis { fill: #57606a; font-size: 11px; }
.grid { stroke: #d0d7de; stroke-width: 1; }
.page { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .axis { fill: #9da7b3; }
  .grid { stroke: #30363d; }
  .page { fill: #0d1117; }
}
"""


def recall_plot(results: Mapping[str, Any]) -> str:
    """An SVG of `gold_recall` at every budget, for all datasets of results.json."""
    names = list(results["configurations"])
    panels = results["datasets"]
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    legend, legend_height = _legend(names, max(columns * PANEL_WIDTH, SAID_WIDTH))
    width = 2 * MARGIN + max(columns * PANEL_WIDTH, SAID_WIDTH)
    height = 2 * MARGIN + legend_height + rows * PANEL_HEIGHT
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{LABEL}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<g transform="translate({MARGIN} {MARGIN})">',
        *legend,
    ]
    for at, panel in enumerate(panels):
        x = at % columns * PANEL_WIDTH
        y = legend_height + at // columns * PANEL_HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _panel(panel, results["budgets"], names)
        parts.append("</g>")
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _legend(names: Sequence[str], width: int) -> tuple[list[str], int]:
    said = "Share of the gold passages that a budget of so many tokens holds"
    parts, x, y = [f'<text class="axis" x="{LEFT}" y="8">{said}</text>'], LEFT, LEGEND_ROW
    for at, name in enumerate(names):
        needed = 50 + 7 * len(name)
        if x > LEFT and x + needed > width:
            x, y = LEFT, y + LEGEND_ROW
        colour = COLOURS[at % len(COLOURS)]
        parts.append(f'<path d="M{x} {y + 8}h22" stroke="{colour}" stroke-width="2"/>')
        parts.append(_mark(at, x + 11, y + 8))
        parts.append(f'<text x="{x + 28}" y="{y + 12}">{_text(name)}</text>')
        x += needed
    return parts, y + LEGEND_ROW + 6


def _panel(panel: Mapping[str, Any], budgets: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    inner_width, inner_height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM
    step = inner_width / max(1, len(budgets) - 1)
    xs = [LEFT + step * at for at in range(len(budgets))]
    if len(budgets) == 1:
        xs = [LEFT + inner_width / 2]
    yield f'<text class="title" x="{LEFT}" y="{TOP - 12}">{_text(panel["name"])}</text>'
    for tenths in range(0, 11, 2):
        y = _height(tenths / 10, inner_height)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}h{inner_width}"/>'
        yield (
            f'<text class="axis" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f"{tenths / 10:.1f}</text>"
        )
    for x, budget in zip(xs, budgets, strict=True):
        y = PANEL_HEIGHT - BOTTOM + 16
        yield f'<text class="axis" x="{x:.1f}" y="{y}" text-anchor="middle">{budget}</text>'
    of = {each["name"]: each["budgets"] for each in panel["configurations"]}
    for at, name in enumerate(names):
        means = [of[name][str(budget)]["gold_recall"]["mean"] for budget in budgets]
        points = [
            (x, _height(mean, inner_height))
            for x, mean in zip(xs, means, strict=True)
            if mean is not None
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        colour = COLOURS[at % len(COLOURS)]
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in points:
            yield _mark(at, x, y)


def _height(share: float, inner_height: int) -> float:
    return TOP + (1 - share) * inner_height


def _mark(at: int, x: float, y: float) -> str:
    colour = COLOURS[at % len(COLOURS)]
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>',
        f'<rect x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4" fill="{colour}"/>',
        f'<path d="M{x:.1f} {y - 4.4:.1f}l4.4 7.6h-8.8z" fill="{colour}"/>',
        f'<path d="M{x:.1f} {y - 4.6:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z" fill="{colour}"/>',
    )
    return shapes[at % len(shapes)]


def _text(text: str) -> str:
    return escape(printable(text))
