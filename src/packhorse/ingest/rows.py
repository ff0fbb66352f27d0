"""Tables and code blocks that are longer than a chunk: cut between their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.ingest.blocks import CODE
from packhorse.ingest.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from packhorse.ingest.blocks import Block
    from packhorse.ingest.excerpts import Excerpts

__all__ = ["rows_within"]


def rows_within(
    excerpts: Excerpts, block: Block, start: int, limit: int, size: Callable[[str], int]
) -> list[Span]:
    """Spans of as many whole rows as fit, the first from `start` on.

    A row that does not fit with its header is a span of its own, over the limit.

    Args:
        excerpts: of the document.
        block: a table or a code block of it.
        start: at or before the block's own; what stands between belongs to it.
        limit: tokens of a span as it will be read.
        size: tokens of a text.
    """
    text = excerpts.document.text
    rows = block.rows
    counts = [size(text[first : last + 1]) for first, last in rows]
    free = limit - size(block.opening + block.closing)
    margin = min(_indent(text, first) for first, _ in rows)
    spans: list[Span] = []
    done = 0
    while done < len(rows):
        stop, total = done, 0
        while stop < len(rows) and (stop == done or total + counts[stop] <= free):
            total += counts[stop]
            stop += 1
        begin = rows[done][0] if spans or done else start
        while stop > done + 1 and size(excerpts.text(Span(begin, rows[stop - 1][1]))) > limit:
            stop -= max(1, (stop - done) // 16)
        if block.kind == CODE and stop < len(rows):
            stop = _better_stop(text, block, done, stop, margin)
        spans.append(Span(begin, rows[stop - 1][1]))
        done = stop
    return _without_lead(excerpts, block, spans, limit, size)


def _without_lead(
    excerpts: Excerpts, block: Block, spans: list[Span], limit: int, size: Callable[[str], int]
) -> list[Span]:
    """What stands before the block becomes a span of its own where not one row fits behind it."""
    first = spans[0]
    if first.start >= block.start or size(excerpts.text(first)) <= limit:
        return spans
    lead = excerpts.document.text[first.start : block.start].rstrip()
    return [Span(first.start, first.start + len(lead)), Span(block.start, first.end), *spans[1:]]


def _better_stop(text: str, block: Block, done: int, stop: int, margin: int) -> int:
    """In the last third: behind a blank line, else before a line that is not indented."""
    opens = 0
    for at in range(stop, done + (stop - done) * 2 // 3, -1):
        above, first = block.rows[at - 1][1], block.rows[at][0]
        if text.count("\n", above, first) > 1:
            return at
        if not opens and _indent(text, first) == margin and text[first + margin].isalnum():
            opens = at
    return opens or stop


def _indent(text: str, at: int) -> int:
    end = at
    while text[end] in " \t":
        end += 1
    return end - at
