"""What stands around a chunk is what a walk over all chunks finds."""

from hypothesis import given
from hypothesis import strategies as st

from packhorse.kb.reading_order import ReadingOrderWriter
from packhorse.types.chunk import Chunk

PLACES = st.lists(
    st.tuples(st.sampled_from("xyz"), st.integers(0, 6), st.sampled_from(("", "one", "two"))),
    max_size=24,
)


def chunks_at(places: list[tuple[str, int, str]]) -> list[Chunk]:
    return [
        Chunk(
            chunk_id=f"{row:02d}",
            source_id=source,
            text="",
            position_in_source=position,
            section_id=section,
        )
        for row, (source, position, section) in enumerate(places)
    ]


def walked(chunks: list[Chunk], row: int, step: int) -> list[int]:
    """Rows one after the other from a row, as long as their order is known."""
    places = [
        (chunk.position_in_source, at)
        for at, chunk in enumerate(chunks)
        if chunk.source_id == chunks[row].source_id
    ]
    by_position = {position: [at for p, at in places if p == position] for position, _ in places}
    found: list[int] = []
    if len(by_position[chunks[row].position_in_source]) > 1:
        return found
    positions = sorted(by_position)
    at = positions.index(chunks[row].position_in_source) + step
    while 0 <= at < len(positions) and len(by_position[positions[at]]) == 1:
        found += by_position[positions[at]]
        at += step
    return found


@given(PLACES)
def test_neighbours_are_found_by_a_plain_walk(places: list[tuple[str, int, str]]) -> None:
    chunks = chunks_at(places)
    writer = ReadingOrderWriter()
    for chunk in chunks:
        writer.add(chunk)
    order = writer.finish()
    for row in range(len(chunks)):
        before, after = order.neighbours(row, 2)
        assert list(before) == walked(chunks, row, -1)[:2][::-1]
        assert list(after) == walked(chunks, row, 1)[:2]


@given(PLACES)
def test_sections_divide_the_chunks(places: list[tuple[str, int, str]]) -> None:
    chunks = chunks_at(places)
    writer = ReadingOrderWriter()
    for chunk in chunks:
        writer.add(chunk)
    order = writer.finish()
    sections = set()
    for row in range(len(chunks)):
        before, after = order.section(row, len(chunks))
        sections.add((*before, row, *after))
        assert order.section(row, 1) == (before[-1:], after[:1])
    assert sorted(row for section in sections for row in section) == list(range(len(chunks)))
    for section in sections:
        assert len({(chunks[row].source_id, chunks[row].section_id) for row in section}) == 1
        positions = [chunks[row].position_in_source for row in section]
        assert positions == sorted(positions)
