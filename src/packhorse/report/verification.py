"""Coverage, conflicts, and what the packet was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.report.element import Html, element
from packhorse.report.parts import badge, facts, head_row, outside, section, to_candidate

if TYPE_CHECKING:
    from packhorse.report.view import ClaimView, ConflictView, ReportView, TopicView

__all__ = ["about_section", "conflicts_section", "coverage_section"]


def coverage_section(view: ReportView) -> Html:
    """Required topics, what gives each, and where the sources are from."""
    table = element(
        "table",
        head_row(["Topic", "State", "Strength", "Given by"]),
        element("tbody", [_topic(each) for each in view.topics]),
        aria_labelledby="coverage-title",
    )
    nothing = element("p", "No topics were required.")
    return section(
        "coverage",
        "Coverage, domain and sources",
        table if view.topics else nothing,
        facts(view.coverage),
    )


def _topic(topic: TopicView) -> Html:
    given_by = to_candidate(topic.anchor, outside(topic.given_by)) if topic.given_by else "nothing"
    words = [", by the words ", outside(topic.words)] if topic.words else []
    return element(
        "tr",
        element("th", outside(topic.name), scope="row"),
        element("td", badge(topic.tone, topic.state)),
        element("td", topic.strength, class_="number"),
        element("td", given_by, words),
    )


def conflicts_section(view: ReportView) -> Html:
    """Both sentences of each conflict, with the values marked."""
    if not view.conflicts:
        none = element("p", "No two packed passages state different values for the same thing.")
        return section("conflicts", "Conflicts", none)
    return section(
        "conflicts",
        "Conflicts",
        element("p", "Nothing here says which side is right.", class_="hint"),
        [_conflict(each) for each in view.conflicts],
    )


def _conflict(conflict: ConflictView) -> Html:
    return element(
        "article",
        element("h3", f"Different values: {conflict.kind}"),
        element("ul", [element("li", _claim(side)) for side in conflict.sides], class_="sides"),
        class_="conflict",
    )


def _claim(claim: ClaimView) -> list[Html]:
    return [
        element("blockquote", claim.before, element("mark", claim.value), claim.after, dir="auto"),
        element(
            "p",
            to_candidate(claim.anchor, outside(claim.chunk_id)),
            " · ",
            outside(claim.place),
            class_="meta",
        ),
    ]


def about_section(view: ReportView) -> Html:
    """Settings, versions and hashes."""
    return section("about", "What it was made with", facts(view.about))
