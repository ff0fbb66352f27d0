"""What a piece of a document reads as: with the header of a table, or the fence of code, again."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from packhorse.ingest.blocks import CODE, CSV, TABLE, blocks_of, cells_of
from packhorse.ingest.cut_records import CUT, MAX_FIRST_CELL, CutRecords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.ingest.blocks import Block
    from packhorse.ingest.document import Document
    from packhorse.ingest.spans import Span
    from packhorse.protocols import TokenCounter

__all__ = ["Excerpts"]

REPEATED_SHARE = 2
"""What is repeated is at most half of a chunk; a longer header is not."""
_DASHES = "|:- \t"
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
        self._records: CutRecords | None = None
        self._blanks: str | None = None
        for block in self.blocks:
            if block.kind == CSV:
                self._records = CutRecords(document.text, block, self._may_repeat)
                # Between tabs stand values, though they may be empty.
                self._blanks = " \n" if block.separator == "\t" else None

    def text(self, span: Span) -> str:
        """The piece, with what of its table or code it needs before and after it."""
        return self.moved(span)[0]

    def moved(self, span: Span) -> tuple[str, int]:
        """The text, and by how much what stands in the piece stands later in it, or earlier."""
        piece = self.document.text[span.start : span.end]
        before, after = self._around(span, piece)
        blank = _BLANK_LINES.match(piece) if before else None
        left_out = blank.end() if blank else 0
        kept = piece[left_out:].rstrip(self._blanks) if after else piece[left_out:]
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

    def cut_at(self, span: Span) -> int | None:
        """Where a piece of CSV is best cut in two; None in other texts, and inside a value."""
        if self._records is None or self.block_at(span.end - 1) is None:
            return None
        return self._records.cut(span.start, span.end, self.earliest_cut(span))

    def only_delimiter(self, span: Span) -> bool:
        """Whether a piece is nothing but dashes from under the header row of a table."""
        piece = self.document.text[span.start : span.end]
        stripped = piece.strip()
        if not stripped or stripped.strip(_DASHES):
            return False
        first = span.start + piece.index(stripped[0])
        block = self.block_at(first)
        if block is None or block.kind != TABLE or first + len(stripped) > block.body:
            return False
        return first > self.document.text.find("\n", block.start)

    def block_at(self, at: int) -> Block | None:
        """The block that an offset lies in; none at its very beginning."""
        place = bisect_right(self._starts, at) - 1
        if place < 0:
            return None
        block = self.blocks[place]
        return block if block.start < at < block.end else None

    def _around(self, span: Span, piece: str) -> tuple[str, str]:
        stripped = piece.strip(self._blanks)
        if not stripped or not self.blocks:
            return "", ""
        first = span.start + piece.index(stripped[0])
        last = first + len(stripped)
        closing = self._after(last)
        befores = self._befores(first, last)
        ways = [(before, closing) for before in befores]
        if not closing.startswith("\n"):
            ways += [(before, "") for before in befores]
        return next((way for way in ways if self._may_repeat("".join(way))), ("", ""))

    def _befores(self, first: int, last: int) -> list[str]:
        """What may stand before a piece, the best first."""
        block = self.block_at(first)
        if block is None:
            return [""]
        if block.kind == CSV and self._records is not None:
            return self._records.beginnings(first, last)
        if first < block.body:
            return self._before_header(block, first)
        if block.kind == CODE:
            return [block.opening]
        return self._before_row(block, first)

    def _before_header(self, block: Block, first: int) -> list[str]:
        text = self.document.text
        if self._cuts_header(block, first):
            return [f"{CUT} ", ""]
        line = text.rfind("\n", 0, first) + 1
        return [text[block.start : line] if block.start < line and line == first else ""]

    def _before_row(self, block: Block, first: int) -> list[str]:
        row = block.row_cut_at(first)
        said = self.document.text[row:first] if row is not None else ""
        if not said.strip():
            return [block.opening, ""]
        # In its own column under the header; without one, behind the row's first cell.
        cells = cells_of(said)
        named = [cells[0] if len(cells[0]) <= MAX_FIRST_CELL else CUT, *[CUT] * len(cells)]
        aligned = f"| {' | '.join([*named[: len(cells) - 1], CUT])} "
        named_only = f"| {' | '.join(named[: min(len(cells), 2)])} " if len(cells) > 1 else ""
        with_header = [block.opening + mark for mark in (aligned, f"{CUT} ", "")]
        return [*with_header, *([named_only] if named_only else []), f"{CUT} ", ""]

    def _cuts_header(self, block: Block, at: int) -> bool:
        return block.kind != CODE and block.start < at < self.document.text.find("\n", block.start)

    def _after(self, last: int) -> str:
        block = self.block_at(last)
        if block is not None and block.kind == CSV and self._records is not None:
            return self._records.ending(last)
        if block is None or last < block.body:
            return f" {CUT}" if block and self._cuts_header(block, last) else ""
        if block.kind == CODE:
            return f"\n{block.closing}"
        return f" {CUT}" if block.row_cut_at(last) is not None else ""

    def _may_repeat(self, added: str) -> bool:
        if added not in self._fits:
            self._fits[added] = not added or self._counter.count(added) <= self._most
        return self._fits[added]
