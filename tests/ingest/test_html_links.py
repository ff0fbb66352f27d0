"""Links of a page stand beside its text, which is the same as that of a page without them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import KnowledgeBasePolicy
from packhorse.ingest import html
from packhorse.ingest.decode import NotTextError
from packhorse.ingest.document import Document
from packhorse.ingest.html import html_document
from packhorse.ingest.html_links import CLOSE, OPEN
from packhorse.ingest.report import IngestReport
from packhorse.ingest.splitter import split_document
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.text.links import ANCHORS, LINKS
from packhorse.tokens.registry import counter_named
from packhorse.types.chunk import Chunk
from tests.strategies import PIECES

SETUP = """<title>Setup</title><main><h1>Setup</h1><p>Put it in place.</p>
<section id="ports"><h2>Which port?</h2><p>Any that is free here will do.</p></section>
<dl><dt id="opt-v">Verbose</dt><dd>Says more of what it does while it does it.</dd></dl></main>"""
START = """<title>Start</title><main><h1>Start</h1>
<p>First see <a href="../guide/setup.html">how to <b>set up</b></a>, then the
<a href="/guide/setup.html#ports">ports</a> and
<a href="../guide/setup.html#opt-v">3 options</a>.</p>
<p><a href="mailto:a@b.c">Mail</a>, <a href="javascript:x()">run</a>, <a href="#">up</a>,
<a href="a<b.html">odd</a>, <a href="my page.html#x">my page</a>,
<a href="?p=2">next</a>.</p></main>"""


def load(markup: str, source_id: str = "notes/start.html") -> Document:
    return html_document(source_id, markup, IngestReport())


def chunks_of(document: Document) -> list[Chunk]:
    return list(split_document(document, chunk_tokens=16, counter=counter_named("o200k_base")))


def unmarked(markup: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "mark_links", lambda *_: ())
        return load(markup).text


def test_links_are_kept_by_where_they_stand_and_the_text_is_as_without() -> None:
    document = load(START)
    assert document.text == unmarked(START)
    assert [(document.text[at : at + 3], target) for at, target in document.links] == [
        ("how", "../guide/setup.html"),
        ("por", "/guide/setup.html#ports"),
        ("opt", "../guide/setup.html#opt-v"),
        ("my ", "my%20page.html#x"),
    ]


def test_places_are_kept_by_what_they_begin_with() -> None:
    document = load(SETUP, "guide/setup.html")
    assert [(document.text[at : at + 5], name) for at, name in document.anchors] == [
        ("Which", "ports"),
        ("Verbo", "opt-v"),
    ]


def test_a_link_leads_to_the_chunk_of_the_other_page_that_it_names() -> None:
    start, setup = chunks_of(load(START)), chunks_of(load(SETUP, "guide/setup.html"))
    noise = [Chunk(chunk_id=f"n{n}", source_id=f"n{n}", text=f"word{n}") for n in range(30)]
    kb = MemoryKnowledgeBase([*start, *setup, *noise], policy=KnowledgeBasePolicy(name="kb"))
    found = {each.name: each.chunk_id for said in kb.mentions(start, "what") for each in said}
    text_of = {chunk.chunk_id: chunk.text for chunk in setup}
    assert text_of[found["../guide/setup.html"]].startswith("# Setup")
    assert "Which port?" in text_of[found["/guide/setup.html#ports"]]
    assert "Verbose" in text_of[found["../guide/setup.html#opt-v"]]


def test_a_chunk_holds_the_links_of_its_own_text() -> None:
    chunks = chunks_of(load(START))
    placed = [
        (chunk.text[at:], target)
        for chunk in chunks
        for at, target in chunk.metadata.get(LINKS, ())  # type: ignore[attr-defined]  # a list
    ]
    assert len(placed) == 4
    assert all(text[0].isalpha() for text, _ in placed)
    assert ANCHORS not in chunks[0].metadata
    assert chunks_of(load("<p>No link at all.</p>"))[0].metadata == {}


def test_links_stand_where_they_are_under_a_repeated_header() -> None:
    rows = "".join(f"<tr><td><a href='{n}.html'>s{n}</a></td><td>1</td></tr>" for n in range(20))
    table = f"<table><tr><th>Service</th><th>Port</th></tr>{rows}</table>"
    chunks = list(split_document(load(table), chunk_tokens=60, counter=counter_named("o200k_base")))
    assert len(chunks) > 2
    placed = [
        (chunk.text[at:].partition(" ")[0], target)
        for chunk in chunks
        for at, target in chunk.metadata[LINKS]  # type: ignore[attr-defined]  # a list
    ]
    assert placed == [(f"s{n}", f"{n}.html") for n in range(20)]


def test_a_page_with_letters_of_the_marks_keeps_them_and_has_no_links() -> None:
    document = load(f"<p>{OPEN}0{CLOSE} and <a href='x.html'>x of it</a></p>")
    assert (document.text, document.links) == (f"{OPEN}0{CLOSE} and x of it\n", ())


TAGS = (
    "<a href='x.html'>", "<a href='#y'>", "<a id='z'>", "</a>", "<h2 id='w'>", "</h2>", "<p>",
    "<li>", "<ul>", "</ul>", "<b>", "</b>", "<code>", "</code>", "<pre>", "</pre>", "<td>",
    "<table>", "</table>", "1. one", "- two", "* three", "_", "**", "`", "a_b", "word", "[x](y)",
    "# no", "<sup>2</sup>", "<dt id='v'>", "<blockquote>", "§ 4", "\n",
)  # fmt: skip


@given(st.lists(st.sampled_from((*TAGS, *PIECES)), max_size=30).map("".join))
def test_no_link_changes_a_letter_of_the_text(markup: str) -> None:
    try:
        document = load(markup)
    except NotTextError:
        return
    assert document.text == unmarked(markup)
    for at, _ in (*document.links, *document.anchors):
        assert 0 <= at < len(document.text)
