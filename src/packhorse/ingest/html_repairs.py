"""Repairs to a parsed page before it becomes Markdown, where Markdown would lose a meaning."""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "collapse_inline_code",
    "drop_link_lists_before_heading",
    "mark_superscripts",
    "unfold_layout_tables",
]

EXPONENT = re.compile(r"[-+\u2212]?(?:\d+|[a-z])(?:[-+*/\u2212](?:\d+|[a-z]))*", re.IGNORECASE)
BASE = re.compile(r"(?:[\d)\]}]|(?<![^\W\d_])[^\W\d_])\Z")
"""What a letter can be the exponent of: a number, one letter, a closed bracket."""
NUMBER = re.compile(r"[-+\u2212]?\d+")
MIN_NAVIGATION_LINKS = 3
MIN_NAVIGATION_SHARE = 0.5
BLOCKS = "h1, h2, h3, h4, h5, h6, div, ul, ol, dl, table, center, section"
HEADINGS = "h1, h2, h3, h4, h5, h6"


def mark_superscripts(tree: Any) -> None:
    """Writes 2<sup>32</sup> as 2^32 and a linked note number as [1]; Markdown has no raised text.

    Without a mark the two numbers would run together into another one. Ordinals (11<sup>th</sup>)
    and signs stay as they are.
    """
    for node in tree.css("sup"):
        if node.parent is None:
            continue  # it stood in one that has been replaced
        raised = "".join(node.text(deep=True).split())
        before = _text_before(node)
        if NUMBER.fullmatch(raised) and node.css_first("a") is not None:
            node.replace_with(f"[{raised}]")
        elif _is_exponent(raised, before):
            simple = NUMBER.fullmatch(raised) or len(raised) == 1
            node.replace_with(f"^{raised}" if simple else f"^({raised})")


def _is_exponent(raised: str, before: str) -> bool:
    if not before or before[-1].isspace() or not EXPONENT.fullmatch(raised):
        return False
    if NUMBER.fullmatch(raised):
        return before[-1].isalnum() or before[-1] in ")]}"
    return BASE.search(before) is not None


def _text_before(node: Any) -> str:
    """The text that stands right before, inside the same block; empty at its start."""
    at = node
    while at is not None and at.tag in {"sup", "small", "i", "em", "b", "strong", "span", "var"}:
        if at.prev is not None:
            return str(at.prev.text(deep=True))
        at = at.parent
    return ""


def collapse_inline_code(tree: Any) -> None:
    """Makes one space of each run of white space in code inside a line, as browsers show it."""
    for node in tree.css("code, tt, kbd, samp"):
        if _inside(node, "pre"):
            continue
        for part in list(node.traverse(include_text=True)):
            text = part.text_content if part.tag == "-text" else None
            if text and (collapsed := re.sub(r"[ \t\n]+", " ", text)) != text:
                part.replace_with(collapsed)


def _inside(node: Any, tag: str) -> bool:
    at = node.parent
    while at is not None:
        if at.tag == tag:
            return True
        at = at.parent
    return False


def drop_link_lists_before_heading(main: Any) -> None:
    """Takes off the blocks before a page's first heading that are mostly links: its menus."""
    if main.css_first(HEADINGS) is None:
        return
    while (menu := _first_menu(main)) is not None:
        menu.decompose()


def _first_menu(main: Any) -> Any:
    for node in main.css(BLOCKS):
        if len(node.tag) == 2 and node.tag[0] == "h":  # noqa: PLR2004 - h1 to h6
            return None
        if node == main or node.css_first(HEADINGS) is not None:
            continue
        links = node.css("a[href]")
        if len(links) < MIN_NAVIGATION_LINKS:
            continue
        linked = sum(len("".join(link.text(deep=True).split())) for link in links)
        if linked >= MIN_NAVIGATION_SHARE * len("".join(node.text(deep=True).split())):
            return node
    return None


def unfold_layout_tables(main: Any) -> None:
    """Turns tables of one row into blocks: notes and columns of a layout, which hold no data.

    In a Markdown table that row would stand as a header over nothing.
    """
    from selectolax.lexbor import LexborHTMLParser

    # Innermost first, so that an outer table is read with its inner ones unfolded.
    for table in reversed(main.css("table")):
        if table.parent is None or len(table.css("tr")) != 1 or table.css_first("th"):
            continue
        cells = [cell.inner_html or "" for cell in table.css("td")]
        blocks = "".join(f"<div>{cell}</div>" for cell in cells if cell.strip())
        body = LexborHTMLParser(f"<div>{blocks}</div>").body
        if body is not None and body.child is not None:
            table.replace_with(body.child)
