"""Links of a page, kept beside its text: a mark in the page stands for each until it is Markdown.

The mark goes behind the first letter of the words of the link, where a converter sees nothing but a
longer word; the text without the marks is the same as of a page without links. Places that
links may name are found in the same way: ids of headings, sections and terms, and named anchors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from packhorse.text.addresses import resolved
from packhorse.text.links import is_target

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mark", "Marked", "mark_links", "without_marks"]

OPEN, CLOSE = "\U00010380", "\U0001039d"
"""Letters of Ugaritic, which no page has: as letters, they change nothing in how a word is read."""
MAX_MARKS = 5_000
"""Of a page."""

_MARK = re.compile(f"{OPEN}([0-9]{{1,6}}){CLOSE}")
_LETTER = re.compile(r"[^\W\d_]")
_NAMING = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "section", "div", "article", "dt", "a"))
"""Elements whose id is the name of what they begin with."""


class Mark(NamedTuple):
    """One link or one place."""

    is_link: bool
    target: str
    """Where the link leads, as the page has it; of a place, its id."""


class Marked(NamedTuple):
    """A text without marks, and what stood in it."""

    text: str
    links: tuple[tuple[int, str], ...]
    """(offset of the first word of the link, target), in the order of the text."""
    anchors: tuple[tuple[int, str], ...]
    """(offset of the first word behind the place, its id), in the order of the text."""


def mark_links(main: Any, source_id: str) -> tuple[Mark, ...]:
    """Puts a mark into the words behind each link and each place; returns what the marks mean."""
    if OPEN in main.text(deep=True):
        return ()
    marks: list[Mark] = []
    pending: list[int] = []
    for node in list(main.traverse(include_text=True)):
        if node.tag == "-text":
            letter = _LETTER.search(node.text_content or "") if pending else None
            if letter:
                text, behind = node.text_content, letter.end()
                said = "".join(f"{OPEN}{number}{CLOSE}" for number in pending)
                node.replace_with(f"{text[:behind]}{said}{text[behind:]}")
                pending.clear()
            continue
        for mark in _marks_of(node, source_id):
            if len(marks) < MAX_MARKS:
                pending.append(len(marks))
                marks.append(mark)
    return tuple(marks)


def without_marks(text: str, marks: tuple[Mark, ...]) -> Marked:
    """The text as a reader is to see it, and where the marks stood."""
    if not marks:
        return Marked(text, (), ())
    parts: list[str] = []
    found: dict[bool, list[tuple[int, str]]] = {True: [], False: []}
    start = length = 0
    for each in _MARK.finditer(text):
        parts.append(text[start : each.start()])
        length += each.start() - start
        start = each.end()
        mark = marks[int(each[1])]
        # The mark stands behind the first letter of the word.
        found[mark.is_link].append((max(0, length - 1), mark.target))
    parts.append(text[start:])
    return Marked("".join(parts), tuple(found[True]), tuple(found[False]))


def _marks_of(node: Any, source_id: str) -> Iterator[Mark]:
    if node.tag not in _NAMING:
        return
    said = node.attributes
    names = (said.get("id"), said.get("name") if node.tag == "a" else None)
    for name in dict.fromkeys(name for name in names if name):
        if is_target(name):
            yield Mark(is_link=False, target=name)
    target = (said.get("href") or "").strip() if node.tag == "a" else ""
    target = "%20".join(target.split())
    if target in {"", "#"} or target.startswith("?") or not is_target(target):
        return
    if resolved(target, source_id) is not None:
        yield Mark(is_link=True, target=target)
