"""HTML: what a reader would read, as text that keeps its structure."""

import html_to_markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ingest.decode import NotTextError
from packhorse.ingest.document import Document
from packhorse.ingest.html import MAX_DEPTH, html_document
from packhorse.ingest.report import IngestReport
from tests.strategies import PIECES

PAGE = """<!DOCTYPE html>
<html><head><title>Refunds &mdash; Shop 2.1 documentation</title>
<style>p { color: red }</style><script>track("everything")</script></head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/next">Next topic</a></li></ul></nav>
<div class="sphinxsidebar">Quick search</div>
<main>
<h1>Refunds<a class="headerlink" href="#refunds">¶</a></h1>
<p>Within <em>30&nbsp;days</em> &amp; unopened. See <a href="x.html">the list</a>.</p>
<h2>Limits</h2>
<ul><li>One</li><li>Two<ol><li>Nested</li></ol></li></ul>
<table><tr><th>Item</th><th>Days</th></tr><tr><td>Book</td><td>30</td></tr></table>
<pre><code class="language-python">def f(x):
    if x &lt; 1:
        return "a"
</code></pre>
<dl><dt>term</dt><dd>What it means.</dd></dl>
<p>First line<br>second line</p>
</main>
<footer>Copyright and cookies</footer>
</body></html>"""


def load(markup: str) -> tuple[Document, IngestReport]:
    report = IngestReport()
    return html_document("a.html", markup, report), report


def test_a_page_keeps_headings_lists_tables_and_code() -> None:
    document, report = load(PAGE)
    assert document.title == "Refunds"
    assert [(h.level, h.title) for h in document.headings] == [(1, "Refunds"), (2, "Limits")]
    assert "Within *30 days* & unopened. See the list." in document.text
    assert "- One\n- Two" in document.text
    assert "1. Nested" in document.text
    assert "| Item | Days |\n| --- | --- |\n| Book | 30 |" in document.text
    assert '```python\ndef f(x):\n    if x < 1:\n        return "a"\n```' in document.text
    assert "term" in document.text
    assert "What it means." in document.text
    assert "First line\nsecond line" in document.text
    assert report.notes == []


@pytest.mark.parametrize(
    "gone", ["track", "color", "Home", "Next topic", "Quick search", "Copyright", "¶", "x.html"]
)
def test_a_page_loses_what_is_no_text(gone: str) -> None:
    assert gone not in load(PAGE)[0].text


def test_the_page_title_serves_where_no_heading_is_above_the_others() -> None:
    markup = "<title> My\n page </title><h1>A</h1><p>x</p><h1>B</h1><p>y</p>"
    assert load(markup)[0].title == "My page"


def test_a_main_part_that_holds_little_is_not_believed() -> None:
    markup = "<main><p>Loading</p></main><div><p>" + "The whole text. " * 20 + "</p></div>"
    text = load(markup)[0].text
    assert "The whole text." in text
    assert "Loading" in text


def test_a_page_of_navigation_alone_is_read_whole_and_noted() -> None:
    document, report = load("<nav><p>Everything is in here.</p></nav>")
    assert document.text == "Everything is in here.\n"
    assert report.notes == [("a.html", "only navigation: read whole")]


def test_an_index_page_is_refused() -> None:
    links = "".join(f"<li><a href='{n}'>Entry number {n}</a></li>" for n in range(80))
    with pytest.raises(NotTextError, match="an index, not a text"):
        load(f"<h1>Index</h1><ul>{links}</ul>")
    assert "Entry number 7" in load(f"<ul>{links}</ul><p>{'Real text. ' * 200}</p>")[0].text


def test_two_code_elements_in_one_block_stay_apart() -> None:
    text = load("<pre><code>import a</code><code>require b</code></pre>")[0].text
    assert "import a\n\nrequire b" in text


def test_markup_that_is_not_closed_is_read() -> None:
    text = load("<p>one<p>two<table><tr><td>cell<li>item<b>bold")[0].text
    assert all(word in text for word in ("one", "two", "cell", "item", "bold"))


def test_a_page_that_is_empty_has_no_text() -> None:
    assert load("")[0].text.strip() == ""
    assert load("<title>x</title>")[0].text.strip() == ""


def test_a_page_that_the_converter_refuses_is_read_as_plain_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise html_to_markdown.ConversionError("refused")

    monkeypatch.setattr(html_to_markdown, "convert", refuse)
    document, report = load("<h1>Head</h1><p>Body</p>")
    assert document.text.split() == ["Head", "Body"]
    assert report.notes == [("a.html", "read as plain text, not as Markdown: refused")]


def test_nesting_without_end_is_refused_before_it_costs_anything() -> None:
    deep = 200_000  # the parser alone would take minutes
    with pytest.raises(NotTextError, match=f"nested deeper than {MAX_DEPTH}"):
        load("<div>" * deep + "x" + "</div>" * deep)


def test_many_open_paragraphs_are_no_deep_nesting() -> None:
    text = load("<p>word<br>" * 2_000)[0].text
    assert text.count("word") == 2_000


def test_text_within_the_depth_limit_is_not_lost() -> None:
    deep = MAX_DEPTH - 10
    assert "bottom" in load("<div>" * deep + "<p>bottom</p>" + "</div>" * deep)[0].text


TAGS = st.sampled_from(
    ("<p>", "</p>", "<div>", "</div>", "<pre>", "</pre>", "<ul><li>", "</ul>", "<table><tr><td>",
     "</table>", "<h2>", "</h2>", "<b>", "</b>", "<br>", "<!--", "-->", "<blockquote>",
     "<a href=x>", "</a>", "<main>", "</main>", "<details><summary>", "</summary>", "<script>",
     "</script>", "<pre><code>a</code><code>b</code></pre>")
)  # fmt: skip


@given(st.lists(TAGS | st.sampled_from(PIECES) | st.text(max_size=8), max_size=20).map("".join))
def test_any_markup_gives_text_or_a_plain_refusal(markup: str) -> None:
    try:
        document, _ = load(markup)
    except NotTextError:
        return
    assert "\r" not in document.text
    document.text.encode("utf-8")


@given(st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), min_size=1, max_size=30))
def test_every_word_of_the_main_part_survives_in_order(words: list[str]) -> None:
    wrappers = (
        "<p>{}</p>",
        "<ul><li>{}</li></ul>",
        "<h2>{}</h2>",
        "<pre>{}</pre>",
        "<div>{}</div>",
    )
    markup = "".join(
        wrappers[number % len(wrappers)].format(word) for number, word in enumerate(words)
    )
    text = load(f"<body>{markup}</body>")[0].text
    found = [word for word in text.replace("#", " ").replace("`", " ").split() if word.isalpha()]
    assert found == words


def test_a_drawing_whose_tags_end_themselves_is_no_deep_nesting() -> None:
    drawing = "<svg>" + '<path d="M1,2"/><circle r="5" />' * MAX_DEPTH + "</svg>"
    assert (
        "Syntax of the clause" in load(f"<h1>x</h1>{drawing}<p>Syntax of the clause.</p>")[0].text
    )


def test_tags_that_only_look_closed_count_as_nesting() -> None:
    with pytest.raises(NotTextError, match="nested deeper"):
        load("<svg></svg>" + "<div/>" * (MAX_DEPTH + 9) + "deep")
    with pytest.raises(NotTextError, match="nested deeper"):
        load("<svg><p>" + "<path/>" * (MAX_DEPTH + 9) + "deep")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a page file of 2<sup>32</sup> pages", "a page file of 2^32 pages"),
        ("2<sup><small>48</small></sup>", "2^48"),
        ("<i>x</i><sup>5</sup> + 10<sup>-9</sup> s", "*x*^5 + 10^-9 s"),
        ("O(2<small><sup>K</sup></small>)", "O(2^K)"),
        ("2<sup>n-1</sup>", "2^(n-1)"),
        ("3 cm<sup>2</sup>", "3 cm^2"),
        ("2<sup>3<sup>2</sup></sup>", "2^32"),
        ("since 1998<sup><a href='#n3'>3</a></sup>", "since 1998[3]"),
        ("the note<sup>[a]</sup>", "the note[a]"),
        ("the 11<sup>th</sup> hour", "the 11th hour"),
        ("Name<sup>TM</sup>", "NameTM"),
        ("<sup>1</sup> first", "1 first"),
    ],
)
def test_raised_numbers_do_not_run_into_the_number_before(markup: str, text: str) -> None:
    assert load(f"<p>{markup}</p>")[0].text.strip() == text


def test_white_space_in_code_inside_a_line_is_one_space_and_in_blocks_stays() -> None:
    markup = "<p>Use <code>READ\n      COMMITTED</code>.</p><pre><code>a   b\n  c</code></pre>"
    text = load(markup)[0].text
    assert "`READ COMMITTED`" in text
    assert "a   b\n  c" in text


def test_menus_before_the_first_heading_are_taken_off_whatever_they_are_called() -> None:
    menu = "".join(f"<li><a href='{name}.html'>{name}</a>" for name in ("Home", "About", "Search"))
    markup = f"<div><div>Fast.</div><div><ul>{menu}</ul></div></div><h1>Limits</h1><p>Text.</p>"
    assert load(markup)[0].text == "# Limits\n\nText.\n"


def test_links_under_a_heading_and_on_pages_without_one_stay() -> None:
    links = "".join(f"<li><a href='{name}.html'>{name}</a>" for name in ("One", "Two", "Three"))
    assert "Two" in load(f"<h1>See also</h1><ul>{links}</ul>")[0].text
    assert "Two" in load(f"<ul>{links}</ul><p>Text.</p>")[0].text


def test_a_table_of_one_row_becomes_blocks() -> None:
    cells = "<td><div>Note</div></td><td>It is <b>slow</b>.<p>Really.</p></td>"
    text = load(f"<p>Before.</p><table><tr>{cells}</tr></table><p>After.</p>")[0].text
    assert text == "Before.\n\nNote\n\nIt is **slow**.\n\nReally.\n\nAfter.\n"


def test_layout_tables_inside_each_other_lose_nothing() -> None:
    inner = "<table><tr><td>in</td><td>ner</td></tr></table>"
    text = load(f"<table><tr><td>one {inner}</td><td>two</td></tr></table>")[0].text
    assert text.split() == ["one", "in", "ner", "two"]


def test_a_register_of_a_book_is_refused_and_a_long_page_with_links_is_not() -> None:
    entries = "".join(f"<li>term {n}, <a href='#{n}'>Section {n}</a></li>" for n in range(1000))
    with pytest.raises(NotTextError, match="index"):
        load(f"<h1>Index</h1><ul>{entries}</ul>")
    prose = "".join(
        f"<p><a href='#{n}'>Setting {n}</a> has a paragraph of its own that says what it does.</p>"
        for n in range(1000)
    )
    assert "Setting 999" in load(f"<h1>Settings</h1>{prose}")[0].text
