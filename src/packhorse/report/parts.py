"""Small pieces of a report that several sections are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from packhorse.report.element import Child, Html, element

if TYPE_CHECKING:
    from packhorse.report.view import Fact

__all__ = [
    "badge",
    "code_badge",
    "facts",
    "head_row",
    "outside",
    "scrolled",
    "section",
    "to_candidate",
]

SIGNS = {"good": "✓", "look": "!", "bad": "✗"}
"""Said besides the colour."""


def section(section_id: str, title: str, *children: Child) -> Html:
    """A section with its heading, which names it."""
    heading = element("h2", title, id=f"{section_id}-title")
    return element(
        "section", heading, *children, id=section_id, aria_labelledby=f"{section_id}-title"
    )


def badge(tone: str, words: str) -> Html:
    """A word with a sign and a colour; the words alone say it all."""
    sign = element("span", SIGNS[tone], aria_hidden="true")
    return element("span", sign, " ", words, class_=f"badge {tone}")


def code_badge(code: str, words: str) -> Html:
    """A reason in words, with the look of its code."""
    return element("span", words, class_=f"code code-{code}")


def outside(text: str, name: str = "bdi", class_: str | None = None) -> Html:
    """Text of a document in a line: its direction does not turn what stands around it."""
    return element(name, text, class_=class_)


def facts(rows: Iterable[Fact]) -> Html:
    """Names and what they say."""
    pairs = [
        element("div", element("dt", row.name), element("dd", outside(row.value))) for row in rows
    ]
    return element("dl", pairs, class_="facts")


def to_candidate(anchor: str, words: Child) -> Html:
    """A link to where a candidate is shown."""
    return element("a", words, href=f"#{anchor}") if anchor else element("span", words)


def scrolled(label: str, table: Html) -> Html:
    """A wide table that scrolls by itself, also by keyboard."""
    return element("div", table, class_="scrolled", role="region", aria_label=label, tabindex="0")


def head_row(names: Sequence[Child], words: Sequence[int] = ()) -> Html:
    """The row of column names; columns `words` hold text among columns of numbers."""
    heads = [
        element("th", each, scope="col", class_="words" if place in words else None)
        for place, each in enumerate(names)
    ]
    return element("thead", element("tr", heads))
