"""The evidence section, shared by all formats: preamble, blocks, notice, and what each costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from packhorse.render.escaping import clean_label, shorten_middle
from packhorse.text.wellformed import well_formed
from packhorse.tokens.framed import framed_counts, recount
from packhorse.types.rendered import Rendered

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.types.chunk import Chunk

__all__ = ["SectionRenderer", "count_section", "shown_source"]


class SectionRenderer(ABC):
    """A format: how a block, the opening and the closing line look.

    A chunk's text keeps its spaces. A line end that closes the text closes it in the block too,
    and one is added where it is missing, so that a block always ends with exactly one more.
    """

    name: str

    def __init__(self, *, show_dates: bool = True) -> None:
        self._show_dates = show_dates

    def preamble(self, text: str) -> str:
        """The opening: the text without spaces at its end, then one line end; empty for none."""
        stripped = well_formed(text).rstrip()
        return f"{stripped}\n" if stripped else ""

    @abstractmethod
    def block(self, number: int, chunk: Chunk) -> str:
        """The chunk as a block that starts with a fixed opener and ends with a line end."""

    @abstractmethod
    def closing(self, notice: str) -> str:
        """The notice as one line that no chunk can forge; empty for an empty notice."""

    def shown_date(self, chunk: Chunk) -> str:
        """The day of the chunk in UTC, ISO 8601; empty when it has none or dates are not shown."""
        return _date(chunk) if self._show_dates else ""

    def text(self, preamble: str, chunks: Sequence[Chunk], notice: str = "") -> str:
        """The section without counting it; blocks are numbered from 1."""
        return "".join(self._pieces(preamble, chunks, notice))

    def render(
        self,
        preamble: str,
        chunks: Sequence[Chunk],
        counter: TokenCounter,
        notice: str = "",
        known: Sequence[int] = (),
    ) -> Rendered:
        """The section, certified by a count of the whole.

        Args:
            preamble: the opening.
            chunks: in reading order.
            counter: counts for the target model.
            notice: the closing line.
            known: tokens of the preamble, of each block and of the notice, if there is one, as
                they were counted before, under numbers of another width perhaps. Where they add up
                to the count of the whole they stand; otherwise, or without them, each piece is
                counted.
        """
        pieces = self._pieces(preamble, chunks, notice)
        text = "".join(pieces)
        inside = ["", *(chunk.text for chunk in chunks), ""]
        before = known if notice else (*known, 0)
        counts, total = count_section(pieces, text, counter, inside, before)
        return Rendered(
            format=self.name,
            text=text,
            preamble_tokens=counts[0],
            block_tokens=tuple(counts[1:-1]),
            notice_tokens=counts[-1],
            tokens=total,
            notice=notice,
        )

    def _pieces(self, preamble: str, chunks: Sequence[Chunk], notice: str) -> list[str]:
        blocks = [self.block(number, chunk) for number, chunk in enumerate(chunks, start=1)]
        return [self.preamble(preamble), *blocks, self.closing(clean_label(notice))]


def shown_source(chunk: Chunk) -> str:
    """The source as a reader sees it: one clean line of at most 40 characters."""
    return shorten_middle(clean_label(chunk.shown_source)) or "unknown"


def _date(chunk: Chunk) -> str:
    stamp = chunk.timestamp
    if stamp is None:
        return ""
    return (stamp.astimezone(UTC) if stamp.tzinfo is not None else stamp).date().isoformat()


def count_section(
    pieces: Sequence[str],
    text: str,
    counter: TokenCounter,
    inside: Sequence[str],
    known: Sequence[int] = (),
) -> tuple[list[int], int]:
    """Tokens of each piece and of the whole; the pieces always add up to the whole.

    Pieces are counted alone, and the whole once. Where the tokenizer is not additive over our
    joins, a piece is charged with what its join to the piece before it changes; where even that
    does not add up, with what it adds to the count of everything before it. The last resort
    counts n prefixes, so it costs n times the length of the text.

    Args:
        pieces: what `text` is made of.
        text: the pieces, joined.
        counter: counts for the model.
        inside: for each piece the text that stands in it, counted before; empty for none.
        known: tokens of each piece as they were counted before; they stand where they add up.
    """
    total = recount(counter, text)
    if len(known) == len(pieces) and sum(known) == total:
        return list(known), total
    _, counts = framed_counts(counter, inside, pieces)
    if sum(counts) == total:
        return counts, total
    counts = counter.count_batch(pieces)
    if sum(counts) == total:
        return counts, total
    filled = [row for row, piece in enumerate(pieces) if piece]
    joined = counter.count_batch([pieces[a] + pieces[b] for a, b in pairwise(filled)])
    charged = [0] * len(counts)
    for row in filled[:1]:
        charged[row] = counts[row]
    for (a, b), both in zip(pairwise(filled), joined, strict=True):
        charged[b] = both - counts[a]
    if sum(charged) == total and min(charged) >= 0:
        return charged, total
    prefixes = counter.count_batch(list(accumulate(pieces)))
    return [after - before for before, after in pairwise([0, *prefixes])], total
