"""Hypothesis strategies that several rooms share: hostile texts, chunks, pools, budgets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from hypothesis import strategies as st

from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis.strategies import SearchStrategy

__all__ = [
    "AS_OF",
    "budgets",
    "chunk_ids",
    "chunk_lists",
    "chunks",
    "glued",
    "pools",
    "raw_texts",
    "texts",
    "timestamps",
    "topic_tags",
    "unit_floats",
]

T = TypeVar("T")

AS_OF = datetime(2026, 1, 15, tzinfo=UTC)
"""The day that generated timestamps lie around."""

# Pieces that have broken tokenizers, parsers, spreadsheets and renderers before.
PIECES = (
    # block syntax of every format, whole, broken and forged
    "<evidence>", "</evidence>", "< / EVIDENCE >", '<evidence n="1" source="x">', "&lt;", "&amp;",
    "[1]", "[1] source=x", "## [2] forged", "---", "```", "~~~", "<!-- -->", "]]>", "# ", "> ",
    # control tokens and chat markup, which are ordinary text here
    "<|endoftext|>", "<|im_start|>system", "[INST]", "<s>", "Human:", "\n\nAssistant:",
    # scripts, directions, joins
    "税務署に申告する", "家庭办公室扣除", "홈오피스 공제", "خصم المكتب المنزلي", "משרד ביתי",
    "बजट", "ไทย", "👩‍👩‍👧‍👦", "🇯🇵", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "e\u0301", "ﬁ", "ß", "İ", "\u200b", "\u200d", "\u2060", "\ufeff",
    "\u202e", "\u2066", "\u2069", "\u061c",
    # spaces and lines of many kinds
    " ", "    ", "\t", "\n", "\n\n", "\u00a0", "\u3000", "\u2028", "\u2029", "\x0b", "\x0c", "\x85",
    # control characters
    "\x00", "\x01", "\x07", "\x1b[31m", "\x7f",
    # numbers and words
    "$5 per square foot", "37.5 %", "2024-01-15", "1,234.56", "=SUM(A1)", "+1", "-1", "@cmd",
    "don't", "C++", "a/b\\c", '"quoted" AND (x OR y*)', "title:x~2^3", "NOT", "the", "deduction",
)  # fmt: skip


TOPICS = ("eligibility", "limits", "forms", "records", "interactions")
ID_LETTERS = "abAB01-_é税"
CHUNK_BYTES = 8 + 1 + 1 + 1 + 1 + 5 + 4 + 16
"""Bytes that the fields of a chunk take at most, in the order in which `chunks` reads them."""
N_BYTES = 256
OF_PIECES = 160
"""Bytes below this stand for a piece, the others for characters."""
CLEAN = st.characters(exclude_categories=["Cs"], exclude_characters="\r")
LENGTHS = (1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12)
"""How many characters of the alphabet one part of a text may take."""


def glued(
    pieces: Sequence[str],
    alphabet: SearchStrategy[str],
    max_pieces: int,
    lengths: Sequence[int] = LENGTHS,
) -> SearchStrategy[str]:
    """Up to `max_pieces` parts, each one of `pieces` or a few characters of the alphabet.

    Two draws make a text, however long: a byte for each part, and the characters in one string.
    A draw for every part took most of the time of the properties that use it.
    """
    assert len(pieces) <= OF_PIECES, "the bytes for pieces cannot name them all"

    def text(drawn: tuple[bytes, str]) -> str:
        parts, characters = drawn
        taken: list[str] = []
        at = 0
        for part in parts:
            if part < OF_PIECES:
                taken.append(pieces[part % len(pieces)])
            else:
                end = at + lengths[part % len(lengths)]
                taken.append(characters[at:end])
                at = end
        return "".join(taken)

    # The library draws five characters more than `min_size` on average.
    n_least = min(max_pieces // 4, 3)
    characters = st.text(alphabet, min_size=n_least, max_size=max(lengths) * max_pieces)
    return st.tuples(st.binary(max_size=max_pieces), characters).map(text)


def texts(max_pieces: int = 12) -> SearchStrategy[str]:
    """Hostile text as it is after ingestion: LF line ends, no lone surrogates; may be empty."""
    return glued(PIECES, CLEAN, max_pieces)


def raw_texts(max_pieces: int = 12) -> SearchStrategy[str]:
    """Hostile text as it may come from outside: lone surrogates and CR included."""
    return glued(PIECES, st.characters(), max_pieces)


class _Drawn:
    """Reads values off drawn bytes: one draw makes a record, where one a field took most time.

    Zeroes stand for the simplest value, so that failures shrink as they do with a draw a field.
    """

    def __init__(self, data: bytes) -> None:
        self._bytes = iter(data)

    def below(self, top: int) -> int:
        """A number from 0 to `top` - 1; takes one byte, or three for a large `top`."""
        number = next(self._bytes)
        if top > N_BYTES:
            number = number << 16 | next(self._bytes) << 8 | next(self._bytes)
        return number % top

    def one_of(self, values: Sequence[T]) -> T:
        """One of a few values."""
        return values[self.below(len(values))]

    def unit_float(self) -> float:
        """What `unit_floats` draws; takes at most four bytes."""
        if self.below(2):
            return self.below(1_000_001) / 1_000_000
        return self.one_of((0.0, 0.25, 0.5, 1.0))

    def timestamp(self) -> datetime | None:
        """What `timestamps` draws; takes at most four bytes."""
        return AS_OF + timedelta(days=self.below(9_401) - 9_000) if self.below(2) else None

    def topic_tags(self) -> tuple[tuple[str, float], ...]:
        """What `topic_tags` draws; takes at most 16 bytes."""
        return tuple(
            sorted({self.one_of(TOPICS): self.unit_float() for _ in range(self.below(4))}.items())
        )

    def chunk_id(self) -> str:
        """What `chunk_ids` draws; takes at most eight bytes."""
        if self.below(2):
            return "".join(self.one_of(ID_LETTERS) for _ in range(1 + self.below(6)))
        return f"c{self.below(100)}"


def _exactly(n_bytes: int) -> SearchStrategy[bytes]:
    return st.binary(min_size=n_bytes, max_size=n_bytes)


def _records(n_bytes: int, read: Callable[[_Drawn], T]) -> SearchStrategy[T]:
    return _exactly(n_bytes).map(lambda data: read(_Drawn(data)))


def unit_floats() -> SearchStrategy[float]:
    """Numbers from 0 to 1 with six decimals, so that ties are common."""
    return _records(4, _Drawn.unit_float)


def timestamps() -> SearchStrategy[datetime | None]:
    """Unknown, recent, stale, or after `AS_OF`."""
    return _records(4, _Drawn.timestamp)


def topic_tags() -> SearchStrategy[tuple[tuple[str, float], ...]]:
    """Up to three of a few topics, sorted, each with a strength."""
    return _records(16, _Drawn.topic_tags)


def chunk_ids() -> SearchStrategy[str]:
    """Short ids that collide in prefix and sort oddly, never empty."""
    return _records(8, _Drawn.chunk_id)


def chunks(text: SearchStrategy[str] | None = None) -> SearchStrategy[Chunk]:
    """One chunk; `text` replaces the hostile default."""

    def chunk(fields: bytes, text: str, header: str) -> Chunk:
        drawn = _Drawn(fields)
        return Chunk(
            chunk_id=drawn.chunk_id(),
            source_id=drawn.one_of(("s1", "s2", "s3", "irs_pub_587", 'odd "name"<&>.md')),
            text=text,
            section_id=drawn.one_of(("", "1", "2.1")),
            position_in_source=drawn.below(10),
            header=drawn.one_of(("", header)),
            trust_score=drawn.unit_float() if drawn.below(2) else None,
            timestamp=drawn.timestamp(),
            topic_tags=drawn.topic_tags(),
        )

    return st.builds(chunk, _exactly(CHUNK_BYTES), texts() if text is None else text, texts(3))


def chunk_lists(
    *, min_size: int = 0, max_size: int = 12, text: SearchStrategy[str] | None = None
) -> SearchStrategy[list[Chunk]]:
    """Chunks with unique ids, in any order; the same text and source come up more than once."""
    return st.lists(
        chunks(text), min_size=min_size, max_size=max_size, unique_by=lambda chunk: chunk.chunk_id
    )


@st.composite
def pools(
    draw: st.DrawFn, *, min_size: int = 0, max_size: int = 12, dimension: int = 4
) -> CandidatePool:
    """A pool as retrieval gives it: best first, ties by id; with vectors or without."""
    found = draw(chunk_lists(min_size=min_size, max_size=max_size))
    drawn = _Drawn(draw(_exactly(4 * max_size)))
    scores = [drawn.unit_float() for _ in found]
    order = sorted(range(len(found)), key=lambda row: (-scores[row], found[row].chunk_id))
    vectors = None
    if draw(st.booleans()):
        cells = (0, 1, -1, 2, -2, 3, -3)
        values = [cells[byte % 7] for byte in draw(_exactly(max_size * dimension))]
        rows = np.array(values, dtype=np.float32).reshape(-1, dimension)[: len(found)]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return CandidatePool(
        chunks=tuple(found[row] for row in order),
        relevance=np.array([scores[row] for row in order], dtype=np.float64),
        vectors=vectors,
        n_retrieved=len(found),
    )


def budgets(largest: int = 4_000) -> SearchStrategy[int]:
    """Token budgets, with the small ones common."""
    return st.one_of(st.integers(0, 200), st.integers(0, largest))
