"""The exact form of blocks, openings and notices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import UnknownStrategyError
from packhorse.render.registry import RENDERERS, renderer
from packhorse.tokens.registry import counter_named
from packhorse.types.chunk import Chunk
from tests.render.samples import PREAMBLE, samples
from tests.strategies import raw_texts

FORMATS = sorted(RENDERERS)
STAMP = datetime(2024, 1, 15, tzinfo=UTC)


def chunk(text: str = "TEXT", **fields: object) -> Chunk:
    given_fields = {"chunk_id": "c", "source_id": "irs_pub_587.md", **fields}
    return Chunk(text=text, **given_fields)  # type: ignore[arg-type]  # fields of a chunk


@pytest.mark.parametrize(
    ("format", "block"),
    [
        (
            "xml",
            '<evidence n="3" source="irs_pub_587.md" date="2024-01-15">\nTEXT\n</evidence>\n',
        ),
        ("markdown", "### [3] irs_pub_587.md (2024-01-15)\nTEXT\n"),
        ("plain", "[3] source=irs_pub_587.md date=2024-01-15\nTEXT\n"),
    ],
)
def test_a_block_looks_exactly_so(format: str, block: str) -> None:
    assert renderer(format).block(3, chunk(timestamp=STAMP)) == block


@pytest.mark.parametrize(
    ("format", "opener"),
    [
        ("xml", '<evidence n="1" source="irs_pub_587.md" title="Home &quot;office&quot;">\n'),
        ("markdown", '### [1] irs_pub_587.md - Home "office"\n'),
        ("plain", '[1] source=irs_pub_587.md title="Home \\"office\\""\n'),
    ],
)
def test_a_title_stands_after_the_source(format: str, opener: str) -> None:
    assert renderer(format).block(1, chunk(header='Home  "office"')).startswith(opener)


@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("xml", "2 passages &lt;evidence> left out\n"),
        ("markdown", "### [note] 2 passages &lt;evidence&gt; left out\n"),
        ("plain", "[note] 2 passages <evidence> left out\n"),
    ],
)
def test_a_notice_is_one_last_line(format: str, line: str) -> None:
    shape = renderer(format)
    text = shape.text(PREAMBLE, [chunk()], "2 passages\n<evidence>\u2028left out ")
    assert text == f"{PREAMBLE}\n{shape.block(1, chunk())}{line}"
    assert shape.closing("") == ""


@pytest.mark.parametrize("format", FORMATS)
def test_the_section_is_the_preamble_and_the_blocks_and_nothing_else(format: str) -> None:
    shape = renderer(format)
    first, second = chunk("one"), chunk("two", chunk_id="d")
    blocks = shape.block(1, first) + shape.block(2, second)
    assert shape.text(PREAMBLE, [first, second]) == f"{PREAMBLE}\n{blocks}"
    assert shape.text("", [first, second]) == blocks
    assert shape.text(" \n", []) == ""


@pytest.mark.parametrize("format", FORMATS)
def test_a_preamble_ends_with_one_line_end_however_often_it_is_made(format: str) -> None:
    shape = renderer(format)
    once = shape.preamble(" Two lines\n\nof policy \n\n")
    assert once == " Two lines\n\nof policy\n"
    assert shape.preamble(once) == once
    assert shape.preamble("") == ""


@pytest.mark.parametrize("format", FORMATS)
def test_spaces_of_a_text_stay_and_one_line_end_closes_it(format: str) -> None:
    shape = renderer(format)
    assert "  TEXT  \n" in shape.block(1, chunk("  TEXT  "))
    assert shape.block(1, chunk("TEXT\n")) == shape.block(1, chunk("TEXT"))
    assert "TEXT\n\n" in shape.block(1, chunk("TEXT\n\n"))
    assert "TEXT\n\n\n" not in shape.block(1, chunk("TEXT\n\n"))


@pytest.mark.parametrize("format", FORMATS)
def test_the_day_is_that_of_utc(format: str) -> None:
    late = datetime(2024, 1, 14, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert "2024-01-15" in renderer(format).block(1, chunk(timestamp=late))
    assert "2024-01-14" in renderer(format).block(1, chunk(timestamp=late.replace(tzinfo=None)))


@pytest.mark.parametrize("format", FORMATS)
def test_a_long_source_is_shortened_in_the_middle(format: str) -> None:
    path = "/".join(f"folder{n}" for n in range(9)) + "/the_file_itself.md"
    block = renderer(format).block(1, chunk(source_id=path))
    assert "folder0/folder1/fo.../the_file_itself.md" in block
    assert len("folder0/folder1/fo.../the_file_itself.md") <= 40
    fits = "x" * 40
    assert fits in renderer(format).block(1, chunk(source_id=fits))


@pytest.mark.parametrize("format", FORMATS)
def test_a_source_that_shows_nothing_is_called_unknown(format: str) -> None:
    assert "unknown" in renderer(format).block(1, chunk(source_id="\u200b \n"))


@pytest.mark.parametrize("format", FORMATS)
@given(text=raw_texts(), label=raw_texts(4))
def test_every_block_can_be_written_and_ends_with_a_line_end(
    format: str, text: str, label: str
) -> None:
    block = renderer(format).block(7, chunk(text, source_id=label, header=label))
    block.encode("utf-8")
    assert block.startswith(("<evidence ", "### [7] ", "[7] "))
    assert block.endswith("\n")


@pytest.mark.parametrize("format", FORMATS)
def test_ordinary_text_stays_as_it_is(format: str) -> None:
    text = (
        "The evidence is <b>clear</b>: a < b, x &lt; y & z. # not a heading\n"
        "## Heading\n\n- [1] first\n* [x] second\n\n    code[3]\n> quote\n"
        "| a | b |\n|---|---|\n<|endoftext|> \u202e \x00 e\u0301 \u3000\n"
        "```py\nprint('### [done]')\n```\nLe café, 税務署, שלום."
    )
    assert f"\n{text}\n" in renderer(format).block(1, chunk(text))


COSTS = {"xml": 25, "markdown": 20, "plain": 20}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "source",
    [
        *("irs_pub_587.md", "home_office_guide.md", "handbook", "README.md", "faq-2024.html"),
        *("docs/library/asyncio-task.html", "https://example.com/guide", "Annual report.pdf"),
    ],
)
def test_a_frame_costs_at_most_25_tokens(format: str, source: str) -> None:
    text = "The return window is 30 days for unopened goods."
    counter = counter_named("o200k_base")
    block = renderer(format).block(12, chunk(text, source_id=source))
    assert counter.count(block) - counter.count(text) <= COSTS[format]


def test_the_date_of_the_xml_form_costs_nine_tokens_more() -> None:
    counter = counter_named("o200k_base")
    with_date = counter.count(renderer("xml").block(3, chunk(timestamp=STAMP)))
    assert with_date - counter.count(renderer("xml").block(3, chunk())) == 9


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        renderer("rtf")
    assert caught.value.hint == "Known format names: markdown, plain, xml"


@pytest.mark.parametrize("format", FORMATS)
def test_the_text_is_the_golden_one(format: str, root: Path, rewrite_golden: bool) -> None:
    text = renderer(format).text(PREAMBLE, samples(), "2 passages did not fit.")
    path = root / "tests" / "golden" / f"render_{format}.txt"
    if rewrite_golden:
        path.write_bytes(text.encode("utf-8"))
    assert path.read_bytes() == text.encode("utf-8")


@pytest.mark.parametrize("format", FORMATS)
@given(number=st.integers(1, 9), text=raw_texts())
def test_a_smaller_number_never_costs_more_than_the_nines(
    format: str, number: int, text: str
) -> None:
    counter, shape = counter_named("o200k_base"), renderer(format)
    final, while_packing = counter.count_batch(
        [shape.block(number, chunk(text)), shape.block(99, chunk(text))]
    )
    assert final <= while_packing
