"""The token window as bars, and the packed context as it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packhorse.report.element import Child, Html, classes, element
from packhorse.report.numbers import counted, integer
from packhorse.report.parts import badge, code_badge, head_row, outside, section, to_candidate

if TYPE_CHECKING:
    from packhorse.report.texts import Piece
    from packhorse.report.view import BlockView, ReportView
    from packhorse.report.window import Part

__all__ = ["context_section", "window_section"]

WIDTH = 1000
"""Units of a bar, whatever its width on the screen."""
HEIGHT = 28


def window_section(view: ReportView) -> Html:
    """The whole window and, larger, the evidence budget in it."""
    return section(
        "window",
        "Where the window goes",
        _patterns(),
        element(
            "div",
            _bar_with_table(f"The window: {view.window_total} tokens", "window", view.window),
            _bar_with_table(
                f"The evidence budget: {view.evidence_total} tokens", "evidence", view.evidence
            ),
            class_="bars",
        ),
    )


def _bar_with_table(title: str, name: str, parts: Sequence[Part]) -> Html:
    rows = [
        element(
            "tr",
            element(
                "th",
                _swatch(part),
                " ",
                to_candidate(part.anchor, outside(part.label)),
                scope="row",
            ),
            element("td", part.shown),
            element("td", part.share),
        )
        for part in parts
    ]
    table = element(
        "table",
        head_row(["Part", "Tokens", "Share"]),
        element("tbody", rows),
        class_="ledger",
        aria_labelledby=f"{name}-bar",
    )
    return element("div", element("h3", title, id=f"{name}-bar"), _bar(parts), table)


def _line(part: Part) -> Html:
    name = to_candidate(part.anchor, outside(part.label))
    return element(
        "tr",
        element("th", _swatch(part), " ", name, scope="row"),
        element("td", part.shown),
        element("td", part.share),
    )


def _bar(parts: Sequence[Part]) -> Html:
    """Rectangles as wide as their tokens; the table below says the same in numbers."""
    whole = sum(part.tokens for part in parts) or 1
    rectangles, before = [], 0
    for part in parts:
        left, right = (WIDTH * n / whole for n in (before, before + part.tokens))
        rectangles.append(
            element(
                "rect",
                x=f"{left:.2f}",
                y="0",
                width=f"{right - left:.2f}",
                height=str(HEIGHT),
                class_=f"part part-{part.kind}",
            )
        )
        before += part.tokens
    return element(
        "svg",
        rectangles,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )


def _swatch(part: Part) -> Html:
    return element(
        "svg",
        element("rect", width="14", height="14", class_=f"part part-{part.kind}"),
        viewBox="0 0 14 14",
        class_="swatch",
        aria_hidden="true",
    )


def _patterns() -> Html:
    """Hatching, so that no part of a bar is told from another by colour alone."""
    lines = {
        "mandatory": "M0 3H12M0 9H12",
        "pinned": "M-2 10 10 -2M4 16 16 4",
        "attached": "M3 0V12M9 0V12",
        "fixed": "M6 0V12",
        "slate": "M-2 -2 14 14M-2 10 2 14M10 -2 14 2",
    }
    shapes = [
        element(
            "pattern",
            element("rect", width="12", height="12", class_=f"ground-{name}"),
            element("path", d=path, class_="line"),
            id=f"hatch-{name}",
            width="12",
            height="12",
            patternUnits="userSpaceOnUse",
        )
        for name, path in lines.items()
    ]
    return element(
        "svg", element("defs", shapes), width="0", height="0", class_="patterns", aria_hidden="true"
    )


def context_section(view: ReportView) -> Html:
    """Everything in the evidence section, in reading order."""
    if not view.blocks:
        return section("context", "The context as it reads", element("p", "Nothing was packed."))
    return section(
        "context",
        "The context as it reads",
        element(
            "p",
            "Exactly what the model reads, in this order; hidden characters are spelled out.",
            class_="hint",
        ),
        _frame("Preamble", view.preamble) if view.preamble else None,
        [_block(each) for each in view.blocks],
        _frame("Notice", view.notice) if view.notice else None,
    )


def _frame(name: str, text: str) -> Html:
    return element(
        "details",
        element("summary", f"{name}, {counted(len(text), 'character')}"),
        element("div", text, class_="text", dir="auto"),
        class_="frame",
    )


def _block(each: BlockView) -> Html:
    told, block = each.candidate, each.block
    rank = f"rank {integer(told.rank)}" if told.rank else "not ranked"
    return element(
        "article",
        element(
            "h3",
            element("span", f"[{told.position}]", class_="cite"),
            " ",
            outside(told.chunk_id),
            " ",
            code_badge(told.code, told.label),
            [[" ", badge("look", f"speaks to the model: {kind}")] for kind in block.orders],
        ),
        element(
            "p",
            outside(told.source),
            f" · {told.date} · {rank} · {counted(told.tokens, 'token')} · score {told.score}",
            class_="meta",
        ),
        _quiet(block.opening),
        element(
            "div",
            [_piece(piece) for piece in block.pieces],
            class_="text",
            dir="auto",
            data_text_of=told.anchor,
        ),
        _quiet(block.closing),
        id=told.anchor,
        tabindex="-1",
        class_=classes("block", f"code-{told.code}"),
    )


def _piece(piece: Piece) -> Child:
    if not piece.mark:
        return piece.text
    return element("mark", piece.text, class_=piece.mark)


def _quiet(frame: str) -> Html | None:
    return element("div", frame.strip("\n"), class_="opening") if frame.strip() else None
