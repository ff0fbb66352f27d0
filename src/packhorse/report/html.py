"""The report of a packet as one HTML file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.indexing.open import open_kb
from packhorse.report.element import Html, data_block, element
from packhorse.report.finding import find_data
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


BY_SIZE = ((ALL_CHARACTERS, True), (SHORTER, True), (ALL_CHARACTERS, False), (SHORTER, False))
"""What a page holds, the fullest first: characters of excluded texts, and data for selecting again,
which for 500 candidates takes half of the page."""


def report_html(packet: Packet, kb: KnowledgeBase | str | Path | None = None) -> str:
    """One self-contained page; the same bytes for the same packet and texts.

    It keeps below a megabyte, but for packets whose own text is larger: first it shows less of
    each excluded text, then selection cannot be tried out in it, and it says so.

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
    page, full = "", what_if(packet.document, kb)
    none = unavailable(packet.document, TOO_LARGE, TOO_LARGE_HINT)
    for characters, tries_out in BY_SIZE:
        again = json.dumps(full if tries_out else none, separators=(",", ":"))
        page = _page(packet, kb, characters, again)
        if len(page.encode("utf-8")) <= MOST_BYTES:
            break
    return page


def _page(packet: Packet, kb: KnowledgeBase | None, characters: int, again: str) -> str:
    view = report_view(packet, excluded_texts(packet.document, kb, characters))
    return whole_page(
        title=f"{view.title} – Packhorse",  # noqa: RUF001 - a dash between the two
        body=[
            element("a", "Skip to the report", href="#main", class_="skip"),
            header(view),
            navigation(view),
            element("main", _sections(view), id="main", tabindex="-1"),
            data_block("candidates", find_data(view.candidates)),
            data_block("what-if-data", again),
        ],
        styles=[asset(name) for name in STYLES],
        scripts=[*(asset(name) for name in SCRIPTS), what_if_script()],
    )


def _sections(view: ReportView) -> Sequence[Html]:
    return (
        verdict_section(view),
        window_section(view),
        element("section", id="what-if", hidden=True),
        context_section(view),
        excluded_section(view),
        signals_section(view),
        coverage_section(view),
        conflicts_section(view),
        about_section(view),
    )
