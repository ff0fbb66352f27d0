"""The two tables of candidates: what is out and why, and the signals behind every score.

Their rows are drawn by rows.js: data of a row takes far fewer bytes than a row of HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.report.element import Child, Html, element
from packhorse.report.numbers import integer
from packhorse.report.parts import head_row, scrolled, section

if TYPE_CHECKING:
    from packhorse.report.view import ReportView

__all__ = ["excluded_section", "signals_section"]

UNDRAWN = (
    "The rows of this table are drawn by a script. Without JavaScript, look at explainability.csv"
    " beside the packet: it holds the same numbers."
)
"""Stands above the table until it has its rows."""


def excluded_section(view: ReportView) -> Html:
    """Every candidate that is out, by rank, with its reason."""
    title = f"What is out, and why ({integer(len(view.excluded))})"
    if not view.excluded:
        return section("excluded", title, element("p", "Every candidate is in."))
    columns = ["Rank", "Passage", "Reason", "Tokens", "Score", "Fits at budget"]
    table = element(
        "table",
        head_row(columns, words=(1, 2)),
        element("tbody"),
        id="excluded-table",
        class_="candidates",
        aria_labelledby="excluded-title",
    )
    return section(
        "excluded",
        title,
        _filters(),
        element("p", id="excluded-status", role="status", class_="hint screen"),
        _undrawn(),
        scrolled("Excluded passages", table),
    )


def _filters() -> Html:
    """Two choices; a script adds what there is to choose from, and shows them."""
    return element(
        "div",
        _choice("filter-reason", "Reason"),
        _choice("filter-source", "Source"),
        class_="filters screen",
        id="excluded-filters",
        hidden=True,
    )


def _choice(choice_id: str, name: str) -> Html:
    everything = element("option", "all", value="")
    return element("label", name, " ", element("select", everything, id=choice_id), class_="choice")


def _undrawn() -> Html:
    return element("p", UNDRAWN, class_="hint undrawn")


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
        element("tbody"),
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
        _undrawn(),
        scrolled("Signals of every candidate", table),
    )
