"""The report of a packet as one HTML file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.indexing.open import open_kb
from packhorse.report.data import deflated_block, page_data, plain_block
from packhorse.report.element import Html, element, joined
from packhorse.report.overview import header, navigation, verdict_section
from packhorse.report.page import SCRIPTS, STYLES, asset, whole_page
from packhorse.report.passages import context_section, window_section
from packhorse.report.tables import excluded_section, signals_section
from packhorse.report.texts import ALL_CHARACTERS, excluded_texts
from packhorse.report.verification import about_section, conflicts_section, coverage_section
from packhorse.report.view import report_view
from packhorse.report.whatif import unavailable, what_if, what_if_script

if TYPE_CHECKING:
    from packhorse.packet.packet import Packet
    from packhorse.protocols import KnowledgeBase
    from packhorse.report.view import ReportView

__all__ = ["MOST_BYTES", "report_html"]

MOST_BYTES = 1_000_000
"""A page that would be larger leaves out what can be had elsewhere, and says so."""

SHORTER = ALL_CHARACTERS // 3
"""Characters of excluded texts where more would make the page too large."""
TOO_LARGE = "With what it takes to select again, this page would be larger than a megabyte."
TOO_LARGE_HINT = "Run the command with the settings to try"


BY_SIZE = (
    (plain_block, ALL_CHARACTERS, True),
    (deflated_block, ALL_CHARACTERS, True),
    (deflated_block, SHORTER, True),
    (deflated_block, ALL_CHARACTERS, False),
    (deflated_block, SHORTER, False),
)
"""What a page holds, the fullest first: the form of its data, characters of excluded texts, and
whether selection can be tried out, which for 500 candidates takes some 450 kB."""


def report_html(packet: Packet, kb: KnowledgeBase | str | Path | None = None) -> str:
    """One self-contained page; it shows the same for the same packet and texts.

    It keeps below a megabyte, but for packets whose own text is larger: first its data is
    deflated, then it shows less of each excluded text, then selection cannot be tried out in it,
    and it says so. A page with plain data has the same bytes everywhere, one with deflated data
    wherever zlib writes the same stream.

    Args:
        packet: what it is about.
        kb: what the packet was packed from, open or what `open_kb` takes; with it, excluded
            passages are shown with their texts, checked by their content hashes, and above 256
            candidates selection can be tried out.

    Raises:
        StoreError: `kb` cannot be opened.
    """
    if isinstance(kb, (str, Path)):
        with closing(open_kb(kb)) as opened:
            return report_html(packet, opened)
    document = packet.document
    view = report_view(packet)
    full, none = what_if(document, kb), unavailable(document, TOO_LARGE, TOO_LARGE_HINT)
    body = _body(view, has_texts=kb is not None)
    page = ""
    for block, characters, tries_out in BY_SIZE:  # nearly always the first or the second
        again = json.dumps(full if tries_out else none, separators=(",", ":"))
        texts = excluded_texts(document, kb, characters)
        page = _page(view, body, block(page_data(view, texts, again)))
        if len(page.encode("utf-8")) <= MOST_BYTES:
            break
    return page


def _body(view: ReportView, *, has_texts: bool) -> Html:
    return joined(
        [
            element("a", "Skip to the report", href="#main", class_="skip"),
            header(view),
            navigation(view),
            element("main", _sections(view, has_texts=has_texts), id="main", tabindex="-1"),
        ]
    )


def _page(view: ReportView, body: Html, data: Html) -> str:
    return whole_page(
        title=f"{view.title} – Packhorse",  # noqa: RUF001 - a dash between the two
        body=[body, data],
        styles=[asset(name) for name in STYLES],
        scripts=[*(asset(name) for name in SCRIPTS), what_if_script()],
    )


def _sections(view: ReportView, *, has_texts: bool) -> Sequence[Html]:
    return (
        verdict_section(view, has_texts=has_texts),
        window_section(view),
        element("section", id="what-if", hidden=True),
        context_section(view),
        excluded_section(view),
        signals_section(view),
        coverage_section(view),
        conflicts_section(view),
        about_section(view),
    )
