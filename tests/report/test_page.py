"""The page as a whole: valid, closed to the world, complete, and safe for any text."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhorse.packet.packet import Packet
from packhorse.report.html import MOST_BYTES, TOO_LARGE, report_html
from tests.explain.test_why import packet_of_every_kind
from tests.packet.assemblies import assembly
from tests.report.pages import (
    all_data_of,
    data_of,
    is_deflated,
    parsed,
    said,
    strict_errors,
    tags_of,
)
from tests.report.samples import (
    HOSTILE,
    hostile_packet,
    large_kb,
    large_packet,
    tax_kb,
    tax_packet,
)
from tests.strategies import raw_texts

FEW = 25
"""A page takes some 20 ms to make and more to read."""


@pytest.fixture(scope="module")
def page() -> str:
    return report_html(packet_of_every_kind())


def test_the_page_has_no_fault_that_the_standard_names(page: str) -> None:
    assert strict_errors(page) == []
    assert strict_errors(report_html(hostile_packet(*HOSTILE))) == []


def test_the_same_packet_gives_the_same_page(page: str) -> None:
    assert report_html(packet_of_every_kind()) == page
    assert packet_of_every_kind().to_html() == page


def test_the_policy_names_each_script_and_style_and_nothing_else(page: str) -> None:
    tree = parsed(page)
    meta = tree.css_first('meta[http-equiv="Content-Security-Policy"]')
    assert meta is not None
    parts = (meta.attributes["content"] or "").split("; ")
    policy = {part.partition(" ")[0]: part.partition(" ")[2] for part in parts}
    assert policy["default-src"] == "'none'"
    for directive, selector in (("script-src", "script:not([type])"), ("style-src", "style")):
        codes = [node.text() for node in tree.css(selector)]
        assert codes
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
            for code in codes
        ]
        assert policy[directive].split() == hashes


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    assert re.findall(r"https?:|//[a-z]|@import|\bimport\b|\bfetch\b|XMLHttp", page) == []
    assert not set(tags_of(page)) & {"img", "link", "iframe", "object", "embed", "base", "form"}
    assert {a.attributes["href"][:1] for a in parsed(page).css("a")} == {"#"}  # type: ignore[index]


def test_every_link_leads_somewhere_and_every_id_is_there_once(page: str) -> None:
    ids = [node.attributes["id"] for node in parsed(page).css("[id]")]
    assert len(ids) == len(set(ids))
    drawn = {row[0] for row in data_of(page)["rows"] if not row[9]}
    assert not drawn & set(ids)
    targets = {(a.attributes["href"] or "")[1:] for a in parsed(page).css("a")}
    assert targets <= {*ids, *drawn}


def test_every_candidate_is_on_the_page(page: str) -> None:
    packet = packet_of_every_kind()
    wanted = {each.chunk_id for each in (*packet.packed_chunks, *packet.excluded_chunks)}
    rows = data_of(page)["rows"]
    assert {row[1] for row in rows} == wanted
    assert len(parsed(page).css("article.block")) == len(packet.packed_chunks)
    assert sum(not row[9] for row in rows) == len(packet.excluded_chunks)


def test_an_empty_packet_has_a_page() -> None:
    empty = report_html(Packet.of(assembly([])))
    assert strict_errors(empty) == []
    assert "Nothing was packed." in empty
    assert data_of(empty)["rows"] == []


def test_hostile_texts_add_no_element() -> None:
    harmless = [f"word{n}" for n in range(len(HOSTILE))]
    hostile, calm = hostile_packet(*HOSTILE), hostile_packet(*harmless)
    names = set(tags_of(report_html(calm)))
    assert set(tags_of(report_html(hostile))) <= names | {"details", "summary"}


@settings(max_examples=FEW)
@given(st.lists(raw_texts() | st.sampled_from(HOSTILE), min_size=2, max_size=4, unique=True))
def test_any_text_is_text(texts: list[str]) -> None:
    packet = hostile_packet(*[f"{text}#{n}" for n, text in enumerate(texts)])
    page = report_html(packet)
    page.encode("utf-8")
    tree = parsed(page)
    assert len(tree.css("script")) == len(tree.css("head ~ body script"))
    assert len(tree.css("article.block")) == len(packet.packed_chunks)
    assert len(data_of(page)["rows"]) == len(texts)
    for node in tree.css("*"):
        assert not [name for name in node.attributes if name.startswith("on")]
    assert strict_errors(page) == []


def test_a_megabyte_of_one_line_is_a_page() -> None:
    page = report_html(hostile_packet("x" * 1_000_000, "<" * 1_000, query="y" * 1_000_000))
    assert strict_errors(page) == []


def readable(data: Any) -> Iterator[str]:
    """A line for each filter, candidate and text, with every sentence in full."""
    for name, choices in data["filters"].items():
        told = [[said(data, value), said(data, label), n] for value, label, n in choices]
        yield json.dumps([name, *told], ensure_ascii=False)
    for row in data["rows"]:
        whole = [
            *row[:2],
            *(said(data, place) for place in row[2:7]),
            [[said(data, place) for place in step] for step in row[7]],
            [said(data, place) for place in row[8]],
            row[9],
            *(said(data, place) for place in row[10:13]),
            *row[13:],
        ]
        yield json.dumps(whole, ensure_ascii=False)
    for anchor, text in data["texts"].items():
        yield json.dumps([anchor, *text], ensure_ascii=False)


def test_the_report_of_the_sample(fixtures_dir: Path, rewrite_golden: bool) -> None:
    kb = tax_kb(fixtures_dir)
    page = report_html(tax_packet(kb), kb)
    place = Path(__file__).parent.parent / "golden" / "tax_report.html"
    shown = re.sub(r"(?s)<(style|script)([^>]*)>.*?</\1>", r"<\1\2>...</\1>", page)
    shown += "".join(f"{line}\n" for line in readable(data_of(page)))
    # Hashes say nothing to a reader of the difference.
    shown = re.sub(
        r"sha256-[A-Za-z0-9+/=]+|\b[0-9a-f]{64}\b|ctx-[0-9]{8}-[0-9a-f]{12}", "...", shown
    )
    if rewrite_golden:
        place.write_bytes(shown.encode("utf-8"))
    assert shown == place.read_bytes().decode("utf-8")


def test_a_page_that_would_be_too_large_is_deflated_before_it_leaves_anything_out(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = tax_kb(fixtures_dir)
    packet = tax_packet(kb)
    full = report_html(packet, kb)
    monkeypatch.setattr("packhorse.report.html.MOST_BYTES", len(full.encode()) - 1)
    smaller = report_html(packet, kb)
    assert len(smaller) < len(full)
    assert is_deflated(smaller) > is_deflated(full)
    assert all_data_of(smaller) == all_data_of(full)
    assert strict_errors(smaller) == []


def test_a_page_that_is_still_too_large_leaves_out_what_can_be_had_elsewhere(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = tax_kb(fixtures_dir)
    monkeypatch.setattr("packhorse.report.html.MOST_BYTES", 1)
    smallest = report_html(tax_packet(kb), kb)
    assert all_data_of(smallest)["whatIf"]["unavailable"] == TOO_LARGE
    assert any(
        "characters." in note for _, *notes in data_of(smallest)["texts"].values() for note in notes
    )
    assert strict_errors(smallest) == []


def test_five_hundred_candidates_and_all_that_is_known_of_them_take_less_than_a_megabyte() -> None:
    kb = large_kb()
    packet = large_packet(kb)
    page = report_html(packet, kb)
    assert len(page.encode("utf-8")) < MOST_BYTES == 1_000_000
    data = all_data_of(page)
    assert len(data["candidates"]["rows"]) == 500
    assert len(data["candidates"]["texts"]) == len(packet.excluded_chunks) > 300
    assert sum(len(text) for text, *_ in data["candidates"]["texts"].values()) > 200_000
    assert data["whatIf"]["unavailable"] == ""
    assert len(data["whatIf"]["rows"]["id"]) > 480
