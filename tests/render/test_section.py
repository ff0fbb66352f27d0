"""What each piece costs, and that the pieces add up to the whole with any tokenizer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhorse.protocols import TokenCounter
from packhorse.render.registry import renderer
from packhorse.render.section import count_section
from packhorse.tokens.registry import counter_named
from packhorse.types.chunk import Chunk
from tests.render.samples import PREAMBLE, PrefixCounter, RoundingCounter, WordCounter, samples
from tests.strategies import chunk_lists

FORMATS = ("markdown", "plain", "xml")
COUNTERS: dict[str, TokenCounter] = {
    "additive": WordCounter(),
    "with a start marker": PrefixCounter(),
    "rounding": RoundingCounter(),
}


@given(
    chunks=chunk_lists(max_size=6),
    format=st.sampled_from(FORMATS),
    preamble=st.sampled_from(("", PREAMBLE)),
    notice=st.sampled_from(("", "2 left out")),
)
def test_pieces_always_add_up_to_a_count_of_the_whole(
    chunks: list[Chunk], format: str, preamble: str, notice: str
) -> None:
    for name, counter in COUNTERS.items():
        rendered = renderer(format).render(preamble, chunks, counter, notice)
        pieces = (rendered.preamble_tokens, *rendered.block_tokens, rendered.notice_tokens)
        assert len(rendered.block_tokens) == len(chunks), name
        assert sum(pieces) == rendered.tokens, name
        assert rendered.tokens == counter.count(rendered.text), name
        assert rendered.text == renderer(format).text(preamble, chunks, notice), name


@given(chunks=chunk_lists(max_size=6), format=st.sampled_from(FORMATS))
def test_blocks_counted_alone_add_up_in_the_openai_encodings(
    chunks: list[Chunk], format: str
) -> None:
    shape, question = renderer(format), "Question: What is it?"
    for encoding in ("o200k_base", "cl100k_base"):
        counter = counter_named(encoding)
        rendered = shape.render(PREAMBLE, chunks, counter, "2 left out")
        alone = [counter.count(shape.block(n, chunk)) for n, chunk in enumerate(chunks, start=1)]
        assert list(rendered.block_tokens) == alone, encoding
        together = counter.count(rendered.text + question)
        assert together == rendered.tokens + counter.count(question), encoding


def test_a_start_marker_is_charged_once_to_the_first_piece() -> None:
    rendered = renderer("xml").render(PREAMBLE, samples(), PrefixCounter())
    additive = renderer("xml").render(PREAMBLE, samples(), WordCounter())
    assert rendered.preamble_tokens == additive.preamble_tokens + 1
    assert rendered.block_tokens == additive.block_tokens


def test_pieces_that_no_join_explains_are_charged_by_what_they_add() -> None:
    pieces = ["abc", "", "de", "fghij", ""]
    counts, total = count_section(pieces, "".join(pieces), RoundingCounter(), [""] * len(pieces))
    assert (counts, total) == ([1, 0, 1, 1, 0], 3)


def test_nothing_costs_nothing() -> None:
    rendered = renderer("xml").render("", [], WordCounter())
    assert (rendered.text, rendered.tokens, rendered.block_tokens) == ("", 0, ())
