"""What a piece of a document reads as: with the header of a table, or the fence of code, again."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from packhorse.ingest.blocks import CODE, TABLE, blocks_of, cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.ingest.blocks import Block
    from packhorse.ingest.document import Document
    from packhorse.ingest.spans import Span
    from packhorse.protocols import TokenCounter

__all__ = ["CUT", "Excerpts"]

CUT = "..."
"""Stands where a row of a table is cut."""
REPEATED_SHARE = 2
"""What is repeated is at most half of a chunk; a longer header is not."""
MAX_FIRST_CELL = 40
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)+")


class Excerpts:
    """Pieces of one document as they will be read, and their tokens.

    Args:
        document: what a loader gave.
        limit: tokens of a chunk; at most half of them repeat what stands in an earlier one.
        counter: counts as the model does.
    """

    def __init__(self, document: Document, limit: int, counter: TokenCounter) -> None:
        self.document = document
        self.blocks = blocks_of(document)
        self._starts = [block.start for block in self.blocks]
        self._limit = limit
        self._most = limit // REPEATED_SHARE
        self._counter = counter
        self._fits: dict[str, bool] = {}

    def text(self, span: Span) -> str:
        """The piece, with what of its table or code it needs before and after it."""
        return self.moved(span)[0]

    def moved(self, span: Span) -> tuple[str, int]:
        """The text, and by how much what stands in the piece stands later in it, or earlier."""
        piece = self.document.text[span.start : span.end]
        before, after = self._around(span, piece)
        blank = _BLANK_LINES.match(piece) if before else None
        left_out = blank.end() if blank else 0
        kept = piece[left_out:].rstrip() if after else piece[left_out:]
        return f"{before}{kept}{after}", len(before) - left_out

    def count(self, span: Span) -> int:
        """Tokens of `text`."""
        return self._counter.count(self.text(span))

    def counts(self, spans: Sequence[Span]) -> list[int]:
        """Tokens of the texts of many."""
        return self._counter.count_batch([self.text(span) for span in spans])

    def earliest_cut(self, span: Span) -> int:
        """Where a piece may be cut at the earliest, so that the header it begins with keeps a row.

        The start of the piece where it holds none, or one that is never repeated; or where no row
        fits behind it as the document has it, which may be drawn with many more blanks or dashes.
        """
        block = self.block_at(span.end - 1)
        if block is None or not span.start < block.body < span.end:
            return span.start
        with_row = (
            self._may_repeat(block.opening)
            and self.count(span._replace(end=block.body)) <= self._limit
        )
        return block.body if with_row else span.start

    def block_at(self, at: int) -> Block | None:
        """The block that an offset lies in; none at its very beginning."""
        place = bisect_right(self._starts, at) - 1
        if place < 0:
            return None
        block = self.blocks[place]
        return block if block.start < at < block.end else None

    def _around(self, span: Span, piece: str) -> tuple[str, str]:
        stripped = piece.strip()
        if not stripped or not self.blocks:
            return "", ""
        first = span.start + piece.index(stripped[0])
        last = first + len(stripped)
        closing = self._after(last)
        befores = self._befores(first)
        ways = [(before, closing) for before in befores]
        if not closing.startswith("\n"):
            ways += [(before, "") for before in befores]
        return next((way for way in ways if self._may_repeat("".join(way))), ("", ""))

    def _befores(self, first: int) -> list[str]:
        """What may stand before a piece, the best first."""
        block = self.block_at(first)
        if block is None:
            return [""]
        if first < block.body:
            text = self.document.text
            line = text.rfind("\n", 0, first) + 1
            return [text[block.start : line] if block.start < line and line == first else ""]
        if block.kind == CODE:
            return [block.opening]
        return [block.opening + mark for mark in self._cut_marks(block, first)]

    def _cut_marks(self, block: Block, first: int) -> list[str]:
        """What says that a row began before; in Markdown, in the cell that the piece begins in."""
        row = block.row_cut_at(first)
        if row is None:
            return [""]
        said = self.document.text[row:first]
        if not said.strip():
            return [""]
        if block.kind != TABLE:
            return [f"{CUT} ", ""]
        cells = cells_of(said)
        named = [cells[0] if len(cells[0]) <= MAX_FIRST_CELL else CUT]
        ended = (named + [CUT] * len(cells))[: len(cells) - 1]
        return [f"| {' | '.join([*ended, CUT])} ", f"{CUT} ", ""]

    def _after(self, last: int) -> str:
        block = self.block_at(last)
        if block is None or last < block.body:
            return ""
        if block.kind == CODE:
            return f"\n{block.closing}"
        return f" {CUT}" if block.row_cut_at(last) is not None else ""

    def _may_repeat(self, added: str) -> bool:
        if added not in self._fits:
            self._fits[added] = not added or self._counter.count(added) <= self._most
        return self._fits[added]
