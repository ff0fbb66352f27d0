"""Reads rendered evidence back, one reader for each format, written apart from the renderers.

A reader looks for blocks as leniently as a model might: any case, any spaces, letters in full
width, invisible characters. If it finds anything but the blocks that were rendered, a chunk has
broken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["READERS", "Block", "read_markdown", "read_plain", "read_xml"]

LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
UNSEEN = "\u200b\u200c\u200d\u202e\u2060\ufeff\u00ad"
FULL_WIDTH = {0xFE64: "<"} | {
    full: chr(full - 0xFEE0) for full in range(0xFF01, 0xFF5F) if chr(full - 0xFEE0) not in "*+->.)"
}


@dataclass(frozen=True)
class Block:
    """One block as a reader sees it."""

    number: int
    source: str
    title: str
    date: str
    text: str
    """Neutralisation undone, without the line end that closes it."""


def folded(text: str) -> str:
    """What the text looks like: full width as ASCII, the unseen as nothing. Same length: spaces."""
    unseen = [*map(ord, UNSEEN), *range(9), *range(0x0E, 0x1C), 0x1F]
    return text.translate(FULL_WIDTH | dict.fromkeys(unseen, " "))


# ------------------------------------------------------------------------------------------- xml

ATTRIBUTE = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
XML_OPENER = re.compile(
    r'<evidence n="(\d+)" source="([^"<>]*)"(?: title="([^"<>]*)")?(?: date="([\d-]{10})")?>\n'
)
LENIENT_TAG = re.compile(r"<[\s/\\\x00-\x20]*e *v *i *d *e *n *c *e", re.IGNORECASE)
ENTITY = re.compile(
    r"&(amp;)*(lt|#xFF1C|#xFE64);(?=[\s/\\\x00-\x20]*e *v *i *d *e *n *c *e)", re.IGNORECASE
)
RESTORED = {"&lt;": "<", "&#xFF1C;": "\uff1c", "&#xFE64;": "\ufe64"}


def read_xml(section: str, preamble: str) -> list[Block]:
    """Blocks between `<evidence ...>` and `</evidence>`, and the proof that there are no others."""
    assert section.startswith(preamble)
    rest = section[len(preamble) :]
    blocks = []
    while opener := XML_OPENER.match(rest):
        end = rest.index("</evidence>\n", opener.end())
        text = rest[opener.end() : end]
        assert text.endswith("\n")
        number, source, title, date = opener.groups(default="")
        blocks.append(
            Block(int(number), _unescaped(source), _unescaped(title), date, _xml_text(text))
        )
        rest = rest[end + len("</evidence>\n") :]
    found = LENIENT_TAG.findall(folded(section[len(preamble) :]))
    assert len(found) == 2 * len(blocks), "something else looks like our tag"
    return blocks


def _unescaped(label: str) -> str:
    return re.sub("&[^;]*;", lambda match: {**ATTRIBUTE, **RESTORED}[match[0]], label)


def _xml_text(text: str) -> str:
    shown = folded(text)
    pieces, at = [], 0
    for match in ENTITY.finditer(shown):
        raw = text[match.start() : match.end()]
        pieces.append(text[at : match.start()])
        pieces.append(RESTORED.get(raw, f"&{raw.removeprefix('&amp;')}"))
        at = match.end()
    return "".join([*pieces, text[at:]]).removesuffix("\n")


# -------------------------------------------------------------------------------------- markdown

MARKDOWN_HEADER = re.compile(r"### \[(\d+)\] (.*)\n")
LENIENT_HEADER = re.compile(r"[\s>*+\-]*(?:\d+[.)][\s>*+\-]*)*#[#\s]*\[[\d\s]*\]")


def read_markdown(section: str, preamble: str) -> list[Block]:
    """Blocks under `### [n]`; every line that looks like such a heading has to be one."""
    assert section.startswith(preamble)
    rest = section[len(preamble) :]
    heads = [match.start() for match in re.finditer(r"^### \[\d+\] ", rest, re.MULTILINE)]
    lenient = [line for line in _lines(folded(rest)) if LENIENT_HEADER.match(line)]
    assert len(lenient) == len(heads), "something else looks like our heading"
    blocks = []
    for start, end in pairwise([*heads, len(rest)]):
        header = MARKDOWN_HEADER.match(rest, start)
        assert header is not None
        label, date = header[2], ""
        if dated := re.search(r" \((\d{4}-\d\d-\d\d)\)$", label):
            label, date = label[: dated.start()], dated[1]
        label = re.sub(r"\\(\\*\(\d{4}-\d\d-\d\d\)$)", r"\1", label)
        source, _, title = label.partition(" - ")
        source = re.sub(r"(?<= )\\(\\*-(?= ))", r"\1", source)
        text = rest[header.end() : end]
        if _UNDERLINE.search(folded(text)):
            text = _less_one_backslash(text, _UNDERLINED_ESCAPED)
        text = _less_one_backslash(text, _MARKDOWN_ESCAPED)
        blocks.append(
            Block(int(header[1]), _plain_label(source), _plain_label(title), date, _one_less(text))
        )
    return blocks


SPACE = f"[^\\S{LINE_BREAKS}]"
_MARKDOWN_ESCAPED = re.compile(
    rf"(?:^|(?<=[{LINE_BREAKS}]))(?:{SPACE}|[>*+\-]|\d+[.)])*\\+#[#\s]*\[[\d\s]*(?:note\s*)?\]",
    re.IGNORECASE,
)
_UNDERLINED_ESCAPED = re.compile(
    rf"(?:^|(?<=[{LINE_BREAKS}]))(?:{SPACE}|[>*+\-]|\d+[.)])*\\+\[[\d\s]*(?:note\s*)?\]",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(
    rf"(?:^|(?<=[{LINE_BREAKS}]))(?:{SPACE}|[>*+])*(?:=+|-+){SPACE}*(?:$|[{LINE_BREAKS}])"
)


def _plain_label(label: str) -> str:
    return re.sub("&(?:lt|gt|amp);", lambda match: ATTRIBUTE[match[0]], label)


# ----------------------------------------------------------------------------------------- plain

PLAIN_HEADER = re.compile(
    r'\[(\d+)\] source=("(?:[^"\\]|\\.)*"|[^\s"]+)(?: title=("(?:[^"\\]|\\.)*"))?'
    r"(?: date=([\d-]{10}))?\n"
)
_PLAIN_ESCAPED = re.compile(
    rf"(?:^|(?<=[{LINE_BREAKS}])){SPACE}*\\+\[(?:[\d\s]*\]\s*s *o *u *r *c *e *=|note\s*\])",
    re.IGNORECASE,
)
LENIENT_SOURCE = re.compile(r"\s*\[[\d\s]*\]\s*s *o *u *r *c *e *=", re.IGNORECASE)


def read_plain(section: str, preamble: str) -> list[Block]:
    """Blocks under `[n] source=`; every line that looks like such a header has to be one."""
    assert section.startswith(preamble)
    rest = section[len(preamble) :]
    heads = [match.start() for match in re.finditer(r"^\[\d+\] source=", rest, re.MULTILINE)]
    lenient = [line for line in _lines(folded(rest)) if LENIENT_SOURCE.match(line)]
    assert len(lenient) == len(heads), "something else looks like our header"
    blocks = []
    for start, end in pairwise([*heads, len(rest)]):
        header = PLAIN_HEADER.match(rest, start)
        assert header is not None
        number, source, title, date = header.groups(default="")
        text = _less_one_backslash(rest[header.end() : end], _PLAIN_ESCAPED)
        blocks.append(Block(int(number), _value(source), _value(title), date, _one_less(text)))
    return blocks


def _value(field: str) -> str:
    return str(json.loads(field)) if field.startswith('"') else field


def _less_one_backslash(text: str, escaped: re.Pattern[str]) -> str:
    pieces, at = [], 0
    for match in escaped.finditer(folded(text)):
        slash = text.find("\\", match.start(), match.end())
        if slash >= 0:
            pieces.append(text[at:slash])
            at = slash + 1
    return "".join([*pieces, text[at:]])


def _lines(text: str) -> list[str]:
    return re.split(f"[{LINE_BREAKS}]", text)


def _one_less(text: str) -> str:
    assert text.endswith("\n")
    return text.removesuffix("\n")


READERS: Mapping[str, Callable[[str, str], list[Block]]] = {
    "markdown": read_markdown,
    "plain": read_plain,
    "xml": read_xml,
}
