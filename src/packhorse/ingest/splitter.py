"""Documents to chunks: whole semantic units, as full as the limit allows, never over it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError
from packhorse.ingest.excerpts import Excerpts
from packhorse.ingest.rows import rows_within
from packhorse.ingest.spans import (
    Span,
    join_delimiters,
    join_fences_with_code,
    join_small,
    keep_headings_with_text,
    share_text_with_headings,
    with_indentation,
    within_limit,
)
from packhorse.text.links import ANCHORS, LINKS, MAX_LINKS
from packhorse.types.chunk import NO_METADATA, Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from packhorse.ingest.document import Document
    from packhorse.protocols import TokenCounter
    from packhorse.types.chunk import Metadata

__all__ = ["MIN_CHUNK_TOKENS", "spans_within", "split_document"]

MIN_CHUNK_TOKENS = 16
"""Below this a single character of a rare script may not fit."""
PIECE_CHARS = 50_000
"""Text handed to the splitting library at once: its time grows faster than the text."""
MAX_CHARS_PER_TOKEN = 8
"""A chunk has at most so many characters a token of its limit: spaces and rules count little."""
INDENTATION_TOKENS = 2
"""Kept free for the blanks before a chunk's first word, which the library takes off."""
HEADER_SEPARATOR = " / "
MAX_HEADER_CHARS = 160
NOT_SLUG = re.compile(r"[^\w]+")


def split_document(
    document: Document, *, chunk_tokens: int, counter: TokenCounter
) -> Iterator[Chunk]:
    """Yields the document's chunks in reading order.

    Every character that is not white space is in exactly one chunk; nothing overlaps, but for what
    a piece needs to be read: one that continues a table begins with its header row, one that
    continues a code block with its fence, and code that goes on is closed. Where a row itself is
    cut, `...` says so; a record of CSV is cut between its values and has the names of the columns
    in the piece. What is repeated counts, and is left out where it is over half of the limit; so
    are the dashes under the header row of a table where they do not fit behind it.

    Text breaks at headings first, then at paragraphs, sentences, words; a long table or code block
    between its rows. A fragment of less than a quarter of the limit joins a neighbour where both
    fit.

    `chunk_id` is `<source_id>#<position, four digits or more>`, `section_id` a slug of the heading
    that the chunk stands under, `header` the title and the headings above the chunk's first line
    (a heading that is itself the first line is not repeated, nor is a title of the same words).

    Args:
        document: what a loader gave.
        chunk_tokens: limit of a chunk's text in tokens of `counter`; its header is not part of it.
        counter: counts as the model does. Called about five times a chunk.

    Raises:
        ConfigError: `chunk_tokens` is below MIN_CHUNK_TOKENS.
    """
    if chunk_tokens < MIN_CHUNK_TOKENS:
        raise ConfigError(
            f"chunk_tokens is {chunk_tokens}", hint=f"Set it to {MIN_CHUNK_TOKENS} or more"
        )
    excerpts = Excerpts(document, chunk_tokens, counter)
    for index, span in enumerate(spans_within(excerpts, chunk_tokens, counter)):
        yield _chunk(excerpts, index, span)


def spans_within(excerpts: Excerpts, limit: int, counter: TokenCounter) -> list[Span]:
    """Where the chunks of a document stand in it; what they repeat of it counts with them."""
    spans = within_limit(excerpts, _first_spans(excerpts, limit, counter), limit)
    for repair in (
        join_delimiters,
        join_fences_with_code,
        keep_headings_with_text,
        share_text_with_headings,
        join_small,
        with_indentation,
    ):
        spans = repair(excerpts, spans, limit)
    return spans


def _first_spans(excerpts: Excerpts, limit: int, counter: TokenCounter) -> list[Span]:
    """Text as the library cuts it, and tables and code that are too long cut by their rows."""
    text = excerpts.document.text
    size = _size(counter, limit)
    spans: list[Span] = []
    done = 0
    for block in excerpts.blocks:
        if size(text[block.start : block.end]) <= limit - INDENTATION_TOKENS:
            continue
        before = _text_spans(excerpts.document, done, block.start, limit, counter)
        start = _lead(excerpts.document, before, block.start, limit, size)
        spans += before
        spans += rows_within(excerpts, block, start, limit, size)
        done = block.end
    return [*spans, *_text_spans(excerpts.document, done, len(text), limit, counter)]


def _lead(
    document: Document, before: list[Span], start: int, limit: int, size: Callable[[str], int]
) -> int:
    """Where the text that leads to a table begins: it is taken off the spans before.

    The last span where it is short, else the headings at its end.
    """
    if not before:
        return start
    text = document.text
    last = before.pop()
    if size(text[last.start : last.end]) <= limit // 2:
        return last.start
    heading_starts = {heading.end: heading.start for heading in document.headings}
    end = last.end
    while (heading := heading_starts.get(end)) is not None and heading > last.start:
        start, end = heading, len(text[:heading].rstrip())
    before.append(Span(last.start, max(end, last.start + 1)))
    return start


def _text_spans(
    document: Document, start: int, end: int, limit: int, counter: TokenCounter
) -> list[Span]:
    return [
        span
        for first, last in _pieces(document, start, end)
        for span in _library_spans(document, first, last, limit, counter)
    ]


def _pieces(document: Document, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cuts that the splitter could have made itself: at headings, blank lines, lines or spaces.

    Markdown is cut only where it is too long; other texts at each heading, as the library does not
    know their headings.
    """
    text = document.text
    starts = [heading.start for heading in document.headings]
    if document.markdown:
        yield from _short_enough(text, start, end, starts)
        return
    bounds = [start, *(each for each in starts if start < each < end), end]
    for first, last in pairwise(bounds):
        yield from _short_enough(text, first, last, [])


def _short_enough(
    text: str, start: int, end: int, headings: list[int]
) -> Iterator[tuple[int, int]]:
    while end - start > PIECE_CHARS:
        low, high = start + PIECE_CHARS // 2, start + PIECE_CHARS
        at = max((offset for offset in headings if low < offset <= high), default=-1)
        for mark in ("\n\n", "\n", " "):
            if at <= low:
                at = text.rfind(mark, low, high) + len(mark)
        cut = at if at > low else high
        yield start, cut
        start = cut
    yield start, end


def _library_spans(
    document: Document, start: int, end: int, limit: int, counter: TokenCounter
) -> list[Span]:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    library = MarkdownSplitter if document.markdown else TextSplitter
    size = _size(counter, limit)
    splitter = library.from_callback(size, limit - INDENTATION_TOKENS)
    text = document.text[start:end]
    return [
        Span(start + offset, start + offset + len(piece))
        for offset, piece in splitter.chunk_indices(text)
    ]


def _size(counter: TokenCounter, limit: int) -> Callable[[str], int]:
    """Tokens of a piece; a piece that is far too long is not counted to know that."""
    longest = limit * MAX_CHARS_PER_TOKEN

    # The library measures what it returns once more at the end.
    @lru_cache(maxsize=8)
    def size(piece: str) -> int:
        return limit + len(piece) if len(piece) > longest else counter.count(piece)

    return size


def _chunk(excerpts: Excerpts, index: int, span: Span) -> Chunk:
    document = excerpts.document
    text = document.text[span.start : span.end]
    first = span.start + len(text) - len(text.lstrip())
    path = document.heading_path(first)
    told, later = excerpts.moved(span)
    return Chunk(
        chunk_id=f"{document.source_id}#{index:04d}",
        source_id=document.source_id,
        text=told,
        section_id=_slug(path[-1].title) if path else "",
        position_in_source=index,
        header=_header(
            document.title,
            [heading.title for heading in path if heading.start < first],
            path[-1].title if path and path[-1].start == first else "",
        ),
        timestamp=document.timestamp,
        metadata=_beside(document, span, later - span.start),
    )


def _beside(document: Document, span: Span, later: int) -> Metadata:
    """Links and places of a chunk that its text does not show, by offset in the chunk.

    An offset in the chunk is that in the document and `later`.
    """
    links = [[at + later, target] for at, target in _within(document.links, span)]
    anchors = [name for _, name in _within(document.anchors, span)]
    told: dict[str, object] = {LINKS: links[:MAX_LINKS]} if links else {}
    if anchors:
        told[ANCHORS] = anchors[:MAX_LINKS]
    return told or NO_METADATA


def _within(placed: tuple[tuple[int, str], ...], span: Span) -> tuple[tuple[int, str], ...]:
    first = bisect_left(placed, span.start, key=itemgetter(0))
    return placed[first : bisect_left(placed, span.end, key=itemgetter(0))]


def _header(title: str, path: list[str], own: str) -> str:
    """Title and path in one line; the middle is left out where it would be long.

    `own` is the heading that the chunk begins with; the line does not end in it as well.
    """
    # A page often is called as its first heading, with the name of the site behind it.
    lead = [title] if title and not (path and path[0] in title) else []
    titles = [name for name, _ in groupby([*lead, *path])]
    if titles and titles[-1].casefold() == own.casefold():
        titles.pop()
    header = HEADER_SEPARATOR.join(titles)
    if len(header) > MAX_HEADER_CHARS and titles[1:-1]:
        header = HEADER_SEPARATOR.join((titles[0], "...", titles[-1]))
    return header if len(header) <= MAX_HEADER_CHARS else header[: MAX_HEADER_CHARS - 3] + "..."


def _slug(title: str) -> str:
    """Words of a title in lower case, joined by hyphens; letters of every script are kept."""
    plain = unicodedata.normalize("NFKC", title).casefold()
    return NOT_SLUG.sub("-", plain).strip("-")[:80]
