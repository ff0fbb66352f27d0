"""The top of a report: question, status, the answers of a minute, and the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.report.element import Html, element
from packhorse.report.numbers import integer
from packhorse.report.parts import badge, facts, outside, section, to_candidate

if TYPE_CHECKING:
    from packhorse.report.verdicts import Verdict
    from packhorse.report.view import ReportView

__all__ = ["header", "navigation", "verdict_section"]

LONG_QUERY = 300
"""Characters of a question that stand in the heading; all of a longer one stand below it."""


def header(view: ReportView) -> Html:
    """Question, status and what the packet was made for."""
    shown, rest = view.query[:LONG_QUERY], view.query[LONG_QUERY:]
    whole = element(
        "details",
        element("summary", f"The whole question, {integer(len(view.query))} characters"),
        element("div", view.query, class_="text", dir="auto"),
    )
    return element(
        "header",
        element(
            "div",
            element("p", "Packhorse report of a context packet", class_="kicker"),
            element("button", "Dark", type="button", id="theme", class_="screen", hidden=True),
            class_="top",
        ),
        element("h1", shown + ("…" if rest else ""), dir="auto"),
        whole if rest else None,
        element("p", badge(view.tone, view.status), class_="status"),
        facts(view.facts),
    )


def navigation(view: ReportView) -> Html:
    """Links to the sections."""
    entries = [
        ("verdict", "In one minute"),
        ("window", "Window"),
        ("context", f"Context ({integer(len(view.blocks))})"),
        ("excluded", f"Excluded ({integer(len(view.excluded))})"),
        ("signals", "Signals"),
        ("coverage", "Coverage"),
        ("conflicts", f"Conflicts ({integer(len(view.conflicts))})"),
        ("about", "About"),
    ]
    links = [element("li", element("a", name, href=f"#{where}")) for where, name in entries]
    return element("nav", element("ul", links), aria_label="Sections")


def verdict_section(view: ReportView, *, has_texts: bool) -> Html:
    """The answers, the search, and the checks in words.

    Args:
        view: of the packet.
        has_texts: whether the page has the texts of excluded passages.
    """
    return section(
        "verdict",
        "In one minute",
        element("ol", [_verdict(each, view) for each in view.verdicts], class_="verdicts"),
        _search(has_all=has_texts or not view.excluded),
        element("h3", "Checks"),
        element(
            "ul",
            [
                element(
                    "li",
                    badge(check.tone, check.status),
                    " ",
                    element("strong", check.name),
                    ": ",
                    outside(check.detail),
                )
                for check in view.checks
            ],
            class_="checks",
        ),
    )


def _verdict(verdict: Verdict, view: ReportView) -> Html:
    ids = {each.anchor: each.chunk_id for each in view.candidates}
    links = [[" ", to_candidate(anchor, outside(ids[anchor]))] for anchor in verdict.anchors[:3]]
    change = (
        element("p", element("strong", "Change: "), outside(verdict.change), class_="change")
        if verdict.change
        else None
    )
    return element(
        "li",
        element("h3", verdict.question),
        element("p", badge(verdict.tone, verdict.answer), class_="answer"),
        element("p", outside(verdict.detail), "."),
        change,
        element("p", "See", links, class_="see") if links else None,
    )


def _search(*, has_all: bool) -> Html:
    scope = (
        "By id, source or words of the text."
        if has_all
        else "By id or source, or by words of what is in: texts of excluded passages are not in"
        " this report. Make it with --kb to search them as well."
    )
    return element(
        "div",
        element("h3", element("label", "Was this passage here?", for_="find")),
        element(
            "input",
            type="search",
            id="find",
            class_="screen",
            autocomplete="off",
            spellcheck="false",
            aria_describedby="find-scope find-status",
            disabled=True,
        ),
        element("p", scope, id="find-scope", class_="hint"),
        element("p", id="find-status", role="status", class_="hint"),
        element("ul", id="find-hits", class_="hits"),
        element("div", id="find-told", aria_live="polite"),
        element(
            "noscript",
            element(
                "p",
                "The search needs JavaScript. So do the tables of what is out and of the signals,"
                " and the section What if. Everything else is complete without it.",
            ),
        ),
        class_="find",
        role="search",
    )
