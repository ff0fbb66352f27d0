"""The two tables of candidates: what is out and why, and the signals behind every score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packhorse.report.element import Child, Html, element
from packhorse.report.numbers import integer
from packhorse.report.parts import code_badge, head_row, outside, scrolled, section, to_candidate

if TYPE_CHECKING:
    from packhorse.report.candidates import CandidateView
    from packhorse.report.texts import TextView
    from packhorse.report.view import FilterView, ReportView

__all__ = ["excluded_section", "signals_section"]

NOTHING = "–"  # noqa: RUF001 - a dash for no value


def excluded_section(view: ReportView) -> Html:
    """Every candidate that is out, by rank, with its reason."""
    title = f"What is out, and why ({integer(len(view.excluded))})"
    if not view.excluded:
        return section("excluded", title, element("p", "Every candidate is in."))
    rows = [_excluded(each, view.texts.get(each.chunk_id)) for each in view.excluded]
    columns = ["Rank", "Passage", "Reason", "Tokens", "Score", "Fits at budget"]
    table = element(
        "table",
        head_row(columns, words=(1, 2)),
        element("tbody", rows),
        id="excluded-table",
        class_="candidates",
        aria_labelledby="excluded-title",
    )
    return section(
        "excluded",
        title,
        _filters(view),
        element("p", id="excluded-status", role="status", class_="hint screen"),
        scrolled("Excluded passages", table),
    )


def _filters(view: ReportView) -> Html:
    return element(
        "div",
        _choice("filter-reason", "Reason", view.reasons),
        _choice("filter-source", "Source", view.sources),
        class_="filters screen",
        id="excluded-filters",
        hidden=True,
    )


def _choice(choice_id: str, name: str, filters: Sequence[FilterView]) -> Html:
    options = [
        element("option", "all", value=""),
        *(element("option", each.label, value=each.value) for each in filters),
    ]
    return element("label", name, " ", element("select", options, id=choice_id), class_="choice")


def _excluded(each: CandidateView, text: TextView | None) -> Html:
    fits = NOTHING if each.fits_at is None else integer(each.fits_at)
    return element(
        "tr",
        _number(each.rank),
        element(
            "th",
            outside(each.chunk_id),
            element("div", outside(each.source), f" · {each.date}", class_="meta"),
            None if text is None else _text(each, text),
            scope="row",
        ),
        element(
            "td",
            code_badge(each.code, each.label),
            element("div", outside(each.reason), class_="meta"),
        ),
        element("td", integer(each.tokens)),
        element("td", each.score),
        element("td", fits),
        id=each.anchor,
        tabindex="-1",
        data_reason=each.code,
        data_source=each.source_id,
    )


def _text(each: CandidateView, text: TextView) -> Html:
    notes = [element("p", note, class_="hint") for note in text.notes]
    return element(
        "details",
        element("summary", "Text" if text.text else "No text"),
        notes,
        element("div", text.text, class_="text", dir="auto", data_text_of=each.anchor)
        if text.text
        else None,
    )


def signals_section(view: ReportView) -> Html:
    """The five signals, weighted, and the place at each stage, for every candidate."""
    if not view.candidates:
        return section("signals", "Signals", element("p", "There was no candidate."))
    weights = [
        [weight.name.capitalize(), " ", element("small", f"× {weight.value}")]  # noqa: RUF001 - a product
        for weight in view.weights
    ]
    stages: list[Child] = ["Words", "Meaning", "Fused", "Reranked", "Final"]
    table = element(
        "table",
        head_row(["Passage", "In", *weights, "Score", *stages], words=(0,)),
        element("tbody", [_signals(each) for each in view.candidates]),
        id="signals-table",
        class_="candidates signals",
        aria_labelledby="signals-title",
    )
    return section(
        "signals",
        "Signals and ranks",
        element(
            "p",
            "Each signal from 0 to 1, and below it what it adds: weight times signal. The five"
            " shares add up to the score. Then the rank at each stage: by words, by meaning, both"
            " fused, with trust and date, and in the end.",
            class_="hint",
        ),
        scrolled("Signals of every candidate", table),
    )


def _signals(each: CandidateView) -> Html:
    place = NOTHING if each.position is None else f"[{each.position}]"
    values = [
        element("td", signal.value, element("small", signal.share)) for signal in each.signals
    ] or [element("td", NOTHING) for _ in range(5)]
    return element(
        "tr",
        element("th", to_candidate(each.anchor, outside(each.chunk_id)), scope="row"),
        element("td", place),
        values,
        element("td", each.score),
        [_number(rank) for rank in each.ranks],
        data_signals_of=each.anchor,
    )


def _number(rank: int | None) -> Html:
    return element("td", NOTHING if rank is None else integer(rank))
