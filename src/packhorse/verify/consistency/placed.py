"""What stands above statements, where that already says what two of them differ by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk
    from packhorse.verify.consistency.align import Difference
    from packhorse.verify.consistency.statements import Statement

__all__ = ["heading_of", "told_apart"]

_WORDED = frozenset(("name", "polarity", "description"))
_HEADING = re.compile(r"\s*#{1,6}\s+(?:[A-Z\d]+\.(?:\d+\.?)*\s+)?(\S.*)")
"""A heading that a text opens with, less the number of its section."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_NAME = re.compile(r"[^\W\d_]\w*(?:[._:/-]+\w+|(?<=[a-z\d])[A-Z]\w*)[\w.:<>/-]*")
"""One word that is written like the name of a setting: `gc.auto`, `max_connections`, `maxAge`."""
_OPTION = re.compile(r"(--?[^\W_][\w-]*)(?:[ =\[]\S.*)?")
"""`--depth <n>`."""
_MARKS = "`*: \t"


def heading_of(chunk: Chunk) -> str:
    """The header; of a document's first chunk, which has none, the heading that it opens with."""
    found = None if chunk.header else _HEADING.match(chunk.text)
    # A header has no marks of code in it.
    return found[1].replace("`", "").strip() if found else chunk.header


def told_apart(
    chunk_a: Chunk, a: Statement, chunk_b: Chunk, b: Statement, difference: Difference
) -> bool:
    """Whether headings or entries already say what two statements differ by.

    Statements right under the names of two settings or options are about these. Under other
    headings of one document its sentences are about other things: releases, options, functions.
    Under one heading, sentences that are alike but for words are items of a list. Without
    headings nothing is known.
    """
    entry_a, entry_b = _entry(chunk_a.text, a), _entry(chunk_b.text, b)
    if entry_a and entry_b and entry_a != entry_b:
        return True
    heading_a, heading_b = heading_of(chunk_a), heading_of(chunk_b)
    if chunk_a.source_id != chunk_b.source_id or not (heading_a and heading_b):
        return False
    # A heading that is a chunk's own first line is in its section, not in its header.
    if (heading_a, chunk_a.section_id) == (heading_b, chunk_b.section_id):
        return difference.kind in _WORDED
    return bool(chunk_a.header and chunk_b.header)


def _entry(text: str, statement: Statement) -> str:
    """The setting or option whose name stands alone above the statement's paragraph, or nothing.

    Above it is the paragraph before, or the paragraph's own first line where that ends in `::`.
    """
    *before, begun = _PARAGRAPH.split(text[: statement.sentence.start])
    first, _, rest = begun.partition("\n")
    line = first if rest and first.rstrip().endswith("::") else before[-1] if before else ""
    name = line.strip(_MARKS + "\n")
    option = _OPTION.fullmatch(name)
    if option:
        return option[1]
    return name if _NAME.fullmatch(name) else ""
