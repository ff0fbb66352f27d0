"""HTML pages: navigation and scripts off, the main part turned into Markdown.

selectolax (lexbor) parses as browsers do; html-to-markdown writes headings, lists, tables and code
blocks. Measured over 230 pages of API references, handbooks and tutorials, 120 KB each: 0.01 s a
page together, against 0.3 s for an extractor that guesses the main part and drops half of the text.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from packhorse.ingest.decode import LostTextError, NotTextError
from packhorse.ingest.document import Document, title_among
from packhorse.ingest.html_links import mark_links, without_marks
from packhorse.ingest.html_repairs import (
    collapse_inline_code,
    drop_link_lists_before_heading,
    mark_superscripts,
    unfold_layout_tables,
)
from packhorse.ingest.html_tables import level_tables
from packhorse.ingest.markdown import markdown_headings
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from packhorse.ingest.report import IngestReport

__all__ = ["html_document"]

NEVER_TEXT = (
    "script, style, noscript, template, svg, iframe, object, canvas, form, button, input, select,"
    " textarea, dialog, [hidden]"
)
BOILERPLATE = (
    "nav, footer, aside, [role=navigation], [role=search], [role=contentinfo], [role=banner],"
    " header ul, header ol, header details, .skip-to-content, .skip-link, .breadcrumb,"
    " .breadcrumbs, #breadcrumbs,"
    " a.headerlink, a.anchor, a.hash-link, a.mark, a.anchor-link, a.permalink, a.self-link,"
    " .sphinxsidebar, div.related, .mobile-nav, .toctree-wrapper.hidden,"
    " .navheader, .navfooter, table.nav, .navigation, #navigation, .toc, #toc, #table-of-contents,"
    " #mdbook-help-container, #mdbook-sidebar, #mdbook-menu-bar, .sidebar, #sidebar, .nav-wrapper,"
    " a.src, a.test-arrow, a.doc-anchor, .out-of-band, .rightside, summary.hideme,"
    " rustdoc-toolbar, .md-sidebar, .md-header, .md-footer,"
    " .mw-editsection, #mw-navigation, .printfooter, .noprint, .edit-this-page, .prev-next"
)
MAIN = (
    "main",
    "[role=main]",
    "#main-content",
    "div.body",
    "#apicontent",
    "#mw-content-text",
    "article",
    "#content",
)
"""Where pages keep what they say, in order of preference."""
MIN_MAIN_SHARE = 0.4
"""A main part with less of the page's visible text than this is not believed."""
MIN_INDEX_LINKS = 50
MIN_INDEX_SHARE = 0.8
"""So many links, with so much of the text in them, make an index page."""
MIN_REGISTER_LINKS = 1000
MAX_REGISTER_CHARS = 40
"""So many links, with so few other characters beside each, make the index of a book."""
MAX_DEPTH = 400
"""Elements inside each other: the converter loses what lies far deeper, without a word."""
TOO_DEEP = f"HTML nested deeper than {MAX_DEPTH} elements"
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)([^<>]*)", re.IGNORECASE)
UNCLOSED = frozenset(
    (
        "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup",
        "colgroup", "col", "br", "hr", "img", "input", "meta", "link", "area", "base", "embed",
        "source", "track", "wbr", "param", "rt", "rp", "html", "head", "body",
    )
)  # fmt: skip
"""Elements that HTML lets stay open, or that never have an end."""
DRAWINGS = ("svg", "math")
HEADING_MARK = re.compile(r"^(#{1,6}) (?:§[ \t]*)?(.*?)[ \t]*[¶§]?[ \t]*$", re.MULTILINE)
TRAILING_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
ESCAPED_BULLET = re.compile(r"^([ \t]*)\\(?=[*+-] )", re.MULTILINE)
BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def html_document(source_id: str, markup: str, report: IngestReport) -> Document:
    """A page as a Markdown document; its title is its one highest heading, else `<title>`.

    Raises:
        NotTextError: a page of hardly anything but links.
        LostTextError: a page that is nested too deep to be read.
    """
    suspect = _depth_at_most(markup) > MAX_DEPTH
    if suspect and _depth(markup) > MAX_DEPTH:
        raise LostTextError(TOO_DEEP)
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup)
    if suspect and _tree_depth(tree) > MAX_DEPTH:
        raise LostTextError(TOO_DEEP)
    page_title = _one_line(tree.css_first("title"))
    _drop(tree, NEVER_TEXT)
    everything = _visible_chars(tree.body)
    _drop(tree, BOILERPLATE)
    main = _main_part(tree)
    if main is None:
        return Document(source_id=source_id, text="")
    if not _visible_chars(main) and everything:
        report.notes.append((source_id, "only navigation: read whole"))
        tree = LexborHTMLParser(markup)
        _drop(tree, NEVER_TEXT)
        tree.unwrap_tags(["nav", "header", "footer", "aside"])
        main = tree.body
    if _is_index(main):
        raise NotTextError("a page of links: an index, not a text")
    drop_link_lists_before_heading(main)
    mark_superscripts(main)
    collapse_inline_code(main)
    unfold_layout_tables(main)
    level_tables(tree, main)
    marks = mark_links(main, source_id)
    _unwrap(tree, main)
    text, links, anchors = without_marks(_markdown(main, source_id, report), marks)
    headings = markdown_headings(text)
    return Document(
        source_id=source_id,
        text=text,
        title=title_among(headings) or page_title,
        headings=headings,
        markdown=True,
        links=links,
        anchors=anchors,
    )


def _depth_at_most(markup: str) -> int:
    """A quick upper bound of the nesting, in which every tag that stays open adds one."""
    return max(accumulate(piece.count("<") - 1 for piece in markup.split("</")))


def _depth(markup: str) -> int:
    """A bound of the nesting, before parsing, that knows which tags may stay open.

    Inside a drawing a tag ends itself with a slash; anywhere else HTML takes no notice of it.
    """
    deepest = depth = 0
    open_tags: dict[str, int] = {}
    for closing, name, rest in TAG.findall(markup):
        tag = name.lower()
        if tag in UNCLOSED or (rest.endswith("/") and any(map(open_tags.get, DRAWINGS))):
            continue
        if not closing:
            open_tags[tag] = open_tags.get(tag, 0) + 1
            depth += 1
            deepest = max(deepest, depth)
        elif open_tags.get(tag):
            open_tags[tag] -= 1
            depth -= 1
    return deepest


def _tree_depth(tree: Any) -> int:
    deepest = 0
    pending = [(tree.root, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        child = node.child
        while child is not None:
            pending.append((child, depth + 1))
            child = child.next
    return deepest


def _drop(tree: Any, selectors: str) -> None:
    for node in tree.css(selectors):
        # A node inside one that is gone already has no page to leave.
        if node.parent is not None:
            node.decompose()


def _main_part(tree: Any) -> Any:
    body = tree.body
    enough = MIN_MAIN_SHARE * _visible_chars(body)
    for selector in MAIN:
        found = tree.css(selector)
        if len(found) == 1 and _visible_chars(found[0]) >= enough:
            return found[0]
    return body


def _visible_chars(node: Any) -> int:
    return sum(map(len, node.text(deep=True).split())) if node is not None else 0


def _one_line(node: Any) -> str:
    return well_formed(" ".join(node.text(deep=True).split())) if node is not None else ""


def _is_index(node: Any) -> bool:
    links = node.css("a")
    if len(links) < MIN_INDEX_LINKS:
        return False
    linked, everything = sum(map(_visible_chars, links)), _visible_chars(node)
    if len(links) >= MIN_REGISTER_LINKS and everything - linked < MAX_REGISTER_CHARS * len(links):
        return True
    return linked >= MIN_INDEX_SHARE * everything


def _unwrap(tree: Any, main: Any) -> None:
    """Takes off elements whose marks would not help a reader, and keeps what they hold."""
    tree.unwrap_tags(["a", "img", "picture", "figure", "details", "summary"])
    for second in main.css("pre > code + code"):
        second.insert_before("\n\n")
    for quote in main.css("blockquote"):
        # Generators indent lists and tables with it; a mark before each line would be left of it.
        if quote.css_first("table, ul, ol, dl, pre") is not None:
            quote.unwrap()


def _markdown(node: Any, source_id: str, report: IngestReport) -> str:
    import html_to_markdown

    try:
        text = html_to_markdown.convert(node.html, _options()).content or ""
    except html_to_markdown.ConversionError as exc:
        report.notes.append((source_id, f"read as plain text, not as Markdown: {exc}"))
        text = node.text(deep=True, separator="\n")
    text = HEADING_MARK.sub(r"\1 \2", well_formed(text))
    text = ESCAPED_BULLET.sub(r"\1", TRAILING_BLANKS.sub("", text))
    return BLANK_LINES.sub("\n\n", text).strip("\n") + "\n"


@cache
def _options() -> Any:
    import html_to_markdown as library

    return library.ConversionOptions(
        extract_metadata=False,
        skip_images=True,
        autolinks=False,
        compact_tables=True,
        bullets="-",
        heading_style=library.HeadingStyle.ATX,
        # What is no text has been taken off already; the rest is not to be guessed at.
        preprocessing=library.PreprocessingOptions(enabled=False),
        code_block_style=library.CodeBlockStyle.BACKTICKS,
    )
