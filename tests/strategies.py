"""Hypothesis strategies that several rooms share: hostile texts, chunks, pools, budgets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "AS_OF",
    "budgets",
    "chunk_ids",
    "chunk_lists",
    "chunks",
    "pools",
    "raw_texts",
    "texts",
    "timestamps",
    "topic_tags",
    "unit_floats",
]

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


def _joined(alphabet: SearchStrategy[str], max_pieces: int) -> SearchStrategy[str]:
    pieces = st.one_of(st.sampled_from(PIECES), st.text(alphabet, max_size=12))
    return st.lists(pieces, max_size=max_pieces).map("".join)


def texts(max_pieces: int = 12) -> SearchStrategy[str]:
    """Hostile text as it is after ingestion: LF line ends, no lone surrogates; may be empty."""
    return _joined(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_pieces)


def raw_texts(max_pieces: int = 12) -> SearchStrategy[str]:
    """Hostile text as it may come from outside: lone surrogates and CR included."""
    return _joined(st.characters(), max_pieces)


def unit_floats() -> SearchStrategy[float]:
    """Numbers from 0 to 1 with six decimals, so that ties are common."""
    return st.one_of(
        st.sampled_from((0.0, 0.25, 0.5, 1.0)),
        st.integers(0, 1_000_000).map(lambda n: n / 1_000_000),
    )


def timestamps() -> SearchStrategy[datetime | None]:
    """Unknown, recent, stale, or after `AS_OF`."""
    return st.one_of(st.none(), st.integers(-9_000, 400).map(lambda d: AS_OF + timedelta(days=d)))


def topic_tags() -> SearchStrategy[tuple[tuple[str, float], ...]]:
    """Up to three of a few topics, sorted, each with a strength."""
    topics = st.sampled_from(("eligibility", "limits", "forms", "records", "interactions"))
    return st.dictionaries(topics, unit_floats(), max_size=3).map(
        lambda strengths: tuple(sorted(strengths.items()))
    )


def chunk_ids() -> SearchStrategy[str]:
    """Short ids that collide in prefix and sort oddly, never empty."""
    return st.one_of(
        st.integers(0, 99).map("c{}".format), st.text("abAB01-_é税", min_size=1, max_size=6)
    )


def chunks(text: SearchStrategy[str] | None = None) -> SearchStrategy[Chunk]:
    """One chunk; `text` replaces the hostile default."""
    return st.builds(
        Chunk,
        chunk_id=chunk_ids(),
        source_id=st.sampled_from(("s1", "s2", "s3", "irs_pub_587", 'odd "name"<&>.md')),
        text=texts() if text is None else text,
        section_id=st.sampled_from(("", "1", "2.1")),
        position_in_source=st.integers(0, 9),
        header=st.one_of(st.just(""), texts(3)),
        trust_score=st.one_of(st.none(), unit_floats()),
        timestamp=timestamps(),
        topic_tags=topic_tags(),
    )


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
    scores = [draw(unit_floats()) for _ in found]
    order = sorted(range(len(found)), key=lambda row: (-scores[row], found[row].chunk_id))
    vectors = None
    if draw(st.booleans()):
        cells = st.lists(st.integers(-3, 3), min_size=dimension, max_size=dimension)
        rows = np.array([draw(cells) for _ in found], dtype=np.float32).reshape(-1, dimension)
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
