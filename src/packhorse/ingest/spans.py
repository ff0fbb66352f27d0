"""Spans of a text, and the repairs that make chunks of them."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from packhorse.ingest.markdown import fence_openers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.ingest.document import Document
    from packhorse.ingest.excerpts import Excerpts

__all__ = [
    "Span",
    "join_delimiters",
    "join_fences_with_code",
    "join_small",
    "keep_headings_with_text",
    "share_text_with_headings",
    "with_indentation",
    "within_limit",
]

SMALL_SHARE = 4
"""A chunk under a quarter of the limit is small."""


class Span(NamedTuple):
    """Offsets of a piece of text, in code points: first, and behind the last."""

    start: int
    end: int


def within_limit(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each that counts more than `limit` halved until it fits.

    A net below the splitting library: token counts of neighbouring pieces do not add up, so what
    it measured on the way and what it returned could differ.
    """
    text = excerpts.document.text
    kept: list[Span] = []
    for span, count in zip(spans, excerpts.counts(spans), strict=True):
        if count <= limit or span.end - span.start <= 1:
            kept.append(span)
        else:
            halves = _halves(excerpts, span)
            halves = [half for half in halves if text[half.start : half.end].strip()]
            kept += within_limit(excerpts, halves, limit)
    return kept


def _halves(excerpts: Excerpts, span: Span) -> list[Span]:
    text = excerpts.document.text
    if (between := excerpts.cut_at(span)) is not None:
        kept = text[span.start : between].rstrip("\n")
        return [Span(span.start, span.start + len(kept)), Span(between, span.end)]
    earliest = excerpts.earliest_cut(span)
    middle = (max(span.start, earliest) + span.end) // 2
    for mark in "\n " if excerpts.block_at(span.end - 1) is not None else " ":
        if (cut := text.rfind(mark, earliest + 1, middle)) > span.start:
            return [Span(span.start, cut), Span(cut + 1, span.end)]
    return [Span(span.start, middle), Span(middle, span.end)]


def join_delimiters(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each that is nothing but the dashes under a table's header put behind it.

    Where both do not fit it is left out: dashes alone say nothing.
    """
    joined: list[Span] = []
    for span in spans:
        if not excerpts.only_delimiter(span):
            joined.append(span)
        elif joined and excerpts.count(Span(joined[-1].start, span.end)) <= limit:
            joined[-1] = Span(joined[-1].start, span.end)
    return joined


def keep_headings_with_text(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each heading at the end of one moved to the start of the next, where it fits.

    So is a line that opens a code fence: without it the next chunk is no code, and this one ends
    in the middle of something.
    """
    moved = list(spans)
    document = excerpts.document
    text = document.text
    starts = {heading.end: heading.start for heading in document.headings}
    if document.markdown:
        starts |= {end - _blanks(text, end): start for start, end in fence_openers(text)}
    for index in range(len(moved) - 1):
        span, following = moved[index], moved[index + 1]
        cut = span.end
        while (begin := starts.get(cut)) is not None:
            cut = len(text[span.start : begin].rstrip()) + span.start
            if begin <= span.start:
                break
        if not span.start < cut < span.end:
            continue
        start = cut + len(text[cut : span.end]) - len(text[cut : span.end].lstrip())
        if excerpts.count(Span(start, following.end)) <= limit:
            moved[index] = Span(span.start, cut)
            moved[index + 1] = Span(start, following.end)
    return moved


def join_fences_with_code(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each that is nothing but the opening line of a code fence put before its code.

    Where both do not fit, the code's last lines become a span of their own.
    """
    if not excerpts.document.markdown:
        return list(spans)
    text = excerpts.document.text
    openers = {start for start, _ in fence_openers(text)}
    joined: list[Span] = []
    opener: Span | None = None
    for span in spans:
        line_start = _line_start(text, span.start)
        if opener is None and line_start in openers and "\n" not in text[span.start : span.end]:
            opener = span
            continue
        if opener is None:
            joined.append(span)
            continue
        joined += _under_opener(excerpts, opener, span, limit)
        opener = None
    return joined if opener is None else [*joined, opener]


def _under_opener(excerpts: Excerpts, opener: Span, code: Span, limit: int) -> list[Span]:
    text = excerpts.document.text
    if excerpts.count(Span(opener.start, code.end)) <= limit:
        return [Span(opener.start, code.end)]
    cut = text.rfind("\n", code.start, code.end)
    while cut > code.start and excerpts.count(Span(opener.start, cut)) > limit:
        cut = text.rfind("\n", code.start, cut)
    if cut <= code.start:
        return [opener, code]
    return [Span(opener.start, cut), Span(cut + 1, code.end)]


def _blanks(text: str, end: int) -> int:
    """How many blanks stand before `end` on its line."""
    at = end
    while at and text[at - 1] in " \t":
        at -= 1
    return end - at


def share_text_with_headings(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each that is nothing but headings lengthened by the next one's first sentences.

    It takes most of the next span and leaves enough for a chunk; a heading alone says nothing.
    """
    document = excerpts.document
    text = document.text
    shared = list(spans)
    for index in range(len(shared) - 1):
        span, following = shared[index], shared[index + 1]
        if not _only_headings(document, span):
            continue
        if excerpts.count(Span(span.start, following.end)) <= limit:
            continue  # both join whole
        cut = _cut_before(
            text, following, following.start + (following.end - following.start) * 3 // 4
        )
        start = cut + len(text[cut : following.end]) - len(text[cut : following.end].lstrip())
        if following.start >= cut:
            continue
        halves = [Span(span.start, cut), Span(start, following.end)]
        if max(excerpts.counts(halves)) <= limit:
            shared[index : index + 2] = halves
    return shared


def _only_headings(document: Document, span: Span) -> bool:
    at = span.start
    first = bisect_left(document.headings, span.start, key=lambda heading: heading.start)
    for index in range(first, len(document.headings)):
        heading = document.headings[index]
        if heading.start >= span.end or document.text[at : heading.start].strip():
            break
        at = heading.end
    return at > span.start and not document.text[at : span.end].strip()


def _cut_before(text: str, span: Span, latest: int) -> int:
    """The last end of a paragraph, line, sentence or word in the span's second quarter to `latest`.

    `span.start` when there is none.
    """
    earliest = span.start + (latest - span.start) // 3
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = text.rfind(mark, earliest, latest)
        if at >= 0:
            return at + len(mark.rstrip())
    return span.start


def join_small(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each small one joined to a neighbour where both together fit.

    One that begins with a heading belongs with what follows, any other with what precedes.
    """
    document = excerpts.document
    heads = {heading.start for heading in document.headings}
    counts = excerpts.counts(spans)
    joined: list[tuple[Span, int]] = []
    for span, count in zip(spans, counts, strict=True):
        if joined:
            last, last_count = joined[-1]
            # A heading alone is a fragment however long it is.
            small = last_count < limit / SMALL_SHARE or _only_headings(document, last)
            if small or (count < limit / SMALL_SHARE and span.start not in heads):
                union = Span(last.start, span.end)
                union_count = excerpts.count(union)
                if union_count <= limit:
                    joined[-1] = (union, union_count)
                    continue
        joined.append((span, count))
    return [span for span, _ in joined]


def with_indentation(excerpts: Excerpts, spans: Sequence[Span], limit: int) -> list[Span]:
    """The spans, each with the blanks before its first word, where it is a line's first and fits.

    The first line of a list or of code then stands under the others as it did in the document.
    """
    text = excerpts.document.text
    wider = [Span(_line_start(text, span.start), span.end) for span in spans]
    return [
        wide if count <= limit else span
        for span, wide, count in zip(spans, wider, excerpts.counts(wider), strict=True)
    ]


def _line_start(text: str, start: int) -> int:
    """Where the line of `start` begins, when nothing but blanks stands before; else `start`."""
    at = start
    while at and text[at - 1] in " \t":
        at -= 1
    return at if not at or text[at - 1] == "\n" else start
