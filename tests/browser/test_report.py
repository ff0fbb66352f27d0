"""The report as a reader uses it: search, tables, keyboard, themes, paper, and hostile texts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from packhorse.api import pack
from packhorse.packet.packet import Packet
from packhorse.report.html import report_html
from packhorse.report.view import report_view
from packhorse.report.visible import visible
from tests.browser.conftest import OpenPage
from tests.explain.test_why import packet_of_every_kind
from tests.packet.assemblies import assembly
from tests.report.samples import (
    HOSTILE,
    hostile_kb,
    hostile_packet,
    large_kb,
    large_packet,
    tax_kb,
    tax_packet,
)

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def reports(fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages: the sample with texts, one of every reason, conflicts, hostile texts."""
    folder = tmp_path_factory.mktemp("reports")
    kb = tax_kb(fixtures_dir)
    pages = {
        "tax": report_html(tax_packet(kb), kb),
        "every": report_html(packet_of_every_kind()),
        "conflict": report_html(Packet.of(assembly())),
        "hostile": report_html(hostile_packet(*HOSTILE)),
    }
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


def faults(page: Page) -> Sequence[Any]:
    """What axe-core finds wrong, serious or worse. Its code comes in past the page's policy."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = json.loads(page.evaluate("axe.run().then((told) => JSON.stringify(told.violations))"))
    return [
        (each["id"], node["html"][:200])
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["tax", "conflict"])
def test_no_serious_fault_of_access(
    name: str, scheme: Literal["light", "dark"], open_page: OpenPage, reports: Path
) -> None:
    page = open_page(reports / f"{name}.html", scheme=scheme)
    page.fill("#find", "c")
    assert faults(page) == []


def test_a_passage_is_found_by_its_id(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "every.html")
    page.keyboard.press("/")
    page.keyboard.type("UNDATED")
    told = page.inner_text("#find-told")
    assert "undated: Out: did not fit in what was left" in told
    assert "Retrieved?" in told
    assert "--budget" in told
    assert "packhorse why PACKET undated" in told
    page.click("#find-told summary")
    assert "Score" in page.inner_text("#find-told .sum")


def test_a_passage_is_found_by_words_of_its_text(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "tax.html")
    page.fill("#find", "simplified method square")
    assert "candidates" in page.inner_text("#find-status")
    page.click("#find-hits button >> nth=0")
    assert "What to change" in page.inner_text("#find-told")
    page.click("#find-told a")
    target = page.evaluate("document.querySelector(':target').textContent")
    assert "square" in target


def test_what_was_no_candidate_is_said_to_be_none(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "tax.html")
    page.fill("#find", "no such passage anywhere")
    assert "retrieval never found it" in page.inner_text("#find-status")
    assert page.locator("#find-hits li").count() == 0


def test_filters_leave_what_they_name(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "every.html")
    rows = page.locator("#excluded-table tbody tr")
    total = rows.count()
    page.select_option("#filter-reason", "duplicate")
    assert page.locator("#excluded-table tbody tr:visible").count() == 1
    assert page.inner_text("#excluded-status") == f"1 of {total} shown"
    page.evaluate("location.hash = document.querySelector('#excluded-table tr[hidden]').id")
    page.wait_for_function("!document.querySelector('#excluded-table tr[hidden]')")


def test_a_column_sorts_both_ways(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "every.html")
    head = page.locator("#signals-table th", has_text="Score")
    column = (
        "[...document.querySelectorAll('#signals-table tbody tr')].map(r => r.cells[7].textContent)"
    )
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    ascending = page.evaluate(column)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    scores = [float(text) for text in ascending if text != "–"]
    assert scores == sorted(scores)
    assert page.evaluate(column)[0] == f"{max(scores):.3f}"


def test_the_theme_can_be_chosen(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "tax.html")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    dark = page.evaluate(ground)
    assert light != dark
    assert open_page(reports / "tax.html", scheme="dark").evaluate(ground) == dark
    page.click("#theme")
    assert page.evaluate(ground) == light


def test_on_paper_everything_is_open_and_no_control_is_left(
    open_page: OpenPage, reports: Path
) -> None:
    page = open_page(reports / "tax.html", scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for control in page.locator("button, input, select").all():
        box = control.bounding_box()
        assert box is None or control.evaluate("each => !!each.closest('th')")
    assert page.locator("#excluded-table .text").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("#excluded-table .text").first.is_visible()


@pytest.mark.parametrize("name", ["tax", "every", "hostile"])
def test_a_narrow_screen_scrolls_one_way(name: str, open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / f"{name}.html", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_rest_is_there_and_the_page_says_what_is_not(
    open_page: OpenPage, reports: Path
) -> None:
    page = open_page(reports / "every.html", scripts=False)
    text = page.inner_text("main")
    assert "The search needs JavaScript. So do the tables" in text
    assert text.count("look at explainability.csv beside the packet") == 2
    assert page.locator("article.block").first.is_visible()
    assert page.locator("#filter-reason").is_hidden()
    assert not page.locator("#find").is_enabled()
    assert not page.locator("#theme").is_visible()


def test_rows_hold_what_the_packet_says(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "every.html")
    packet = packet_of_every_kind()
    assert page.locator(".undrawn").count() == 0
    excluded = page.locator("#excluded-table tbody th > bdi").all_inner_texts()
    assert excluded == [each.chunk_id for each in packet.excluded_chunks]
    views = report_view(packet).candidates
    rows = page.locator("#signals-table tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.firstChild.textContent))"
    )
    for row, each in zip(rows, views, strict=True):
        assert row[0] == each.chunk_id
        assert row[2:7] == [signal.value for signal in each.signals] or not each.signals
        assert row[7] == each.score
        assert len(row) == 13
    reasons = page.locator("#excluded-table tbody td .meta").all_inner_texts()
    assert reasons == [each.reason for each in views if not each.is_in]


def test_rows_drawn_from_hostile_texts_hold_text_alone(open_page: OpenPage, tmp_path: Path) -> None:
    kb = hostile_kb()
    packet = pack("hostile", kb, budget=300, profile={"dedup_threshold": None}, as_of="2026-01-15")
    assert len(packet.excluded_chunks) > len(HOSTILE) / 2
    (tmp_path / "page.html").write_text(report_html(packet, kb), encoding="utf-8")
    page = open_page(tmp_path / "page.html")
    kinds = (
        "each => [...new Set([...each.querySelectorAll('*')].map((one) => one.localName))].sort()"
    )
    drawn = page.locator("#excluded-table tbody").evaluate(kinds)
    assert drawn == ["bdi", "details", "div", "span", "summary", "td", "th", "tr"]
    assert page.locator("#signals-table tbody").evaluate(kinds) == [
        *("a", "bdi", "small", "td", "th", "tr")
    ]
    shown = page.locator("#excluded-table .text").evaluate_all("all => all.map(e => e.textContent)")
    wanted = kb.get([each.chunk_id for each in packet.excluded_chunks])
    assert shown == [visible(wanted[each.chunk_id].text) for each in packet.excluded_chunks]
    ids = page.locator("#excluded-table tbody th > bdi").evaluate_all(
        "all => all.map(e => e.textContent)"
    )
    assert ids == [visible(each.chunk_id) for each in packet.excluded_chunks]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose data is deflated: 500 candidates, and texts of what is out."""
    kb = large_kb()
    place = tmp_path_factory.mktemp("large") / "large.html"
    place.write_text(report_html(large_packet(kb), kb), encoding="utf-8")
    return place


def test_a_large_page_unpacks_itself(open_page: OpenPage, large: Path) -> None:
    page = open_page(large)
    page.wait_for_selector(".wi-summary")
    n_out = page.locator("#excluded-table tbody tr").count()
    assert n_out + page.locator("article.block").count() == 500
    assert page.locator("#signals-table tbody tr").count() == 500
    assert page.locator("#excluded-table .text").count() == n_out
    page.fill("#what-if-budget", "16000")
    page.wait_for_selector(".wi-left li")
    last = page.locator("#excluded-table tbody tr").last
    words = last.locator(".text").evaluate("each => each.textContent").split()
    page.fill("#find", " ".join(words[3:9]))
    found = page.locator("#find-hits bdi").all_inner_texts()
    assert last.locator("th > bdi").evaluate("each => each.textContent") in found


def test_a_link_into_a_table_is_followed_once_its_rows_are_there(
    open_page: OpenPage, large: Path
) -> None:
    page = open_page(large)
    page.wait_for_selector("#excluded-table tbody tr")
    anchor = page.locator("#excluded-table tbody tr").nth(300).get_attribute("id")
    page.goto(f"{large.as_uri()}#{anchor}")
    page.reload()
    page.wait_for_selector(f"#{anchor}:target")
    page.wait_for_function(
        "() => { const top = document.querySelector(':target').getBoundingClientRect().top;"
        " return top >= 0 && top < innerHeight; }"
    )


def test_a_browser_that_cannot_unpack_it_is_told_so(open_page: OpenPage, large: Path) -> None:
    page = open_page(large)
    page.add_init_script("delete globalThis.DecompressionStream")
    page.reload()
    page.wait_for_selector(".wi-failure")
    for place in ("#excluded", "#signals", "#find-status", "#what-if"):
        assert "it has no DecompressionStream" in page.inner_text(place)
    assert not page.locator("#find").is_enabled()
    assert page.locator("article.block").count() > 50


def test_hostile_texts_stay_text(open_page: OpenPage, reports: Path) -> None:
    page = open_page(reports / "hostile.html")
    title = page.title()
    assert page.locator("main img, main iframe, main script, main b").count() == 0
    for text in HOSTILE:
        page.fill("#find", text[:12])
        for button in page.locator("#find-hits button").all():
            button.click()
    assert page.title() == title
    assert page.locator("main img, main iframe, main script, main b").count() == 0
    assert "<script>document.title = 'run'</script>" in page.inner_text("h1")


def test_the_policy_stops_what_is_not_the_pages_own(browser: Browser, reports: Path) -> None:
    page = browser.new_page(offline=True)
    page.goto((reports / "every.html").as_uri())
    blocked = page.evaluate(
        """() => new Promise((told) => {
            addEventListener('securitypolicyviolation', (event) => told(event.effectiveDirective));
            const image = document.createElement('img');
            image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
            document.body.append(image);
        })"""
    )
    page.close()
    assert blocked == "img-src"
